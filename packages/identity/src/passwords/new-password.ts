/** Checks, hashes and stores new passwords of users. */
import type { Platform } from "../area.js";
import type { Queries } from "../platform/database/database.js";
import { PasswordRefusedError, PasswordTooLongError, PasswordTooWeakError } from "./password-errors.js";
import { MAX_PASSWORD_BYTES, type PasswordHasher } from "./password-hash.js";
import {
  expiryOfNewPassword,
  historyToKeep,
  isStrongEnough,
  type PasswordExceptions,
  type PasswordRules,
} from "./password-rules.js";
import {
  deletePasswordsBefore,
  insertPassword,
  listPasswords,
  type StoredPassword,
} from "./password-store.js";

export interface NewPasswordDeps extends Pick<Platform, "clock"> {
  readonly hasher: Pick<PasswordHasher, "hash">;
  readonly rules: PasswordRules;
}

/** The hash of a checked password. */
export interface NewPassword {
  readonly hash: string;
  /** Whether the user chose it, rather than an administrator. */
  readonly isSelfService: boolean;
}

/**
 * Checks and hashes a password.
 *
 * @param password `null` leaves the user without one.
 * @throws {PasswordRefusedError} {@link PasswordTooLongError}
 */
export async function hashNewPassword(
  { hasher, rules }: NewPasswordDeps,
  password: string | null,
  { isSelfService }: { readonly isSelfService: boolean },
): Promise<NewPassword> {
  if (password === null) {
    if (rules.pattern !== undefined)
      throw new PasswordRefusedError("Password validation error: Password must be a string type.");
    return { hash: "", isSelfService };
  }
  if (!isStrongEnough(rules, password)) throw new PasswordTooWeakError(rules.patternDescription);
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES) throw new PasswordTooLongError();
  return { hash: await hasher.hash(password), isSelfService };
}

/** Makes it the current password, and deletes those that the password history no longer needs. */
export async function storeNewPassword(
  { rules, clock }: NewPasswordDeps,
  transaction: Queries,
  { userId, exceptions, ...password }: NewPassword & { userId: string; exceptions: PasswordExceptions },
): Promise<StoredPassword> {
  const history = await listPasswords(transaction, userId);
  const origin = { createdAt: clock.now(), isSelfService: password.isSelfService };
  const stored: StoredPassword = {
    ...origin,
    number: (history.at(-1)?.number ?? 0) + 1,
    hash: password.hash,
    expiresAt: expiryOfNewPassword(rules, origin, exceptions),
  };
  const [oldest = stored] = historyToKeep(rules, history);
  await deletePasswordsBefore(transaction, userId, oldest.number);
  await insertPassword(transaction, userId, stored);
  return stored;
}
