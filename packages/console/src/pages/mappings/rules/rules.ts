/** Changes of mapping rules as the cards make them: pure functions, each returns new rules. */

export const TESTS = ["any_one_of", "not_any_of", "whitelist", "blacklist"] as const;
export type Test = (typeof TESTS)[number];

export interface Condition {
  readonly type: string;
  readonly any_one_of?: readonly string[];
  readonly not_any_of?: readonly string[];
  readonly whitelist?: readonly string[];
  readonly blacklist?: readonly string[];
  readonly regex?: boolean;
}

export interface DomainReference {
  readonly id?: string;
  readonly name?: string;
}

/** An entry of `local`. Members that the cards don't edit are kept. */
export interface Local {
  readonly user?: {
    readonly id?: string;
    readonly name?: string;
    readonly email?: string;
    readonly type?: string;
    readonly domain?: DomainReference;
  };
  readonly group?: { readonly id?: string; readonly name?: string; readonly domain?: DomainReference };
  readonly groups?: string;
  readonly group_ids?: string;
  readonly domain?: DomainReference;
  readonly projects?: readonly {
    readonly name: string;
    readonly roles: readonly { readonly name: string }[];
  }[];
  readonly projects_json?: string;
}

export interface Rule {
  readonly remote: readonly Condition[];
  readonly local: readonly Local[];
}

/** The rules of a text; `undefined` while it is no list of rules. */
export function parseRules(text: string): readonly Rule[] | undefined {
  try {
    const rules: unknown = JSON.parse(text);
    return Array.isArray(rules) && rules.every(isRule) ? rules : undefined;
  } catch {
    return undefined;
  }
}

export const rulesText = (rules: readonly unknown[]): string => JSON.stringify(rules, null, 2);

function isRule(value: unknown): value is Rule {
  if (typeof value !== "object" || value === null) return false;
  const { remote, local } = value as Partial<Rule>;
  return (
    Array.isArray(remote) &&
    Array.isArray(local) &&
    [...remote, ...local].every((item) => typeof item === "object" && item !== null)
  );
}

export const testOf = (condition: Condition): Test | "present" =>
  TESTS.find((test) => condition[test] !== undefined) ?? "present";

export const listOf = (condition: Condition): readonly string[] => {
  const test = testOf(condition);
  return test === "present" ? [] : (condition[test] ?? []);
};

/** The values in lines of text. Commas are a part of values: of a DN, or of the pattern `a{1,2}`. */
export const valuesIn = (text: string): string[] => text.split(/\r?\n/).filter((value) => value !== "");

/** Whether the values of a condition fill placeholders. */
export const givesValues = (condition: Condition): boolean =>
  !["any_one_of", "not_any_of"].includes(testOf(condition));

/** A condition with another test or list; without a test, `regex` is left out. */
export function withTest(
  { type, regex }: Pick<Condition, "type" | "regex">,
  test: Test | "present",
  list: readonly string[],
): Condition {
  if (test === "present") return { type };
  return { type, [test]: list, ...(regex === true && { regex }) };
}

/** Replaces one rule. */
export function withRule(rules: readonly Rule[], index: number, change: (rule: Rule) => Rule): Rule[] {
  return rules.map((rule, place) => (place === index ? change(rule) : rule));
}

export function withCondition(rule: Rule, index: number, condition: Condition): Rule {
  const before = rule.remote[index];
  const changed = { ...rule, remote: rule.remote.map((each, place) => (place === index ? condition : each)) };
  if (before === undefined || givesValues(before) === givesValues(condition)) return changed;
  const number = numberOf(rule, index);
  return renumbered(changed, givesValues(condition) ? inserted(number) : removed(number, before.type));
}

/** A new condition at the end: placeholders keep their numbers. */
export const addCondition = (rule: Rule, condition: Condition): Rule => ({
  ...rule,
  remote: [...rule.remote, condition],
});

/**
 * Placeholders of later conditions get smaller numbers. Those of this one get the name of its attribute, `{UID}`: a fault that the
 * service reports, where the number would quietly mean another attribute.
 */
export function withoutCondition(rule: Rule, index: number): Rule {
  const given = rule.remote[index];
  const left = { ...rule, remote: rule.remote.filter((_, place) => place !== index) };
  return given === undefined || !givesValues(given)
    ? left
    : renumbered(left, removed(numberOf(rule, index), given.type));
}

type Renumber = (number: number) => string;
const inserted =
  (at: number): Renumber =>
  (number) =>
    String(number >= at ? number + 1 : number);
const removed =
  (at: number, name: string): Renumber =>
  (number) =>
    number === at ? name : String(number > at ? number - 1 : number);

/** The number of a condition's values in placeholders. */
function numberOf(rule: Rule, index: number): number {
  return rule.remote.slice(0, index).filter(givesValues).length;
}

/** A value becomes a member of a list: of the rule's condition on that attribute, or of a new one. */
export function requireValue(rule: Rule, type: string, value: string): Rule {
  const index = rule.remote.findIndex(
    (each) => each.type === type && each.any_one_of !== undefined && each.regex !== true,
  );
  const known = rule.remote[index];
  if (known === undefined) return addCondition(rule, { type, any_one_of: [value] });
  const list = listOf(known);
  return list.includes(value) ? rule : withCondition(rule, index, { ...known, any_one_of: [...list, value] });
}

/** The rule with a condition whose values are those of the attribute, and their placeholder. */
export function placeholderFor(
  rule: Rule,
  type: string,
): { readonly rule: Rule; readonly placeholder: string } {
  const index = rule.remote.findIndex((each) => each.type === type && givesValues(each));
  const changed = index >= 0 ? rule : addCondition(rule, { type });
  const place = index >= 0 ? index : changed.remote.length - 1;
  return { rule: changed, placeholder: `{${numberOf(changed, place)}}` };
}

function renumbered(rule: Rule, next: Renumber): Rule {
  const text = (source: string) =>
    source.replaceAll(/\{\{|\{(\d+)/g, (whole, digits?: string) =>
      digits === undefined ? whole : `{${next(Number(digits))}`,
    );
  const walk = (value: unknown): unknown => {
    if (typeof value === "string") return text(value);
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, walk(member)]));
  };
  return { ...rule, local: walk(rule.local) as Rule["local"] };
}

export function withLocal(rule: Rule, index: number, local: Local): Rule {
  return { ...rule, local: rule.local.map((each, place) => (place === index ? local : each)) };
}

export const addLocal = (rule: Rule, local: Local): Rule => ({ ...rule, local: [...rule.local, local] });

export const withoutLocal = (rule: Rule, index: number): Rule => ({
  ...rule,
  local: rule.local.filter((_, place) => place !== index),
});

export function moved<Item>(items: readonly Item[], from: number, to: number): Item[] {
  const rest = items.filter((_, index) => index !== from);
  return [...rest.slice(0, to), items[from] as Item, ...rest.slice(to)];
}

/** Starting points of a new mapping. */
export const TEMPLATES: readonly {
  readonly name: string;
  readonly about: string;
  readonly rules: readonly Rule[];
}[] = [
  {
    name: "OpenID Connect",
    about: "users by sub, groups by the claim groups",
    rules: [
      {
        remote: [
          { type: "OIDC-sub" },
          { type: "OIDC-preferred_username" },
          { type: "OIDC-groups", whitelist: [] },
        ],
        local: [{ user: { id: "{0}", name: "{1}" } }, { groups: "{2}", domain: { name: "Default" } }],
      },
    ],
  },
  {
    name: "SAML 2.0",
    about: "users by NameID, no groups",
    rules: [{ remote: [{ type: "NAME_ID" }], local: [{ user: { id: "{0}", name: "{0}" } }] }],
  },
];

export interface DiffLine {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
}

/** Lines for which a whole difference is computed: the time grows with their product. */
const MAX_DIFF_LINES = 3000;

/** The lines of both texts: the longest common subsequence stays. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [old, fresh] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start++;
  let end = 0;
  while (end < old.length - start && end < fresh.length - start && old.at(-1 - end) === fresh.at(-1 - end))
    end++;
  const line = (kind: DiffLine["kind"]) => (text: string) => ({ kind, text });
  const [left, right] = [old.slice(start, old.length - end), fresh.slice(start, fresh.length - end)];
  const middle =
    left.length + right.length > MAX_DIFF_LINES
      ? [...left.map(line("removed")), ...right.map(line("added"))]
      : common(left, right);
  return [
    ...old.slice(0, start).map(line("same")),
    ...middle,
    ...old.slice(old.length - end).map(line("same")),
  ];
}

function common(left: readonly string[], right: readonly string[]): DiffLine[] {
  const width = right.length + 1;
  const lengths = new Uint32Array((left.length + 1) * width);
  for (let i = left.length - 1; i >= 0; i--)
    for (let j = right.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        left[i] === right[j]
          ? (lengths[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(lengths[(i + 1) * width + j] ?? 0, lengths[i * width + j + 1] ?? 0);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < left.length || j < right.length) {
    const isSame = i < left.length && j < right.length && left[i] === right[j];
    const takesOld =
      j >= right.length ||
      (i < left.length && (lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0));
    if (isSame) lines.push({ kind: "same", text: left[i] ?? "" });
    else
      lines.push(
        takesOld ? { kind: "removed", text: left[i] ?? "" } : { kind: "added", text: right[j] ?? "" },
      );
    if (isSame || takesOld) i++;
    if (isSame || !takesOld) j++;
  }
  return lines;
}
