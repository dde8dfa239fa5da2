/** Reads the accounts of password logins. */
import type { Queries } from "../platform/database/database.js";
import { findDomainId } from "../projects/project-store.js";
import type { ExactReference, QualifiedReference } from "../platform/references.js";
import { revocationPosition } from "../policy/revocation-position.js";
import type { LoginFailures } from "../passwords/password-rules.js";
import { currentPasswordNumber } from "../passwords/password-store.js";
import { selectUsers, toUser, type User } from "./user-store.js";

/** The user whom a login names. */
export type LoginName = QualifiedReference;

/** A user and the state that decides a password login. */
export interface Account {
  /** As stored: inactivity is not checked. */
  readonly user: User;
  /** `undefined` if the user never had a password. */
  readonly hash: string | undefined;
  /** Changes with the password, but not with another hash of the same password. */
  readonly passwordNumber: number | null;
  readonly isDomainEnabled: boolean;
  readonly failures: LoginFailures;
  /** The revocation position of the same snapshot. */
  readonly position: number;
}

/**
 * Looks up the domain of a name. The result of an unknown domain has an empty domain id, so that the same queries run whether the
 * user exists or not.
 */
export async function exactName(queries: Queries, name: LoginName): Promise<ExactReference> {
  if ("id" in name) return name;
  const { domain } = name;
  const domainId = "id" in domain ? domain.id : await findDomainId(queries, domain.name);
  return { name: name.name, domainId: domainId ?? "" };
}

export async function findAccount(queries: Queries, name: ExactReference): Promise<Account | undefined> {
  const select = selectUsers(queries)
    .leftJoin("user_password as password", (join) =>
      join
        .onRef("password.user_id", "=", "user.id")
        .on((eb) => eb("password.number", "=", currentPasswordNumber(eb.ref("user.id")))),
    )
    .innerJoin("project as domain", "domain.id", "user.domain_id")
    .select(["password.hash as password_hash", "password.number as password_number"])
    .select(["domain.enabled as domain_enabled", revocationPosition().as("position")]);
  const named =
    "id" in name
      ? select.where("user.id", "=", name.id)
      : select
          .where("user.name", "=", name.name)
          .where("user.domain_id", "=", name.domainId)
          .where("user.is_federated", "=", false);
  const row = await named.executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    user: toUser(row),
    hash: row.password_hash ?? undefined,
    passwordNumber: row.password_number,
    isDomainEnabled: row.domain_enabled,
    failures: { count: row.failed_logins, lastAt: row.last_failed_at },
    position: row.position,
  };
}
