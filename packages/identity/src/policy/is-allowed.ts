/** The policy check: whether the policy table allows an action. */
import type { Credentials, PolicyTarget } from "./caller.js";
import { OWN_POLICY_TABLE, POLICY_TABLE, type Permission } from "./policy-table.js";

/** A policy action, such as `identity:create_region`. */
export type Action = keyof typeof POLICY_TABLE | keyof typeof OWN_POLICY_TABLE;

/** An action to check against the caller's credentials. */
export interface AccessCheck {
  readonly action: Action;
  readonly target?: PolicyTarget;
}

/** By action. */
export const PERMISSIONS: Readonly<Record<Action, Permission>> = { ...POLICY_TABLE, ...OWN_POLICY_TABLE };

export function isAction(name: string): name is Action {
  return Object.hasOwn(PERMISSIONS, name);
}

/** Actions that give a user what outlives the token. */
const FOR_STORED_USERS: ReadonlySet<Action> = new Set<Action>([
  "identity:create_application_credential",
  "identity:create_trust",
  "identity:authorize_request_token",
  "identity:create_credential",
  "identity:ec2_create_credential",
]);

/** @param target The target of the action. Without one, rules that depend on a target grant nothing. */
export function isAllowed(action: Action, credentials: Credentials, target: PolicyTarget = {}): boolean {
  const { isForCloud, allowed } = PERMISSIONS[action];
  // An unscoped token passes here: it has no roles, so only actions without a role requirement are allowed.
  if (isForCloud && credentials.scope.kind === "domain") return false;
  if (wouldOutliveToken(action, credentials, target)) return false;
  return allowed.some((isPersona) => isPersona(credentials, target));
}

/** Whether an unstored user would get what outlives the token: no rule allows that. */
export function wouldOutliveToken(
  action: Action,
  { isUnstored, userId }: Credentials,
  { user }: PolicyTarget,
): boolean {
  const isForOther = user !== undefined && user.id !== userId;
  return isUnstored === true && FOR_STORED_USERS.has(action) && !isForOther;
}
