/** What a login asks of the database. */
import type { Queries } from "../platform/database/database.js";
import { revocationPosition } from "../policy/revocation-position.js";
import type { LoginFailures } from "../passwords/password-rules.js";
import { selectUsers, toUser, type User } from "./user-store.js";

/** Whom somebody says to be. */
export type LoginName =
  | { readonly id: string }
  | { readonly name: string; readonly domain: { readonly id: string } | { readonly name: string } };

/** The same with the domain's id, which is empty where there is no such domain: one account has one such name, and an id. */
export type ExactLoginName = { readonly id: string } | { readonly name: string; readonly domainId: string };

/** A user, and what decides about a login as one. */
export interface Account {
  /** As stored: inactivity is not looked at. */
  readonly user: User;
  /** `undefined` where the user never had a password. */
  readonly hash: string | undefined;
  /** Another one as soon as the user gets another password, and the same for another hash of the same one. */
  readonly passwordNumber: number | null;
  readonly isDomainEnabled: boolean;
  readonly failures: LoginFailures;
  /** The revocation position at which all of this was so. */
  readonly position: number;
}

interface Tables {
  readonly project: { id: string; name: string; is_domain: boolean };
}

/** Asks the same questions whether there is such a user or not. */
export async function exactName(queries: Queries, who: LoginName): Promise<ExactLoginName> {
  if ("id" in who) return who;
  const { name, domain } = who;
  if ("id" in domain) return { name, domainId: domain.id };
  const found = await queries
    .tables<Tables>()
    .selectFrom("project")
    .select("id")
    .where("name", "=", domain.name)
    .where("is_domain", "=", true)
    .executeTakeFirst();
  return { name, domainId: found?.id ?? "" };
}

export async function findAccount(queries: Queries, who: ExactLoginName): Promise<Account | undefined> {
  const select = selectUsers(queries)
    .innerJoin("project as domain", "domain.id", "user.domain_id")
    .select(["password.hash as password_hash", "password.number as password_number"])
    .select(["domain.enabled as domain_enabled", revocationPosition().as("position")]);
  const named =
    "id" in who
      ? select.where("user.id", "=", who.id)
      : select
          .where("user.name", "=", who.name)
          .where("user.domain_id", "=", who.domainId)
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
