/** The policy check: whether the default permissions allow an action. */
import type { Credentials, PolicyTarget } from "./caller.js";
import { OWN_PERMISSIONS, DEFAULT_PERMISSIONS, type Permission } from "./default-permissions.js";

/** A policy action, such as `identity:create_region`. */
export type Action = keyof typeof DEFAULT_PERMISSIONS | keyof typeof OWN_PERMISSIONS;

/** An action to check against the caller's credentials. */
export interface AccessCheck {
  readonly action: Action;
  readonly target?: PolicyTarget;
}

/** By action. */
export const PERMISSIONS: Readonly<Record<Action, Permission>> = {
  ...DEFAULT_PERMISSIONS,
  ...OWN_PERMISSIONS,
};

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
