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

/** The line, from 1, of a position in a text. */
export function lineAt(text: string, position: number): number {
  return lineEndsIn(text.slice(0, position)) + 1;
}

/** Files come with all three kinds of line end. */
export function lineEndsIn(text: string): number {
  return text.split(/\r\n|\r|\n/).length - 1;
}

/** The number in a text; `NaN`, which is no value of any field, where there is none. */
export function toNumber(text: string | undefined): number {
  const value = Number(text);
  // `Number` takes blanks for 0.
  return value === 0 && text?.trim() === "" ? Number.NaN : value;
}

/** The files count longitude to the west. Adding 0 turns -0 into 0. */
export function eastward(westward: number): number {
  return -westward + 0;
}

/** A file's content as text; `undefined` where it is neither text nor bytes. */
export function decodeText(content: string | Uint8Array): string | undefined {
  if (typeof content === "string") return content.replace(/^\uFEFF/, "");
  // Not instanceof: bytes may come from another window.
  return ArrayBuffer.isView(content) ? new TextDecoder().decode(content) : undefined;
}
