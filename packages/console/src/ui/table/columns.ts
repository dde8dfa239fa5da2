import type { Snippet } from "svelte";

export interface ColumnHead {
  readonly title: string;
  /** A width in CSS; the rest is shared. */
  readonly width?: string;
  /** The width where the table is narrow: there, the first column has 45 %, and the rest is shared. */
  readonly narrow?: string;
  readonly align?: "end";
  /** Left out where the table is narrow. */
  readonly minor?: boolean;
}

export interface Column<Row> extends ColumnHead {
  /** The cell as text. */
  readonly text?: (row: Row) => string | number | null | undefined;
  /** The cell as a snippet, instead of `text`. */
  readonly cell?: Snippet<[Row]>;
}
