/** Lint of mapping rules: faults that compile, and that their author sees only when a login goes wrong. Independent of an assertion. */
import { attributesFilling, type Condition } from "../rules/condition.js";
import type { CompiledRule, Mapping } from "../rules/compile-mapping.js";
import { show, type LocalItem, type Rule } from "../rules/rule-schema.js";
import { STEP_BUDGET } from "../rules/evaluate-mapping.js";
import { takesValues } from "../rules/text-template.js";
import { StepBudgetError, type StepBudget } from "../python/step-budget.js";

export const LINT_CODES = [
  /** No assertion satisfies the conditions of the rule. */
  "never-matches",
  /** A member of a list equals no value that an attribute can have. */
  "value-never-occurs",
  /** The condition on a claim is `1` or `0`, as mod_auth_openidc writes booleans. */
  "boolean-as-number",
  /** A pattern without ^ and $ also matches longer values. */
  "unanchored-pattern",
  /** The rule assigns nothing. */
  "assigns-nothing",
  /** No rule names the user: REMOTE_USER has to. */
  "no-user",
  /** The user of the rule never counts: a rule before it always matches too, and names one. */
  "user-ignored",
  /** The projects of the rule don't count where a later rule with projects matches too. */
  "projects-ignored",
  /** Users are told apart by an attribute that may change, or pass to another person. */
  "unstable-user-id",
  /** All users of the rule are one. */
  "shared-user",
  /** The assertion chooses the domain. */
  "chosen-domain",
] as const;

export interface LintFinding {
  readonly code: (typeof LINT_CODES)[number];
  /** `error`: the rule can't do what it says. `warning`: it does more, or less, than most authors intend. */
  readonly severity: "error" | "warning";
  /** Where, such as `rules[0].remote[1].any_one_of[2]`. */
  readonly place: string;
  readonly message: string;
}

/** Findings of one response. */
const MAX_FINDINGS = 200;

/**
 * @example
 * const rules = [{ local: [{ user: { name: "{0}" } }], remote: [{ type: "OIDC-email" }] }];
 * lintRules(compileMapping({ rules }))[0]?.code; // => "unstable-user-id"
 */
export function lintRules(mapping: Mapping): LintFinding[] {
  const budget: StepBudget = { left: STEP_BUDGET };
  const findings: LintFinding[] = [];
  try {
    for (const [index, compiled] of mapping.rules.entries()) {
      const rule = mapping.source[index] as Rule;
      findings.push(...lintConditions(compiled, { place: `rules[${index}]`, budget }));
      findings.push(...lintLocals(rule, { place: `rules[${index}]`, compiled }));
      if (findings.length > MAX_FINDINGS) break;
    }
    findings.push(...lintUsers(mapping), ...lintProjects(mapping));
  } catch (error) {
    if (!(error instanceof StepBudgetError)) throw error;
  }
  for (const { place, reason } of mapping.warnings)
    findings.push({ code: "chosen-domain", severity: "warning", place, message: reason });
  return findings.slice(0, MAX_FINDINGS);
}

interface RulePlace {
  readonly place: string;
}

const error = (code: LintFinding["code"], place: string, message: string): LintFinding => ({
  code,
  severity: "error",
  place,
  message,
});
const warning = (code: LintFinding["code"], place: string, message: string): LintFinding => ({
  code,
  severity: "warning",
  place,
  message,
});

function lintConditions(
  { conditions }: CompiledRule,
  { place, budget }: RulePlace & { readonly budget: StepBudget },
): LintFinding[] {
  return conditions.flatMap((condition, index) => {
    const at = `${place}.remote[${index}]`;
    const never = neverHolds(condition) ?? contradiction(condition, { conditions, budget });
    return [
      ...(never === undefined ? [] : [error("never-matches", `${at}.${condition.test}`, never)]),
      ...lintList(condition, at),
      ...lintBoolean(condition, at),
    ];
  });
}

/** Patterns that match every value, anywhere in it. */
const MATCH_ALL: ReadonlySet<unknown> = new Set(["", "^", "$", ".*", "^.*", ".*$", "(?s)^.*$"]);

function neverHolds({ test, listed, isRegex }: Condition): string | undefined {
  if (test === "any_one_of" && listed.length === 0) return "the list is empty: no value is in it";
  if (test === "any_one_of" && !isRegex && listed.every((value) => neverOccurs(value) !== undefined))
    return "no value of an attribute equals a member of the list";
  const all = test === "not_any_of" && isRegex ? listed.find((pattern) => MATCH_ALL.has(pattern)) : undefined;
  return all === undefined ? undefined : `the pattern ${show(all)} matches every value`;
}

/** Whether another condition rejects each value that this one requires. */
function contradiction(
  { test, attribute, listed, isRegex }: Condition,
  { conditions, budget }: Pick<CompiledRule, "conditions"> & { readonly budget: StepBudget },
): string | undefined {
  if (test !== "any_one_of" || isRegex) return undefined;
  const values = listed.filter((value) => typeof value === "string");
  if (values.length === 0) return undefined;
  const opposed = conditions.findIndex(
    (other) =>
      other.test === "not_any_of" &&
      other.attribute === attribute &&
      values.every((value) => other.pass([value], budget) === undefined),
  );
  return opposed < 0
    ? undefined
    : `condition ${opposed} rejects each value of ${show(attribute)} that this one requires`;
}

/** Why an attribute never has this value; `undefined` if it may. */
function neverOccurs(value: unknown): string | undefined {
  if (typeof value !== "string") return "is not a string, and values are strings";
  return value.includes(";") ? "contains a semicolon, which separates values" : undefined;
}

/** At one anchor at least: `^a|b$` is anchored enough to be meant. */
const ANCHORED = /^\(?\^|\$\)?$|\\[AZ]/;

function lintList({ test, listed, isRegex }: Condition, at: string): LintFinding[] {
  return listed.flatMap((value, index) => {
    const place = `${at}.${test}[${index}]`;
    if (!isRegex) {
      const reason = neverOccurs(value);
      return reason === undefined ? [] : [warning("value-never-occurs", place, `${show(value)} ${reason}`)];
    }
    const isGranting = test === "any_one_of" || test === "whitelist";
    if (!isGranting || typeof value !== "string" || ANCHORED.test(value)) return [];
    const message = MATCH_ALL.has(value)
      ? `the pattern ${show(value)} matches every value`
      : `${show(value)} matches anywhere in a value, also within a longer one: anchor it with ^ and $`;
    return [warning("unanchored-pattern", place, message)];
  });
}

/** Names of claims, in the spellings of environments and headers. */
const CLAIM = /^(?:HTTP_)?OIDC[-_]/i;

function lintBoolean({ test, attribute, listed, isRegex }: Condition, at: string): LintFinding[] {
  const isNumber = listed.length === 1 && (listed[0] === "1" || listed[0] === "0");
  if (isRegex || !isNumber || !CLAIM.test(attribute)) return [];
  const text = listed[0] === "1" ? "true" : "false";
  const message = `if ${show(attribute)} is a boolean, its text is "${text}", and ${show(listed[0])} only by the protocol's setting "claims_format": "mod_auth_openidc"`;
  return [warning("boolean-as-number", `${at}.${test}[0]`, message)];
}

function lintLocals(
  { local }: Rule,
  { place, compiled }: RulePlace & { readonly compiled: CompiledRule },
): LintFinding[] {
  const isIdle = local.every((item) => Object.keys(item).every((member) => member === "domain"));
  const idle = isIdle ? [error("assigns-nothing", `${place}.local`, "the rule assigns nothing")] : [];
  return [...idle, ...local.flatMap((item, index) => lintUser(item, `${place}.local[${index}]`, compiled))];
}

/** Attributes that name one person for good, by the documents of OpenID Connect, Entra ID, eduPerson, SAML and LDAP. */
const STABLE =
  /(?:^|[-_:./])(?:sub|subject[-_]?id|oid|uid|name[-_]?id|persistent[-_]?id|targeted[-_]?id|unique[-_]?id|edupersonuniqueid|edupersontargetedid|pairwise[-_]?id|objectguid|objectsid|objectidentifier|entryuuid|employeenumber|employeeid|user[-_]?id|workload)$/i;

function lintUser({ user }: LocalItem, at: string, { conditions }: CompiledRule): LintFinding[] {
  if (user === undefined || user.type === "local" || (!user.id && !user.name)) return [];
  const [member, template] = user.id ? (["id", user.id] as const) : (["name", user.name ?? ""] as const);
  const place = `${at}.user.${member}`;
  if (!takesValues(template))
    return [warning("shared-user", place, `every login of this rule is the user ${show(template)}`)];
  const attributes = attributesFilling(template, conditions);
  if (attributes.some((name) => STABLE.test(name))) return [];
  const named = attributes.map(show).join(", ");
  const remedy =
    member === "name"
      ? `give the user an "id" from an attribute that never changes`
      : "use one that never changes";
  return [
    warning(
      "unstable-user-id",
      place,
      `users are told apart by ${named}, which may change or pass to another person: ${remedy}, such as OIDC-sub or a persistent NameID`,
    ),
  ];
}

/** The user of a login is that of the first matching rule that names one. */
function lintUsers({ source, rules }: Mapping): LintFinding[] {
  const naming = source.map(({ local }) => local.some(({ user }) => user !== undefined && namesUser(user)));
  if (!naming.includes(true)) {
    const hasRemoteUser = rules.some(({ conditions }) =>
      conditions.some(({ attribute }) => attribute === "REMOTE_USER"),
    );
    const message = "no rule names the user: only logins with the attribute REMOTE_USER succeed";
    return hasRemoteUser ? [] : [warning("no-user", "rules", message)];
  }
  return source.flatMap((_, index) => {
    if (!naming[index]) return [];
    const earlier = rules.findIndex(
      (rule, before) =>
        before < index && naming[before] === true && follows(rule, rules[index] as CompiledRule),
    );
    const message = `whenever this rule matches, so does rule ${earlier}, whose user comes first`;
    return earlier < 0 ? [] : [warning("user-ignored", `rules[${index}]`, message)];
  });
}

interface ProjectEntry {
  readonly rule: number;
  readonly place: string;
}

/** The projects of a login are those of the last entry that has any, of all rules that match. */
function lintProjects({ source, rules }: Mapping): LintFinding[] {
  const entries = source.flatMap(({ local }, rule) =>
    local.flatMap((item, index): ProjectEntry[] =>
      item.projects === undefined && item.projects_json === undefined
        ? []
        : [{ rule, place: `rules[${rule}].local[${index}]` }],
    ),
  );
  return entries.flatMap(({ rule, place }, index) => {
    const later = entries
      .slice(index + 1)
      .find((other) => other.rule === rule || !excludes(rules[rule], rules[other.rule]));
    if (later === undefined) return [];
    const when = later.rule === rule ? "" : `where rule ${later.rule} matches too, `;
    const message = `${when}only the projects of ${later.place} count: the last entry with projects replaces those of all others`;
    return [warning("projects-ignored", place, message)];
  });
}

/** Whether no assertion satisfies both rules: one requires a value of an attribute, all of which the other rejects. */
function excludes(one: CompiledRule | undefined, other: CompiledRule | undefined): boolean {
  const [some, others] = [one?.conditions ?? [], other?.conditions ?? []];
  return rejects(some, others) || rejects(others, some);
}

function rejects(rejecting: readonly Condition[], requiring: readonly Condition[]): boolean {
  return requiring.some(
    (required) =>
      required.test === "any_one_of" &&
      rejecting.some(
        ({ test, attribute, isRegex, listed }) =>
          test === "not_any_of" &&
          attribute === required.attribute &&
          isRegex === required.isRegex &&
          required.listed.every((value) => listed.includes(value)),
      ),
  );
}

const namesUser = ({ id, name }: NonNullable<LocalItem["user"]>): boolean => Boolean(id) || Boolean(name);

/** Whether one rule matches wherever the other does: each of its conditions is one of the other's, or asks for presence alone. */
function follows(rule: CompiledRule, other: CompiledRule): boolean {
  return rule.conditions.every((condition) =>
    other.conditions.some(
      (given) =>
        given.attribute === condition.attribute &&
        (!isSelective(condition) ||
          (given.test === condition.test &&
            given.isRegex === condition.isRegex &&
            JSON.stringify(given.listed) === JSON.stringify(condition.listed))),
    ),
  );
}

/** Whether it may fail although the assertion has the attribute. */
const isSelective = ({ test }: Condition): boolean => test === "any_one_of" || test === "not_any_of";
