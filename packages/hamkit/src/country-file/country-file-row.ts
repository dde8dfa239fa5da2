/** What every format of the country file tells of prefixes or calls. */

export interface CountryFileRow {
  /** Prefixes or complete calls of which all the rest holds; none for the entity by itself. */
  readonly keys: readonly string[];
  /** The keys are complete calls. */
  readonly exact: boolean;
  /** The entity is on the WAE list only: it lies in a DXCC entity, whose code it has. */
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

/** A part of the file that can't be used, while the rest can. */
export interface BadRow {
  /** What is wrong, with the key or line and what was expected. */
  readonly problem: string;
}

export type ReadRow = CountryFileRow | BadRow;

/** The files count longitude to the west. Adding 0 turns -0 into 0. */
export function eastward(westward: number): number {
  return -westward + 0;
}
