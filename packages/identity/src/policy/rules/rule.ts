/** A rule of a policy file, parsed: what must hold for a request to be allowed. */
export type PolicyRule =
  | { readonly kind: "allow" | "deny" }
  | { readonly kind: "any" | "all"; readonly of: readonly PolicyRule[] }
  | { readonly kind: "not"; readonly of: PolicyRule }
  /** The rule of that name holds: `rule:NAME`. */
  | { readonly kind: "rule"; readonly name: string }
  /** The caller has the role: `role:NAME`, whose name may be filled from the target. */
  | { readonly kind: "role"; readonly role: string }
  /** A literal or an attribute of the caller equals a text that is filled from the target: `user_id:%(user_id)s`. */
  | { readonly kind: "compare"; readonly left: string; readonly right: string }
  /** Asks another server, which this service never does. Denies. */
  | { readonly kind: "remote"; readonly url: string }
  /** What can't be read. Denies. */
  | { readonly kind: "unreadable"; readonly text: string; readonly reason: string };

/** Visits a rule and all its parts. */
export function visitRule(rule: PolicyRule, visit: (part: PolicyRule) => void): void {
  visit(rule);
  if (rule.kind === "any" || rule.kind === "all") for (const part of rule.of) visitRule(part, visit);
  if (rule.kind === "not") visitRule(rule.of, visit);
}
