/** The passwords of users: the present one, and those before it that a new one must differ from. */
import type { Moment } from "../platform/clock.js";
import type { Queries } from "../platform/database/database.js";
import type { PasswordOrigin } from "./password-rules.js";

/** A password that a user has or had. */
export interface StoredPassword extends PasswordOrigin {
  /** The greatest of a user's is the present one. */
  readonly number: number;
  /** Empty where the user was left without a password: nothing matches that. */
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

/** All that are kept of a user's passwords, the present one last. */
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

/** Forgets the passwords from before this one. */
export async function deletePasswordsBefore(queries: Queries, userId: string, number: number): Promise<void> {
  await queries
    .tables<PasswordTables>()
    .deleteFrom("user_password")
    .where("user_id", "=", userId)
    .where("number", "<", number)
    .execute();
}

/** Puts another hash of the same password in the place of one, if that is still there. */
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
