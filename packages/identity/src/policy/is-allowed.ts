/** The one check of permissions. */
import type { Credentials, PolicyTarget } from "./credentials.js";
import { POLICY_TABLE, type Permission } from "./policy-table.js";

/** Something that may be allowed or not. */
export type Action = keyof typeof POLICY_TABLE;

/**
 * Whether somebody may do something to something.
 *
 * @param target What the action is about; nothing in particular when left out, which grants no one a right to their own.
 */
export function isAllowed(action: Action, credentials: Credentials, target: PolicyTarget = {}): boolean {
  const { isForCloud, allowed }: Permission = POLICY_TABLE[action];
  // A token without a scope passes here: it has no roles, so that only what needs none is open to it.
  if (isForCloud && credentials.scope.kind === "domain") return false;
  return allowed.some((isPersona) => isPersona(credentials, target));
}
