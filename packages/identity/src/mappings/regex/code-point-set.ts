/**
 * Sets of characters: sorted, disjoint ranges of code points, both ends included, as one flat list of numbers.
 *
 * A character is a code point throughout, as in Python: an emoji is one.
 */
import { once } from "../../platform/concurrency/once.js";

export type CodePointSet = readonly number[];

export const LAST_CODE_POINT = 0x10ffff;

export const ALL_CODE_POINTS: CodePointSet = [0, LAST_CODE_POINT];
export const NEWLINE: CodePointSet = [10, 10];

/** Python's `\s`: `str.isspace`. */
// oxfmt-ignore
export const SPACES: CodePointSet = [
  0x09, 0x0d, 0x1c, 0x20, 0x85, 0x85, 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a,
  0x2028, 0x2029, 0x202f, 0x202f, 0x205f, 0x205f, 0x3000, 0x3000,
];
export const ASCII_SPACES: CodePointSet = [0x09, 0x0d, 0x20, 0x20];
export const ASCII_DIGITS: CodePointSet = [0x30, 0x39];
export const ASCII_WORD: CodePointSet = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a];

/** Python's `\d`: decimal digits of any script. */
export const digits = once(() => charactersLike(/\p{Nd}+/gu));

/** Python's `\w`: `str.isalnum`, and the underscore. */
export const wordCharacters = once(() => charactersLike(/[\p{L}\p{N}_]+/gu));

export function union(...sets: readonly CodePointSet[]): CodePointSet {
  const ranges = sets.flatMap(rangesOf).toSorted(([a], [b]) => a - b);
  const result: number[] = [];
  for (const [from, to] of ranges) {
    const last = result.at(-1);
    if (last === undefined || from > last + 1) result.push(from, to);
    else if (to > last) result[result.length - 1] = to;
  }
  return result;
}

export function complement(set: CodePointSet): CodePointSet {
  const result: number[] = [];
  let next = 0;
  for (const [from, to] of rangesOf(set)) {
    if (from > next) result.push(next, from - 1);
    next = to + 1;
  }
  if (next <= LAST_CODE_POINT) result.push(next, LAST_CODE_POINT);
  return result;
}

/** Binary search: a thousand ranges cost ten comparisons. */
export function has(set: CodePointSet, codePoint: number): boolean {
  let low = 0;
  let high = set.length;
  while (low < high) {
    const middle = ((low + high) >> 2) << 1;
    if (codePoint < (set[middle] ?? 0)) high = middle;
    else if (codePoint > (set[middle + 1] ?? 0)) low = middle + 2;
    else return true;
  }
  return false;
}

export function rangesOf(set: CodePointSet): [from: number, to: number][] {
  const ranges: [number, number][] = [];
  for (let index = 0; index < set.length; index += 2) ranges.push([set[index] ?? 0, set[index + 1] ?? 0]);
  return ranges;
}

function charactersLike(pattern: RegExp): CodePointSet {
  const result: number[] = [];
  // Plane by plane: all planes together would be a string of four million characters.
  for (let plane = 0; plane <= LAST_CODE_POINT; plane += 0x10000) {
    for (const [run] of textOfPlane(plane).matchAll(pattern)) {
      const from = run.codePointAt(0) ?? 0;
      result.push(from, from + Array.from(run).length - 1);
    }
  }
  return union(result);
}

function textOfPlane(plane: number): string {
  const pieces: string[] = [];
  for (let from = plane; from < plane + 0x10000; from += 0x100)
    pieces.push(String.fromCodePoint(...Array.from({ length: 0x100 }, (_, index) => from + index)));
  return pieces.join("");
}
