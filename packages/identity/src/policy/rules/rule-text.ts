/** Rules as texts, in the language of policy files. */
import type { PolicyRule } from "./rule.js";

export function ruleText(rule: PolicyRule): string {
  return written(rule, 0);
}

/** @param binding What surrounds it: 0 nothing or "or", 1 "and", 2 "not". */
function written(rule: PolicyRule, binding: number): string {
  switch (rule.kind) {
    case "allow":
      return "@";
    case "deny":
      return "!";
    case "any":
    case "all": {
      const own = rule.kind === "any" ? 0 : 1;
      const text = rule.of.map((part) => written(part, own + 1)).join(rule.kind === "any" ? " or " : " and ");
      return binding > own ? `(${text})` : text;
    }
    case "not":
      return `not ${written(rule.of, 2)}`;
    case "rule":
      return `rule:${rule.name}`;
    case "role":
      return `role:${rule.role}`;
    case "compare":
      return `${rule.left}:${rule.right}`;
    case "remote":
      return rule.url;
    case "unreadable":
      return rule.text;
    default:
      return rule satisfies never;
  }
}
