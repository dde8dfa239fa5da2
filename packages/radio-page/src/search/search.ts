/** Answers what the search field holds. Runs in a worker. */
import { lookUp } from "../station/look-up.js";
import { resultOf, type Result } from "../station/result.js";
import { parseSearch, type SearchProblem } from "./search-text.js";

/** @returns `undefined` for a blank text. */
export async function search(text: string, at: Date): Promise<Result | SearchProblem | undefined> {
  const wanted = parseSearch(text);
  if (wanted === undefined || "problem" in wanted) return wanted;
  return resultOf(wanted, wanted.call === undefined ? undefined : await lookUp(wanted.call, at));
}
