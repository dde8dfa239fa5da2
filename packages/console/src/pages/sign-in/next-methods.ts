/** Which authentication methods a login still needs. */
import type { UnfinishedLogin } from "../../app/session.svelte.ts";

/** Methods that complete a rule, or bring it nearer; those of the rule with the fewest missing first. */
export function nextMethods({ receipt, required_auth_methods: rules }: UnfinishedLogin): readonly string[] {
  const missing = rules
    .map((rule) => rule.filter((method) => !receipt.methods.includes(method)))
    .toSorted((one, other) => one.length - other.length);
  return [...new Set(missing.flat())];
}
