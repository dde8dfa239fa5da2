/** Searches a list of calls: by a part, and for similar ones by edit distance. */
import { ValueError, ArgumentTypeError } from "../errors.js";
import { characterSet, startOfLength, INDEX, type ScpList } from "./scp-list.js";

/** Options of a similarity search. */
export interface FindSimilarOptions {
  /** Maximum edit distance: 1 (default) or 2. */
  readonly distance?: 1 | 2;
  /** Maximum number of calls; default 50. */
  readonly limit?: number;
}

/** A call of the list and its edit distance. */
export interface SimilarCall {
  readonly call: string;
  /** 0 for the call itself. */
  readonly distance: 0 | 1 | 2;
}

/**
 * The calls of a list within an edit distance of a call ("N+1" in contest programs).
 *
 * An edit inserts, deletes or replaces a character, or swaps two adjacent ones (Damerau-Levenshtein). Sorted by distance,
 * then by the difference in length, then in the order of the list; the call itself has the distance 0 if the list
 * contains it. More than 200 searches per second in 85,000 calls at distance 1.
 *
 * @param call A call in any case. With a character that no call contains, nothing is found.
 * @throws {ValueError} The distance is neither 1 nor 2, or the limit is not an integer from 1.
 * @throws {ArgumentTypeError} The call is not a string.
 * @see F. J. Damerau, "A technique for computer detection and correction of spelling errors", CACM 7 (1964).
 * @example
 * const list = createScpList("DL1ABC\nDL1ACB\nDL1AB\nDL2ABD");
 * findSimilar(list, "dl1abc").map(({ call }) => call); // => ["DL1ABC", "DL1ACB", "DL1AB"]
 * findSimilar(list, "DL1ABC", { distance: 2 }).at(-1); // => { call: "DL2ABD", distance: 2 }
 */
export function findSimilar(list: ScpList, call: string, options?: FindSimilarOptions): SimilarCall[] {
  const limit = requireLimit(options?.limit);
  const maxDistance = requireDistance(options?.distance);
  const wanted = searchText(call, "call", /^[A-Z0-9/]+$/i);
  if (wanted === "") return [];

  const index = list[INDEX];
  const { letters, others } = characterSet(wanted);
  const found: SimilarCall[] = [];
  const end = startOfLength(index, wanted.length + maxDistance + 1);
  for (let at = startOfLength(index, wanted.length - maxDistance); at < end; at++) {
    // An edit removes at most one character from the set, and adds at most one.
    const missing =
      countBits(letters & ~(index.letters[at] ?? 0)) + countBits(others & ~(index.others[at] ?? 0));
    if (missing > maxDistance) continue;
    const added =
      countBits((index.letters[at] ?? 0) & ~letters) + countBits((index.others[at] ?? 0) & ~others);
    if (added > maxDistance) continue;
    const similar = index.calls[at] ?? "";
    const distance = editDistance(wanted, similar, maxDistance);
    if (distance <= maxDistance) found.push({ call: similar, distance: distance as 0 | 1 | 2 });
  }
  return best(found, wanted.length).slice(0, limit);
}

function requireDistance(distance: number | undefined): number {
  if (distance === undefined) return 1;
  if (distance === 1 || distance === 2) return distance;
  throw new ValueError({ argument: "distance", value: distance, expected: "1 or 2" });
}

/** Sorted, best first. */
function best(found: readonly SimilarCall[], length: number): SimilarCall[] {
  return found.toSorted(
    (a, b) =>
      a.distance - b.distance ||
      Math.abs(a.call.length - length) - Math.abs(b.call.length - length) ||
      (a.call < b.call ? -1 : 1),
  );
}

function countBits(bits: number): number {
  let count = 0;
  for (let left = bits; left !== 0; left &= left - 1) count++;
  return count;
}

// Damerau-Levenshtein distance: insertions, deletions, substitutions and transpositions of adjacent characters.
//
// The unrestricted variant: characters may be adjacent before or after other edits ("CA" and "ABC" have the distance 2:
// transpose, then insert), which makes it a metric.
//
// @see R. Lowrance, R. A. Wagner, "An extension of the string-to-string correction problem", JACM 22 (1975).

/** The distance of two texts; any number above `max` if it exceeds `max`. */
export function editDistance(from: string, to: string, max: number): number {
  if (Math.abs(from.length - to.length) > max) return max + 1;
  // A common prefix and suffix do not contribute.
  let start = 0;
  while (start < from.length && start < to.length && from.charCodeAt(start) === to.charCodeAt(start)) start++;
  let end1 = from.length;
  let end2 = to.length;
  while (end1 > start && end2 > start && from.charCodeAt(end1 - 1) === to.charCodeAt(end2 - 1)) {
    end1--;
    end2--;
  }
  const a = from.slice(start, end1);
  const b = to.slice(start, end2);
  if (a === "" || b === "") return a.length + b.length;
  if (a.length === 1 && b.length === 1) return 1;
  if (max === 1) return a.length === 2 && b.length === 2 && a[0] === b[1] && a[1] === b[0] ? 1 : 2;
  return distanceByTable(a, b);
}

/** The distance by dynamic programming over the prefixes of both texts. */
function distanceByTable(a: string, b: string): number {
  const width = b.length + 1;
  const table = Array.from({ length: (a.length + 1) * width }, (_, cell) =>
    cell < width ? cell : Math.floor(cell / width),
  );
  const at = (i: number, j: number): number => table[i * width + j] ?? Infinity;
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let least = Math.min(replaced, at(i - 1, j) + 1, at(i, j - 1) + 1);
      // A transposition of the two characters, and the edits between them.
      const k = lastBefore(a, b[j - 1], i - 1);
      const l = lastBefore(b, a[i - 1], j - 1);
      if (k > 0 && l > 0) least = Math.min(least, at(k - 1, l - 1) + (i - k) + (j - l) - 1);
      table[i * width + j] = least;
    }
  }
  return at(a.length, b.length);
}

/** The last position of a character within the first `length` ones, from 1; 0 for none. */
function lastBefore(text: string, character: string | undefined, length: number): number {
  for (let place = length; place > 0; place--) if (text[place - 1] === character) return place;
  return 0;
}

const DEFAULT_LIMIT = 50;

/** The text trimmed and in upper case; "" if it contains a character that no call has. */
function searchText(text: string, argument: string, allowed: RegExp): string {
  if (typeof text !== "string") throw new ArgumentTypeError({ argument, value: text, expected: "a string" });
  const trimmed = text.trim();
  return allowed.test(trimmed) ? trimmed.toUpperCase() : "";
}

/** @throws {ValueError} The limit is not an integer from 1. */
function requireLimit(limit: number | undefined): number {
  if (limit === undefined) return DEFAULT_LIMIT;
  if (Number.isSafeInteger(limit) && limit >= 1) return limit;
  throw new ValueError({ argument: "limit", value: limit, expected: "an integer from 1" });
}

/** Options of a partial search. */
export interface FindByPartOptions {
  /** Maximum number of calls; default 50. */
  readonly limit?: number;
}

/**
 * The calls of a list that contain a part, best first.
 *
 * The exact match comes first, then calls that begin with the part, end with it, and contain it; each group by ascending
 * length, then in the order of the list. More than 1,000 searches per second in 85,000 calls.
 *
 * @param part Letters, digits and slashes in any case; `?` stands for any one character. An empty part, or one with other
 *   characters, matches nothing.
 * @throws {ValueError} The limit is not an integer from 1.
 * @throws {ArgumentTypeError} The part is not a string.
 * @example
 * const list = createScpList("DL1ABC\nK1AB\nK1ABC\nN1ABX\nW1ABC");
 * findByPart(list, "1ab", { limit: 3 }); // => ["K1AB", "K1ABC", "N1ABX"]
 * findByPart(list, "?1?bc"); // => ["K1ABC", "W1ABC", "DL1ABC"]
 */
export function findByPart(list: ScpList, part: string, options?: FindByPartOptions): string[] {
  const limit = requireLimit(options?.limit);
  const wanted = searchText(part, "part", /^[A-Z0-9/?]+$/i);
  if (wanted === "") return [];

  const index = list[INDEX];
  const { letters, others } = characterSet(wanted);
  const found: string[][] = [[], [], [], []];
  const [whole = [], beginning = []] = found;
  for (let at = startOfLength(index, wanted.length); at < index.calls.length; at++) {
    if ((letters & ~(index.letters[at] ?? 0)) !== 0 || (others & ~(index.others[at] ?? 0)) !== 0) continue;
    const call = index.calls[at] ?? "";
    const calls = found[placeOf(wanted, call)];
    if (calls === undefined || calls.length === limit) continue;
    calls.push(call);
    // Longer calls can't rank before these.
    if (whole.length + beginning.length === limit) break;
  }
  return found.flat().slice(0, limit);
}

/** The rank of a match: 0 exact, 1 at the beginning, 2 at the end, 3 inside; -1 without a match. */
function placeOf(part: string, call: string): number {
  const last = call.length - part.length;
  if (isAt(part, call, 0)) return last === 0 ? 0 : 1;
  if (isAt(part, call, last)) return 2;
  for (let start = 1; start < last; start++) if (isAt(part, call, start)) return 3;
  return -1;
}

const ANY = 63; // ?

function isAt(part: string, call: string, start: number): boolean {
  for (let index = 0; index < part.length; index++) {
    const wanted = part.charCodeAt(index);
    if (wanted !== ANY && wanted !== call.charCodeAt(start + index)) return false;
  }
  return true;
}
