/**
 * The policy in force: the built-in rules, and those of policy files over them.
 *
 * Actions that neither a file affects, directly or by a rule that they refer to, nor the release of the built-in rules, are decided by the
 * default permissions as without files.
 */
import { callerAttributes, TOKEN_ATTRIBUTE } from "./caller-attributes.js";
import type { Credentials } from "./caller.js";
import { isAction, PERMISSIONS, type Action } from "./is-allowed.js";
import type { ScopeType } from "./default-permissions.js";
import { compileRules, type Decide } from "./rules/compile-rules.js";
import { builtInRules, type BuiltInOptions, type BuiltInRule } from "./rules/default-rule-texts.js";
import { effectiveRules, isSame } from "./rules/effective-rules.js";
import { readLeftSide } from "./rules/left-side.js";
import { parseRule } from "./rules/parse-rule.js";
import { compileFormat, type RuleAttributes } from "./rules/percent-format.js";
import type { WrittenRule } from "./rules/policy-file.js";
import { visitRule, type PolicyRule } from "./rules/rule.js";
import { namedAttributes, type NamedAttributes } from "./target-attributes.js";

export interface PolicyRules extends BuiltInOptions {
  /** By name, of files. */
  readonly written: ReadonlyMap<string, WrittenRule>;
  readonly enforcesScope: boolean;
  /** Without former rules: `enforce_new_defaults`. */
  readonly enforcesNewDefaults: boolean;
  /** Those of this service, if left out. */
  readonly builtIn?: readonly BuiltInRule[];
}

/** An action that the default permissions do not decide. */
export interface AffectedAction {
  readonly rule: PolicyRule;
  /** `undefined` for all. */
  readonly scopes: readonly ScopeType[] | undefined;
  /** Attributes of targets that its rules name. */
  readonly targetNames: ReadonlySet<string>;
  readonly named: NamedAttributes | undefined;
  readonly namesToken: boolean;
  /** @throws {RuleFault} It denies. */
  readonly decide: (caller: Credentials, attributes: AffectedAttributes) => boolean;
  /**
   * What parts of the rules in front of those about targets decide, such as `rule:admin_required or ...`: once for a caller.
   *
   * @param token As for `decide`. @returns `undefined` if it depends on the target. @throws {RuleFault}
   */
  readonly decideEarly: (caller: Credentials, token: object | undefined) => boolean | undefined;
}

export interface AffectedAttributes {
  readonly target: RuleAttributes;
  /** As a response shows it; for rules that name it. */
  readonly token?: object | undefined;
}

export interface PolicyInForce {
  readonly written: ReadonlyMap<string, WrittenRule>;
  readonly builtIn: ReadonlyMap<string, BuiltInRule>;
  /** All rules by name, of files and built in. */
  readonly rules: ReadonlyMap<string, PolicyRule>;
  readonly affected: ReadonlyMap<Action, AffectedAction>;
}

export const NO_FILES: PolicyRules = {
  written: new Map(),
  enforcesScope: true,
  enforcesNewDefaults: true,
  reachesAllSecrets: false,
  release: "2026",
};

export function createPolicy({
  written,
  enforcesScope,
  enforcesNewDefaults,
  ...options
}: PolicyRules): PolicyInForce {
  // Nothing is parsed where there are no files.
  const isOfTable = options.builtIn === undefined && options.release === NO_FILES.release;
  if (written.size === 0 && enforcesScope && enforcesNewDefaults && isOfTable) return withoutFiles(options);
  const defaults = options.builtIn ?? builtInRules(options);
  const builtIn = new Map(defaults.map((rule) => [rule.name, rule]));
  const table = isOfTable
    ? builtIn
    : new Map(builtInRules({ ...options, release: NO_FILES.release }).map((rule) => [rule.name, rule]));
  const parsed = new Map([...written].map(([name, { rule }]) => [name, rule]));
  const rules = effectiveRules(defaults, parsed, { isStrict: enforcesNewDefaults });
  const isChanged = (name: string): boolean => {
    const standard = table.get(name);
    const rule = rules.get(name);
    return standard === undefined || rule === undefined || !isSame(parseRule(standard.check), rule);
  };
  const decide = compileRules(rules);
  const affected = new Map<Action, AffectedAction>();
  for (const { name, scopes } of defaults) {
    if (!isAction(name)) continue;
    const uses = usedRules(name, rules);
    const isScopeOpen = !enforcesScope && scopes !== undefined && scopes.length < 3;
    const hasScopesOfTable = scopes === PERMISSIONS[name].scopes;
    if (!isScopeOpen && hasScopesOfTable && options.builtIn === undefined && ![...uses].some(isChanged))
      continue;
    const targetNames = new Set<string>();
    let namesToken = false;
    for (const each of uses)
      visitRule(rules.get(each) ?? { kind: "deny" }, (part) => {
        if (part.kind === "role") addNames(targetNames, part.role);
        if (part.kind !== "compare") return;
        addNames(targetNames, part.right);
        const side = readLeftSide(part.left);
        namesToken ||= side.kind === "path" && side.path[0] === TOKEN_ATTRIBUTE;
      });
    affected.set(name, {
      rule: rules.get(name) ?? { kind: "deny" },
      scopes: enforcesScope ? scopes : undefined,
      targetNames,
      named: namedAttributes(targetNames),
      namesToken,
      ...decisionsOf(name, { decide, scopes: enforcesScope ? scopes : undefined }),
    });
  }
  return { written, builtIn, rules, affected };
}

function decisionsOf(
  name: Action,
  { decide, scopes }: Pick<AffectedAction, "scopes"> & { readonly decide: Decide },
): Pick<AffectedAction, "decide" | "decideEarly"> {
  const DEPENDS = "depends on the target";
  /** By the caller's token, where rules name it: that of another request is another object. */
  const known = new WeakMap<object, boolean | typeof DEPENDS>();
  const isInScope = (caller: Credentials) => scopes === undefined || scopes.includes(scopeTypeOf(caller));
  return {
    decide: (caller, { target, token }) =>
      isInScope(caller) && decide(name, callerAttributes(caller, token), target),
    decideEarly(caller, token) {
      const key = token ?? caller;
      let decision = known.get(key);
      if (decision === undefined) {
        decision = (isInScope(caller) && decide(name, callerAttributes(caller, token))) ?? DEPENDS;
        known.set(key, decision);
      }
      return decision === DEPENDS ? undefined : decision;
    },
  };
}

function withoutFiles(options: BuiltInOptions): PolicyInForce {
  const builtIn = () => new Map(builtInRules(options).map((rule) => [rule.name, rule]));
  return {
    written: new Map(),
    affected: new Map(),
    get builtIn() {
      return builtIn();
    },
    get rules() {
      return new Map(Array.from(builtIn(), ([name, { check }]) => [name, parseRule(check)]));
    },
  };
}

function addNames(names: Set<string>, template: string): void {
  for (const name of compileFormat(template).keys) names.add(name);
}

/** As in Keystone, an unscoped token counts as one for a project. */
export function scopeTypeOf({ scope }: Credentials): ScopeType {
  return scope.kind === "unscoped" ? "project" : scope.kind;
}

/** The rule and all that it refers to, directly or not. */
export function usedRules(name: string, rules: ReadonlyMap<string, PolicyRule>): Set<string> {
  const used = new Set([name]);
  for (const each of used)
    visitRule(rules.get(each) ?? { kind: "deny" }, (part) => {
      if (part.kind === "rule") used.add(part.name);
    });
  return used;
}
