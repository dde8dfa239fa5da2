/** What a login asks of the database, in one question. */
import type { Queries } from "../platform/database/database.js";
import type { LoginFailures } from "./password-rules.js";
import { selectUsers, toUser, type User } from "./user-store.js";

/** Whom somebody says to be. */
export type LoginName =
  | { readonly id: string }
  | { readonly name: string; readonly domain: { readonly id: string } | { readonly name: string } };

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
}

export async function findAccount(queries: Queries, who: LoginName): Promise<Account | undefined> {
  let select = selectUsers(queries)
    .innerJoin("project as domain", "domain.id", "user.domain_id")
    .select(["password.hash as password_hash", "password.number as password_number"])
    .select("domain.enabled as domain_enabled");
  if ("id" in who) select = select.where("user.id", "=", who.id);
  else {
    select = select.where("user.name", "=", who.name).where("user.is_federated", "=", false);
    select =
      "id" in who.domain
        ? select.where("domain.id", "=", who.domain.id)
        : select.where("domain.name", "=", who.domain.name).where("domain.is_domain", "=", true);
  }
  const row = await select.executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    user: toUser(row),
    hash: row.password_hash ?? undefined,
    passwordNumber: row.password_number,
    isDomainEnabled: row.domain_enabled,
    failures: { count: row.failed_logins, lastAt: row.last_failed_at },
  };
}
