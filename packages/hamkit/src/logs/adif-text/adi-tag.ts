/** Tags of .adi text, such as `<CALL:5>`, `<FREQ:6:N>`, `<EOR>`. */

/** A tag in a byte text. */
export interface AdiTag {
  /** Index of its "<". */
  readonly start: number;
  /** Index after its ">". */
  readonly end: number;
  /** In upper case. */
  readonly name: string;
  /** Declared length of the value, in bytes. */
  readonly length: number;
  readonly type: string | undefined;
  /** Whether it is `EOH` or `EOR`, not a field; also with a length of 0, which some programs write. */
  readonly isMark: boolean;
}

/** Names in use have up to about 40 characters. A longer sequence without ">" is text. */
const MAX_TAG_LENGTH = 200;

export const LESS = 60;
const GREATER = 62;
const COLON = 58;
export const BLANK = 32;

/** Finds the first tag at or after an index. */
export type TagFinder = (from: number) => AdiTag | undefined;

/**
 * A finder for the tags of a byte text: a name and a length, or `EOH` or `EOR`. Anything else between "<" and ">" is text,
 * such as the `<APP_LOTW_EOF>` at the end of some files.
 */
export function createTagFinder(text: string): TagFinder {
  // Cache: a log has the same names in each QSO.
  const names = new Map<string, string>();
  // The last tag that was found, and from where: behind a value, the tag that a check of its length found is the next one.
  let last: AdiTag | undefined;
  let lastFrom = 0;
  let lastStart = -1;
  return (from) => {
    if (from >= lastFrom && from <= lastStart) return last;
    lastFrom = from;
    for (lastStart = from; ; lastStart++) {
      lastStart = text.indexOf("<", lastStart);
      if (lastStart < 0) return undefined;
      last = tagAt(text, lastStart, names);
      if (last !== undefined) return last;
    }
  };
}

/** Whether a tag begins at an index. */
export function isTagAt(text: string, index: number): boolean {
  return tagAt(text, index, new Map()) !== undefined;
}

function tagAt(text: string, start: number, names: Map<string, string>): AdiTag | undefined {
  let colon1 = -1;
  let colon2 = -1;
  for (let index = start + 1; index < start + MAX_TAG_LENGTH; index++) {
    const code = text.charCodeAt(index);
    if (code === GREATER) {
      const name = upperCase(text.slice(start + 1, colon1 < 0 ? index : colon1), names);
      return colon1 < 0 ? markOf(name, start, index) : fieldTag(text, { name, start, index, colon1, colon2 });
    }
    if (code === COLON) {
      if (colon1 < 0) colon1 = index;
      else if (colon2 < 0) colon2 = index;
      else return undefined;
    } else if (code === LESS || !(code >= BLANK)) return undefined;
  }
  return undefined;
}

function markOf(name: string, start: number, close: number): AdiTag | undefined {
  if (!isMarkName(name)) return undefined;
  return { start, end: close + 1, name, length: 0, type: undefined, isMark: true };
}

function isMarkName(name: string): boolean {
  return name === "EOR" || name === "EOH";
}

interface TagParts {
  readonly name: string;
  readonly start: number;
  /** Index of the ">". */
  readonly index: number;
  readonly colon1: number;
  /** Negative without a type. */
  readonly colon2: number;
}

function fieldTag(text: string, { name, start, index, colon1, colon2 }: TagParts): AdiTag | undefined {
  const length = numberAt(text, colon1 + 1, colon2 < 0 ? index : colon2);
  if (name === "" || Number.isNaN(length)) return undefined;
  if (length === 0 && isMarkName(name)) return markOf(name, start, index);
  const type = colon2 < 0 ? undefined : typeOf(text, colon2, index);
  return { start, end: index + 1, name, length, type, isMark: false };
}

function typeOf(text: string, colon: number, close: number): string | undefined {
  const type = text
    .slice(colon + 1, close)
    .trim()
    .toUpperCase();
  return type === "" ? undefined : type;
}

/** An integer, possibly surrounded by blanks; `NaN` for anything else. */
function numberAt(text: string, from: number, to: number): number {
  let number = 0;
  for (let index = from; index < to; index++) {
    const digit = text.charCodeAt(index) - 48;
    if (!(digit >= 0 && digit <= 9)) return numberIn(text.slice(from, to));
    number = number * 10 + digit;
  }
  return from < to ? number : Number.NaN;
}

function numberIn(text: string): number {
  return /^ *\d+ *$/.test(text) ? Number(text) : Number.NaN;
}

/** Size of the cache: bounds the memory for a log with unlimited different names. */
const MAX_NAMES = 1000;

function upperCase(name: string, names: Map<string, string>): string {
  const known = names.get(name);
  if (known !== undefined) return known;
  const upper = name.trim().replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase());
  if (names.size >= MAX_NAMES) names.clear();
  names.set(name, upper);
  return upper;
}
