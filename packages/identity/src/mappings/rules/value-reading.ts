/**
 * Parses structured values for `groups`, `group_ids` and `projects_json`: a list in Python's notation, or JSON. The condition
 * has checked the value as a whole; its whitelist or blacklist also applies to the parsed members.
 */
import { isNestedTooDeep } from "../../platform/text/exact-json.js";
import { parseList } from "../../platform/text/python-literal.js";
import { spend, type StepBudget } from "../python/step-budget.js";
import { isRecord, show } from "./rule-schema.js";

/** The list of a condition, applied to members parsed from its values. */
export interface ValueFilter {
  readonly test: "whitelist" | "blacklist";
  /** @throws {StepBudgetError} The budget ran out. */
  readonly accepts: (text: string, budget: StepBudget) => boolean;
}

export interface FilterContext {
  readonly filters: readonly ValueFilter[];
  readonly place: string;
  readonly budget: StepBudget;
  /** Called for rejected members. */
  readonly ignored: ((place: string, reason: string) => void) | undefined;
}

/**
 * Whether a member parsed from a value passes the lists. Only strings are checked.
 *
 * @param spellings Other forms of the same member, which blacklists check too.
 */
export function passesFilters(
  [text, ...spellings]: readonly unknown[],
  { filters, place, budget, ignored }: FilterContext,
): boolean {
  if (typeof text !== "string") return true;
  const rejecting = filters.find(
    ({ test, accepts }) =>
      !accepts(text, budget) ||
      (test === "blacklist" &&
        spellings.some((other) => typeof other === "string" && !accepts(other, budget))),
  );
  if (rejecting !== undefined)
    ignored?.(place, `${show(text)} was parsed from a value and is rejected by its ${rejecting.test}`);
  return rejecting === undefined;
}

/** Values, and the strings that `groups` may parse from them: a rejected name may be in a list, or in JSON. */
export function textsIn(values: readonly string[], budget: StepBudget): readonly string[] {
  if (!values.some((value) => value.includes("[") || value.startsWith("JSON:"))) return values;
  for (const value of values) spend(budget, value.length);
  const [only = ""] = values;
  const members = values.length === 1 ? (parseList(only) ?? []) : [];
  const texts = [...values, ...members.filter((member) => typeof member === "string")];
  return [...texts, ...texts.flatMap((text) => nameInJson(text))];
}

function nameInJson(text: string): string[] {
  const group = text.startsWith("JSON:") ? groupJson(text) : undefined;
  return isRecord(group) && typeof group["name"] === "string" ? [group["name"]] : [];
}

/** The JSON of a group; `undefined` if invalid. Keystone strips any of these characters from the start, in any order. */
export function groupJson(text: string): unknown {
  if (isNestedTooDeep(text)) return undefined;
  try {
    return JSON.parse(text.replace(/^[JSON:]+/, "")) as unknown;
  } catch {
    return undefined;
  }
}
