/** Users change their own passwords by proving the current one; a token is not required. */
import type { Platform } from "../area.js";
import { hashNewPassword, storeNewPassword, type NewPasswordDeps } from "../passwords/new-password.js";
import {
  PasswordLockedError,
  PasswordRefusedError,
  PasswordTooYoungError,
  PasswordUsedBeforeError,
} from "../passwords/password-errors.js";
import type { PasswordHasher } from "../passwords/password-hash.js";
import { daysUntilChangeable, isUsedRecently } from "../passwords/password-rules.js";
import { listPasswords, type StoredPassword } from "../passwords/password-store.js";
import { UnauthorizedError } from "../platform/errors.js";
import type { RevokeTokens } from "../policy/revoke-tokens.js";
import { UserDisabledError } from "../users/user-errors.js";
import type { User } from "../users/user-store.js";
import { refusalOf, type PasswordLogin } from "./methods/password-login.js";

export interface PasswordChangeDeps extends NewPasswordDeps, Pick<Platform, "database" | "publish"> {
  readonly hasher: PasswordHasher;
  readonly login: PasswordLogin;
  /** @throws {ForbiddenError} Passwords of the domain are in a directory. */
  readonly requireWritable?: ((domainId: string) => Promise<void>) | undefined;
  readonly revokeTokens: RevokeTokens;
}

export interface PasswordChangeRequest {
  readonly from: string;
  readonly to: string;
  /** The client's address: attempts count as logins. */
  readonly address: string;
}

/** Changes a password, and revokes all tokens of the user. */
export function createPasswordChange(deps: PasswordChangeDeps) {
  const { database, hasher, rules, clock, login, revokeTokens, requireWritable } = deps;

  async function authenticate(userId: string, { from, address }: PasswordChangeRequest): Promise<User> {
    const outcome = await login.login({ user: { id: userId }, password: from, address });
    // An expired password can be changed: the only way to log in again.
    if (outcome.kind !== "refused") return outcome.user;
    const isDisabled = outcome.reason === "user-disabled" || outcome.reason === "user-inactive";
    throw isDisabled ? new UserDisabledError(userId) : refusalOf(outcome);
  }

  async function checkAllowed(password: string, history: readonly StoredPassword[]): Promise<void> {
    const current = history.at(-1);
    const daysLeft = current === undefined ? 0 : daysUntilChangeable(rules, current, clock.now());
    const { minimumAgeDays, uniqueLastCount } = rules;
    if (daysLeft > 0) throw new PasswordTooYoungError({ minimumAgeDays, daysLeft });
    const hashes = history.map(({ hash }) => hash);
    if (
      await isUsedRecently(rules, {
        password,
        history: hashes,
        verify: (given, stored) => hasher.verify(given, stored),
      })
    )
      throw new PasswordUsedBeforeError(uniqueLastCount);
  }

  /** Publishes why a password is refused, as Keystone does. */
  async function allowed<Result>(userId: string, check: () => Promise<Result>): Promise<Result> {
    try {
      return await check();
    } catch (error) {
      if (error instanceof PasswordRefusedError)
        await deps.publish({ resource: "user", operation: "updated", id: userId, refusal: error.message });
      throw error;
    }
  }

  /** @throws {UnauthorizedError} {@link PasswordRefusedError} {@link PasswordTooLongError} */
  return async (userId: string, change: PasswordChangeRequest): Promise<void> => {
    const { to } = change;
    // Before the password is checked: a concurrent change is detected by a newer entry.
    const history = await listPasswords(database, userId);
    const { options, domainId } = await authenticate(userId, change);
    await requireWritable?.(domainId);
    if (options.lock_password === true) throw new PasswordLockedError();
    const password = await allowed(userId, async () => {
      const hashed = await hashNewPassword(deps, to, { isSelfService: true });
      await checkAllowed(to, history);
      return hashed;
    });
    await database.transaction(
      async (transaction) => {
        const current = (await listPasswords(transaction, userId)).at(-1);
        if (current?.number !== history.at(-1)?.number)
          throw new UnauthorizedError("the password was changed concurrently");
        await storeNewPassword(deps, transaction, { userId, exceptions: options, ...password });
        await revokeTokens(transaction, { userId });
        transaction.publish({ resource: "user", operation: "updated", id: userId });
      },
      { changes: ["facts", "revocations"] },
    );
  };
}
