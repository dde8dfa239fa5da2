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
  /** What the list is called to be sorted by; without it, the heading doesn't sort. */
  readonly sortKey?: string;
}

/** By which column rows are sorted. */
export interface SortOrder {
  readonly key: string;
  readonly isDescending: boolean;
}

/** Headings that sort. */
export interface Sorting {
  readonly order: SortOrder;
  /** The address of the page with another order. */
  readonly href: (order: SortOrder) => string;
}

/** Rows that can be selected. */
export interface Selecting<Row> {
  readonly has: (key: string) => boolean;
  /** Whether all of these are selected; `undefined` if only some are. */
  readonly covers: (rows: readonly Row[]) => boolean | undefined;
  readonly set: (rows: readonly Row[], isSelected: boolean) => void;
}

export interface Column<Row> extends ColumnHead {
  /** The cell as text; of a minor column, also for narrow tables, where it stands below the first one. */
  readonly text?: (row: Row) => string | number | null | undefined;
  /** The cell as a snippet, instead of `text`. */
  readonly cell?: Snippet<[Row]>;
}
