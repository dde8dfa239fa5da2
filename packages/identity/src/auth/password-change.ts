/** Users change their own passwords, which takes nothing but the present one. */
import type { Database } from "../platform/database/database.js";
import { UnauthorizedError } from "../platform/errors.js";
import type { EndTokens } from "../policy/token-ends.js";
import { hashNewPassword, storeNewPassword, type NewPasswordDeps } from "../users/new-password.js";
import type { PasswordHasher } from "../passwords/password-hash.js";
import { refusalOf, type PasswordLogin } from "./password-login.js";
import { daysUntilChangeable, isUsedRecently } from "../passwords/password-rules.js";
import { listPasswords, type StoredPassword } from "../passwords/password-store.js";
import {
  PasswordLockedError,
  PasswordTooYoungError,
  PasswordUsedBeforeError,
  UserDisabledError,
} from "../users/user-errors.js";
import type { User } from "../users/user-store.js";

export interface PasswordChangeDeps extends NewPasswordDeps {
  readonly database: Database;
  readonly hasher: PasswordHasher;
  readonly login: PasswordLogin;
  readonly endTokens: EndTokens;
}

/** From a password to another. */
export interface WantedChange {
  readonly from: string;
  readonly to: string;
  /** Where the wish comes from: whoever guesses here is limited like one who guesses at logins. */
  readonly address: string;
}

/** Makes the change, which ends all tokens of the user. */
export function createPasswordChange(deps: PasswordChangeDeps) {
  const { database, hasher, rules, clock, login, endTokens } = deps;

  async function authenticate(userId: string, { from, address }: WantedChange): Promise<User> {
    const outcome = await login.login({ user: { id: userId }, password: from, address });
    // One that is expired can be changed: that is the way back in.
    if (outcome.kind !== "refused") return outcome.user;
    throw outcome.reason === "disabled" ? new UserDisabledError(userId) : refusalOf(outcome);
  }

  async function checkAllowed(password: string, history: readonly StoredPassword[]): Promise<void> {
    const present = history.at(-1);
    const daysLeft = present === undefined ? 0 : daysUntilChangeable(rules, present, clock.now());
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

  /** @throws {UnauthorizedError} {@link PasswordRefusedError} {@link PasswordTooLongError} */
  return async (userId: string, wanted: WantedChange): Promise<void> => {
    const { to } = wanted;
    // Before the password is checked, so that it can be seen in the end whether it was the last of these.
    const history = await listPasswords(database, userId);
    const { options } = await authenticate(userId, wanted);
    if (options.lock_password === true) throw new PasswordLockedError();
    const password = await hashNewPassword(deps, to, { isSelfService: true });
    await checkAllowed(to, history);
    await database.transaction(
      async (transaction) => {
        const present = (await listPasswords(transaction, userId)).at(-1);
        if (present?.number !== history.at(-1)?.number)
          throw new UnauthorizedError("the password was changed by somebody else meanwhile");
        await storeNewPassword(deps, transaction, { userId, exceptions: options, ...password });
        await endTokens(transaction, { userId });
      },
      { changes: ["facts", "revocations"] },
    );
  };
}
