/** `/v3/policy_rules`: the rules in force, for administrators and auditors. Files change them, and nothing else. */
import { Type, type Static } from "typebox";

import type { HttpServer } from "../platform/http/http-server.js";
import { createRoutes } from "../platform/http/route.js";
import { nullable, series } from "../platform/http/validation/schema-parts.js";
import type { HeldPolicy } from "./held-policy.js";
import { rulesInForce, type RuleInForce } from "./rules-in-force.js";

const PolicyRule = Type.Object({
  name: Type.String(),
  rule: Type.String(),
  /** The rule without files; `null` for names that only files have. */
  built_in: nullable(Type.String()),
  /** File and line; `null` for a built-in rule. */
  place: nullable(Type.String()),
  /** The kinds of tokens that the action is for; `null` for all, and for rules that are no actions. */
  scopes: nullable(series(Type.String())),
  /** The rules that it refers to, directly or not. */
  uses: series(Type.String()),
  /** Whether files have the rule, or one that it refers to. */
  is_changed: Type.Boolean(),
  /** Sentences: what files allow and refuse, compared with the built-in rules. */
  opened: series(Type.String()),
  closed: series(Type.String()),
  /** Whether tokens of one domain now reach others. */
  crosses_domains: Type.Boolean(),
});

export interface PolicyRuleRoutesDeps {
  readonly policy: HeldPolicy;
  /** Why the files in force are not those that are on the disk; none if they are. */
  readonly impairments: () => readonly string[];
}

export function addPolicyRuleRoutes(server: HttpServer, { policy, impairments }: PolicyRuleRoutesDeps): void {
  createRoutes(server, "policy rules")("GET", "/v3/policy_rules", {
    access: "identity:list_policy_rules",
    summary: "Lists the rules in force, with where they are from, and what policy files open and close",
    response: Type.Object({ policy_rules: series(PolicyRule), impairments: series(Type.String()) }),
    handle: async () => ({
      policy_rules: rulesInForce(policy.current).map(ruleView),
      impairments: [...impairments()],
    }),
  });
}

function ruleView(rule: RuleInForce): Static<typeof PolicyRule> {
  const { name, text, builtIn = null, place = null, scopes = null } = rule;
  return {
    name,
    rule: text,
    built_in: builtIn,
    place,
    scopes: scopes && [...scopes],
    uses: [...rule.uses],
    is_changed: rule.isChanged,
    opened: [...rule.opened],
    closed: [...rule.closed],
    crosses_domains: rule.crossesDomains,
  };
}
