/** The parser's cursor over a pattern, with the groups parsed so far. */
import { RegexSyntaxError, type RegexFlags, type RegexNode, type Width } from "./regex-syntax.js";

export interface RegexReader {
  readonly characters: readonly string[];
  position: number;
  /** Widths by group number; `undefined` while the group is open. Group 0 is the whole pattern. */
  readonly widths: (Width | undefined)[];
  readonly names: Map<string, number>;
  /** The first group opened inside the current look-behind. */
  firstGroupBehind: number | undefined;
  /** References to groups that may be defined later. */
  readonly awaited: { readonly group: number; readonly position: number }[];
  depth: number;
}

/** A node, and the flags that apply behind it: `(?i)` at the start applies to the rest. */
export interface RegexPiece {
  readonly node: RegexNode | undefined;
  readonly flags: RegexFlags;
}

export function createReader(pattern: string): RegexReader {
  return {
    characters: Array.from(pattern),
    position: 0,
    widths: [undefined],
    names: new Map(),
    firstGroupBehind: undefined,
    awaited: [],
    depth: 0,
  };
}

export function peek(reader: RegexReader): string | undefined {
  return reader.characters[reader.position];
}

export function take(reader: RegexReader, wanted: string): boolean {
  if (peek(reader) !== wanted) return false;
  reader.position++;
  return true;
}

/** @throws {RegexSyntaxError} The pattern ends here; the message is `fault`. */
export function next(reader: RegexReader, fault: string): string {
  const character = peek(reader);
  if (character === undefined) throw new RegexSyntaxError(fault, reader.position);
  reader.position++;
  return character;
}

/** The following characters that match, at most `limit`. */
export function takeWhile(reader: RegexReader, pattern: RegExp, limit = Infinity): string {
  let taken = "";
  while (taken.length < limit) {
    const character = peek(reader);
    if (character === undefined || !pattern.test(character)) break;
    taken += character;
    reader.position++;
  }
  return taken;
}

/** Moves behind the next unescaped `end`. @returns Whether there was one. */
export function skipPast(reader: RegexReader, end: string): boolean {
  for (;;) {
    const character = peek(reader);
    if (character === undefined) return false;
    reader.position++;
    if (character === end) return true;
    if (character === "\\") next(reader, "bad escape (end of pattern)");
  }
}

/** Reads up to `end`, and skips it. */
export function takeUntil(reader: RegexReader, end: string, what: string): string {
  const start = reader.position;
  const close = reader.characters.indexOf(end, start);
  if (close === -1) throw new RegexSyntaxError(`missing ${end}, unterminated ${what}`, start);
  if (close === start) throw new RegexSyntaxError(`missing ${what}`, start);
  reader.position = close + 1;
  return reader.characters.slice(start, close).join("");
}

/** A reference needs a closed group that was not opened inside the same look-behind. */
export function checkReference(reader: RegexReader, group: number, position: number): void {
  if (reader.widths[group] === undefined)
    throw new RegexSyntaxError("cannot refer to an open group", position);
  if (reader.firstGroupBehind !== undefined && group >= reader.firstGroupBehind)
    throw new RegexSyntaxError("cannot refer to group defined in the same lookbehind subpattern", position);
}
