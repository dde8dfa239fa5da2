/** Who may see which credentials, by the policy of `identity:get_credential`. */
import type { Credentials, PolicyTarget } from "../policy/credentials.js";
import { DelegationForbiddenError } from "../policy/delegation.js";
import { isAllowed } from "../policy/is-allowed.js";
import { scopeDomainId } from "../policy/personas.js";
import type { CredentialVisibility } from "./credential-store.js";

/** The users to whom credentials belong. */
export interface CredentialOwners {
  findUser(reference: {
    readonly id: string;
  }): Promise<{ readonly id: string; readonly domainId: string } | undefined>;
}

/** The owner as a policy target; none if the user does not exist. */
export async function ownerTarget(users: CredentialOwners, id: string | undefined): Promise<PolicyTarget> {
  const user = id === undefined ? undefined : await users.findUser({ id });
  return user === undefined ? {} : { user: { id: user.id, domainId: user.domainId } };
}

/** @throws {DelegationForbiddenError} A delegated token: its bearer would keep the secrets after the delegation. */
export function requireOwnToken({ delegation }: Credentials): void {
  if (delegation !== undefined)
    throw new DelegationForbiddenError("Delegated tokens cannot access credentials directly");
}

/** The credentials that a caller may list; `undefined` for none, as by a delegated token. */
export function credentialsVisibleTo(caller: Credentials): CredentialVisibility | undefined {
  if (caller.delegation !== undefined) return undefined;
  const mayGetOf = (domainId: string) =>
    isAllowed("identity:get_credential", caller, { user: { id: "", domainId } });
  const domainId = scopeDomainId(caller);
  // No domain has an empty id: a caller who may see its users' credentials may see all.
  if (mayGetOf("")) return { kind: "all" };
  const { userId } = caller;
  return domainId !== undefined && mayGetOf(domainId)
    ? { kind: "domain", domainId, userId }
    : { kind: "own", userId };
}
