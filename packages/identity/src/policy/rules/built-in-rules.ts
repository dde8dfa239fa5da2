/** The names of rules that files may replace or refer to without having them. */
import { isAction } from "../is-allowed.js";

/** Rules of Keystone that are no actions, and that the rules of actions refer to. */
const HELPER_RULES: ReadonlySet<string> = new Set([
  "admin_required",
  "service_role",
  "service_or_admin",
  "owner",
  "admin_or_owner",
  "token_subject",
  "admin_or_token_subject",
  "service_admin_or_token_subject",
  "domain_managed_target_role",
]);

export function isBuiltInRule(name: string): boolean {
  return HELPER_RULES.has(name) || isAction(name);
}
