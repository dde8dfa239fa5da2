/**
 * What `groups`, `group_ids` and `projects_json` read from the text of a value: a list in Python's notation, or JSON. A
 * condition has seen the text as a whole; its whitelist or blacklist also applies to what is read.
 */
import { isNestedTooDeep } from "../../platform/text/json-depth.js";
import { parseList } from "../python/literal.js";
import { spend, type StepBudget } from "../python/step-budget.js";
import { isRecord, show } from "./rule-schema.js";

/** The list of a condition, for what is read from the values that the condition let through. */
export interface Screen {
  readonly test: "whitelist" | "blacklist";
  /** @throws {StepBudgetError} The budget ran out. */
  readonly letsThrough: (text: string, budget: StepBudget) => boolean;
}

export interface ScreenContext {
  readonly screens: readonly Screen[];
  readonly place: string;
  readonly budget: StepBudget;
  /** Is told of what is read and left aside. */
  readonly ignored: ((place: string, reason: string) => void) | undefined;
}

/**
 * Whether the lists let a text through that was read from a value.
 *
 * @param spellings Other texts for the same, which blacklists see too. What is no text is not compared.
 */
export function isLetThrough(
  [text, ...spellings]: readonly unknown[],
  { screens, place, budget, ignored }: ScreenContext,
): boolean {
  if (typeof text !== "string") return true;
  const screen = screens.find(
    ({ test, letsThrough }) =>
      !letsThrough(text, budget) ||
      (test === "blacklist" &&
        spellings.some((other) => typeof other === "string" && !letsThrough(other, budget))),
  );
  if (screen !== undefined)
    ignored?.(place, `${show(text)} was read from a value, whose ${screen.test} leaves it out`);
  return screen === undefined;
}

/** Values, and the texts that `groups` may read from them: a name that has to be kept out may be in a list, or in JSON. */
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

/** The JSON of a group; `undefined` if it is none. Keystone takes all of these letters off the start, in any order. */
export function groupJson(text: string): unknown {
  if (isNestedTooDeep(text)) return undefined;
  try {
    return JSON.parse(text.replace(/^[JSON:]+/, "")) as unknown;
  } catch {
    return undefined;
  }
}
