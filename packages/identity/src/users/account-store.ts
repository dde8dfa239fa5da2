/** Reads the accounts of password logins. */
import { sql, type RawBuilder } from "kysely";

import type { LoginFailures } from "../passwords/account-lockout.js";
import { currentPasswordNumber } from "../passwords/password-store.js";
import type { Queries } from "../platform/database/database.js";
import type { ExactReference, QualifiedReference } from "../platform/database/domain-scoped-names.js";
import { findDomainId } from "../projects/project-store.js";
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

/** Users of directories, by any of their names. */
export interface AccountDirectories {
  /**
   * The reference by id, if it names a user of a directory, whose row is up to date afterwards.
   *
   * @param admit Called before a directory is asked: throws for logins that are refused anyway. Left out, if it has been called.
   */
  toRow(reference: ExactReference, admit?: () => Promise<void>): Promise<ExactReference>;
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

/**
 * The revocation position in the snapshot of the query: a counter that increases with every revocation event, in commit order.
 *
 * Data read in one snapshot with the position reflects all events up to it and none after it. A token that carries the position
 * at which its login data was read is revoked by exactly the later events, independent of the replicas' clocks.
 *
 * @see docs/decisions/0010-revocations-are-ordered-by-commits.md
 */
function revocationPosition(): RawBuilder<number> {
  return sql<number>`(select position from revocation_position)`;
}
