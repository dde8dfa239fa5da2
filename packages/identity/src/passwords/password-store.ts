/** Stores the current password hash of each user, and the history that a new one must differ from. */
import { sql, type Expression, type RawBuilder } from "kysely";

import type { Moment } from "../platform/clock.js";
import type { Queries } from "../platform/database/database.js";
import type { PasswordOrigin } from "./password-rules.js";

/** A current or former password. */
export interface StoredPassword extends PasswordOrigin {
  /** A user's highest number is the current password. */
  readonly number: number;
  /** Empty where the user has no password: no password matches it. */
  readonly hash: string;
  readonly expiresAt: Moment | null;
}

interface PasswordRow {
  user_id: string;
  number: number;
  hash: string;
  is_self_service: boolean;
  created_at: Moment;
  expires_at: Moment | null;
}

export interface PasswordTables {
  readonly user_password: PasswordRow;
}

/** For joins: the number of a user's current password. */
export function currentPasswordNumber(userId: Expression<string>): Expression<number> {
  return sql<number>`(select max(number) from user_password where user_id = ${userId})`;
}

/** When a user's current password expires, with microseconds; `null` if never, or without a password. */
export function exactPasswordExpiry(userId: Expression<string>): RawBuilder<Moment | null> {
  return sql<Moment | null>`(
    select cast(expires_at + coalesce(expires_micros, 0) / 1000.0 as double precision)
    from user_password where user_id = ${userId} order by number desc limit 1)`;
}

/** The same in whole milliseconds, for conditions. Read for the chosen users alone, unlike a join. */
export function currentPasswordExpiry(userId: Expression<string>): RawBuilder<Moment | null> {
  return sql<Moment | null>`(
    select expires_at from user_password where user_id = ${userId} order by number desc limit 1)`;
}

/** A user's passwords, the current one last. */
export async function listPasswords(queries: Queries, userId: string): Promise<StoredPassword[]> {
  const rows = await queries
    .tables<PasswordTables>()
    .selectFrom("user_password")
    .selectAll()
    .where("user_id", "=", userId)
    .orderBy("number")
    .execute();
  return rows.map(({ number, hash, is_self_service, created_at, expires_at }) => ({
    number,
    hash,
    isSelfService: is_self_service,
    createdAt: created_at,
    expiresAt: expires_at,
  }));
}

export async function insertPassword(
  queries: Queries,
  userId: string,
  password: StoredPassword,
): Promise<void> {
  await queries
    .tables<PasswordTables>()
    .insertInto("user_password")
    .values({
      user_id: userId,
      number: password.number,
      hash: password.hash,
      is_self_service: password.isSelfService,
      created_at: password.createdAt,
      expires_at: password.expiresAt,
    })
    .execute();
}

/** Deletes the passwords before this one. */
export async function deletePasswordsBefore(queries: Queries, userId: string, number: number): Promise<void> {
  await queries
    .tables<PasswordTables>()
    .deleteFrom("user_password")
    .where("user_id", "=", userId)
    .where("number", "<", number)
    .execute();
}

/** Has a user's current password expire at a moment. @returns Whether there is one. */
export async function expirePassword(queries: Queries, userId: string, at: Moment): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .tables<PasswordTables>()
    .updateTable("user_password")
    .set({ expires_at: at })
    .where("user_id", "=", userId)
    .where("hash", "!=", "")
    .where((eb) => eb("number", "=", currentPasswordNumber(eb.val(userId))))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Replaces a hash by a new hash of the same password, unless the password was changed concurrently. */
export async function replaceHash(
  queries: Queries,
  userId: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  await queries
    .tables<PasswordTables>()
    .updateTable("user_password")
    .set({ hash: to })
    .where("user_id", "=", userId)
    .where("hash", "=", from)
    .execute();
}
