/** Walks through the characters of a pattern, and remembers what groups it came by. */
import { RegexSyntaxError, type RegexFlags, type RegexNode, type Width } from "./regex-syntax.js";

export interface RegexReader {
  readonly characters: readonly string[];
  position: number;
  /** Widths by number of group; `undefined` while the group is open. 0 is the whole. */
  readonly widths: (Width | undefined)[];
  readonly names: Map<string, number>;
  /** The first group that was opened inside the look-behind that is being read. */
  firstGroupBehind: number | undefined;
  /** References to groups that may come later, and where. */
  readonly awaited: { readonly group: number; readonly position: number }[];
  depth: number;
}

/** A piece of a pattern, and the flags behind it: `(?i)` at the start holds for all that follows. */
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

/** The next character; the fault, if there is none. */
export function next(reader: RegexReader, fault: string): string {
  const character = peek(reader);
  if (character === undefined) throw new RegexSyntaxError(fault, reader.position);
  reader.position++;
  return character;
}

/** The characters that follow and match, `limit` of them at the most. */
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

/** Goes behind the next character of a kind, and says whether there was one. One behind a backslash does not count. */
export function skipPast(reader: RegexReader, end: string): boolean {
  for (;;) {
    const character = peek(reader);
    if (character === undefined) return false;
    reader.position++;
    if (character === end) return true;
    if (character === "\\") next(reader, "bad escape (end of pattern)");
  }
}

/** Everything before a character that ends it. */
export function takeUntil(reader: RegexReader, end: string, what: string): string {
  const start = reader.position;
  const close = reader.characters.indexOf(end, start);
  if (close === -1) throw new RegexSyntaxError(`missing ${end}, unterminated ${what}`, start);
  if (close === start) throw new RegexSyntaxError(`missing ${what}`, start);
  reader.position = close + 1;
  return reader.characters.slice(start, close).join("");
}

/** A reference needs a group that is closed, and that was not opened inside the look-behind around it. */
export function checkReference(reader: RegexReader, group: number, position: number): void {
  if (reader.widths[group] === undefined)
    throw new RegexSyntaxError("cannot refer to an open group", position);
  if (reader.firstGroupBehind !== undefined && group >= reader.firstGroupBehind)
    throw new RegexSyntaxError("cannot refer to group defined in the same lookbehind subpattern", position);
}
