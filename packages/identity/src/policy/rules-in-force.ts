/** The rules in force, as commands, the API and the console show them: text, where from, and what files open and close. */
import { accessDifferences } from "./opened-access.js";
import { usedRules, type PolicyInForce } from "./policy-in-force.js";
import type { ScopeType } from "./default-permissions.js";
import { ruleText } from "./rules/rule-text.js";

export interface RuleInForce {
  readonly name: string;
  readonly text: string;
  /** `undefined` for rules of files alone. */
  readonly builtIn: string | undefined;
  /** Where files have it, such as `/etc/hamkit-identity/policy.yaml:3`; `undefined` for built-in rules. */
  readonly place: string | undefined;
  /** The kinds of tokens that the action is for; `undefined` for all, and for what is no action. */
  readonly scopes: readonly ScopeType[] | undefined;
  /** Names of the rules that it refers to, directly or not. */
  readonly uses: readonly string[];
  /** Whether files have the rule, or one that it refers to. */
  readonly isChanged: boolean;
  /** What files open and close, in sentences. */
  readonly opened: readonly string[];
  readonly closed: readonly string[];
  /** Whether tokens of one domain now reach others. */
  readonly crossesDomains: boolean;
}

const described = new WeakMap<PolicyInForce, readonly RuleInForce[]>();

/** All rules, in the order of the built-in ones; those of files alone follow. */
export function rulesInForce(policy: PolicyInForce): readonly RuleInForce[] {
  const known = described.get(policy) ?? describeRules(policy);
  described.set(policy, known);
  return known;
}

function describeRules(policy: PolicyInForce): RuleInForce[] {
  const { written, builtIn, rules } = policy;
  const differences = new Map(
    accessDifferences(policy).map((difference) => [difference.action as string, difference]),
  );
  const affected: ReadonlySet<string> = new Set(policy.affected.keys());
  return [...rules].map(([name, rule]) => {
    const standard = builtIn.get(name);
    const place = written.get(name);
    const { opened = [], closed = [], crossesDomains = false } = differences.get(name) ?? {};
    return {
      name,
      text: ruleText(rule),
      builtIn: standard?.check,
      place: place && `${place.file}:${place.line}`,
      scopes: standard?.scopes,
      uses: [...usedRules(name, rules)].filter((each) => each !== name),
      isChanged: place !== undefined || affected.has(name),
      opened,
      closed,
      crossesDomains,
    };
  });
}
