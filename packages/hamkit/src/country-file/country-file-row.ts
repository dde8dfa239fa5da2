/** The rows that all formats of the country file are read into. */

export interface CountryFileRow {
  /** The prefixes or complete calls of the row; none in a row of the entity alone. */
  readonly keys: readonly string[];
  /** The keys are complete calls. */
  readonly exact: boolean;
  /** The entity is on the WAE list only: it lies in a DXCC entity and has its code. */
  readonly isWae: boolean;
  readonly country: string;
  /** ADIF entity code; `undefined` where the format has none. */
  readonly adif: number | undefined;
  /** The entity's main prefix; `undefined` where the format has none. */
  readonly mainPrefix: string | undefined;
  readonly continent: string;
  readonly cqz: number;
  readonly ituz: number;
  /** Degrees, north positive. */
  readonly latitude: number;
  /** Degrees, east positive (the files count to the west). */
  readonly longitude: number;
}

/** An unreadable part of the file. */
export interface BadRow {
  /** The key or line, the expected value and the found one. */
  readonly problem: string;
}

export type ReadRow = CountryFileRow | BadRow;

/** The files count longitude to the west. Adding 0 turns -0 into 0. */
export function eastward(westward: number): number {
  return -westward + 0;
}
