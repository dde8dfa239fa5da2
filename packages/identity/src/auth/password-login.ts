/**
 * Login by password.
 *
 * Whoever guesses learns nothing but whether a password is right: a user who is not there takes as long as one who is, and all
 * else about an account is looked at when its password was checked. Mostly that is two or three questions to the database, and
 * nothing is written.
 */
import { BusyError } from "../platform/concurrency/bounded-queue.js";
import type { Clock } from "../platform/clock.js";
import type { Database } from "../platform/database/database.js";
import { UnauthorizedError } from "../platform/errors.js";
import { createKeyedQueue } from "../platform/concurrency/keyed-queue.js";
import type { AttemptResult } from "../platform/login-limits/admission.js";
import type { LoginLimiter } from "../platform/login-limits/login-limiter.js";
import { exactName, findAccount, type Account, type LoginName } from "../users/account-store.js";
import type { PasswordHasher, PasswordVerdict } from "../passwords/password-hash.js";
import {
  afterFailedLogin,
  isExpired,
  isInactive,
  isSameDay,
  lockedUntil,
  NO_FAILURES,
  type PasswordRules,
} from "../passwords/password-rules.js";
import { replaceHash } from "../passwords/password-store.js";
import { PasswordExpiredError } from "../users/user-errors.js";
import { findFailures, setFailures, setLastActive, type User } from "../users/user-store.js";

export interface PasswordLoginDeps {
  readonly database: Database;
  readonly hasher: PasswordHasher;
  readonly rules: PasswordRules;
  readonly clock: Clock;
  /** Left out where logins are not limited. */
  readonly limiter?: Pick<LoginLimiter, "admitPassword"> | undefined;
}

export interface LoginAttempt {
  readonly user: LoginName;
  readonly password: string;
  /** Where it comes from. */
  readonly address: string;
}

/** Why somebody was not let in; for the log, and {@link refusalOf}. */
export type RefusedReason = "unknown user" | "wrong password" | "locked" | "disabled" | "domain disabled";

export type LoginOutcome =
  /** `position`: the revocation position at which the password was the present one, and the user enabled. */
  | { readonly kind: "ok"; readonly user: User; readonly position: number }
  /** The password is right, and good for nothing but being changed. */
  | { readonly kind: "expired"; readonly user: User }
  | { readonly kind: "refused"; readonly reason: RefusedReason; readonly userId?: string };

export type PasswordLogin = ReturnType<typeof createPasswordLogin>;

/** How many logins may wait for one account. */
const MAX_WAITING = 100;

export function createPasswordLogin({ database, hasher, rules, clock, limiter }: PasswordLoginDeps) {
  const countsFailures = rules.lockoutAttempts !== undefined;
  const queue = createKeyedQueue({ maxWaiting: MAX_WAITING });

  /**
   * Where failures count, guesses at one account are checked one after the other, so that each knows of those before it. Of
   * several processes each may have one under way.
   */
  function inTurn<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    return countsFailures ? queue.run(key, work) : work();
  }

  /** Counts one more failure. Of a user who is not there too, as that takes its time. */
  async function countFailure(account: Account | undefined): Promise<RefusedReason> {
    const reason = account === undefined ? "unknown user" : "wrong password";
    if (!countsFailures) return reason;
    const exceptions = account?.user.options ?? {};
    return database.transaction(
      async (transaction) => {
        const userId = account?.user.id ?? "";
        const failures = (await findFailures(transaction, userId)) ?? NO_FAILURES;
        const now = clock.now();
        if (lockedUntil(rules, failures, { now, exceptions }) !== null) return "locked";
        await setFailures(transaction, userId, afterFailedLogin(rules, failures, now));
        return reason;
      },
      { changes: [] },
    );
  }

  /** The account as it is now: others may have guessed meanwhile. `undefined` if it has another password than the one checked. */
  async function afterCheck({ user, passwordNumber }: Account): Promise<Account | undefined> {
    const present = await findAccount(database, { id: user.id });
    return present?.passwordNumber === passwordNumber ? present : undefined;
  }

  /** What else there is to an account whose password is right. */
  function judge({ user, isDomainEnabled, failures, position }: Account): LoginOutcome {
    const refused = (reason: RefusedReason) => ({ kind: "refused", reason, userId: user.id }) as const;
    const now = clock.now();
    const exceptions = user.options;
    if (lockedUntil(rules, failures, { now, exceptions }) !== null) return refused("locked");
    if (!isDomainEnabled) return refused("domain disabled");
    if (!user.enabled || isInactive(rules, user, { now, exceptions })) return refused("disabled");
    if (isExpired(user.passwordExpiresAt, now, user.options)) return { kind: "expired", user };
    return { kind: "ok", user, position };
  }

  /** Notes what a good login leaves; mostly that is nothing. */
  async function noteLogin({ user, hash, failures }: Account, newHash: string | undefined): Promise<void> {
    const now = clock.now();
    const hasFailures = countsFailures && failures.count > 0;
    const isFirstToday = rules.inactiveDays !== undefined && !isSameDay(user.lastActiveAt, now);
    if (newHash === undefined && !hasFailures && !isFirstToday) return;
    await database.transaction(
      async (transaction) => {
        if (newHash !== undefined && hash !== undefined)
          await replaceHash(transaction, user.id, { from: hash, to: newHash });
        if (hasFailures) await setFailures(transaction, user.id, NO_FAILURES);
        if (isFirstToday) await setLastActive(transaction, user.id, now);
      },
      { changes: [] },
    );
  }

  /** A hash of our own in the place of another system's; not if there is too much to do at present. */
  async function renewedHash(
    password: string,
    { needsRehash }: PasswordVerdict,
  ): Promise<string | undefined> {
    if (!needsRehash) return undefined;
    try {
      return await hasher.hash(password);
    } catch (error) {
      if (error instanceof BusyError) return undefined;
      throw error;
    }
  }

  async function check(account: Account | undefined, password: string): Promise<LoginOutcome> {
    const verdict = await hasher.verify(password, account?.hash);
    const checked = account !== undefined && verdict.matches ? await afterCheck(account) : undefined;
    if (checked === undefined) {
      const reason = await countFailure(account);
      return { kind: "refused", reason, ...(account === undefined ? {} : { userId: account.user.id }) };
    }
    const outcome = judge(checked);
    if (outcome.kind === "ok") await noteLogin(checked, await renewedHash(password, verdict));
    return outcome;
  }

  return {
    /**
     * @throws {TooManyError} Too many failed for the account, or from the network.
     * @throws {BusyError} Too many passwords are being checked.
     */
    async login({ user: who, password, address }: LoginAttempt): Promise<LoginOutcome> {
      const name = await exactName(database, who);
      const account = await findAccount(database, name);
      // Whichever way it was named, one account is one.
      const key = account?.user.id ?? JSON.stringify(name);
      const userId = account?.user.id;
      const admission = await limiter?.admitPassword({ account: key, userId, address });
      let result: AttemptResult = "unknown";
      try {
        const outcome = await inTurn(key, () => check(account, password));
        // An account that is locked or disabled counts too, or the right password would show.
        result = outcome.kind === "refused" ? "failed" : "succeeded";
        return outcome;
      } finally {
        admission?.end(result);
      }
    },
  };
}

/** The refusal as it is answered: that a password has to be changed is told, to somebody who knows it, and nothing else. */
export function refusalOf(outcome: Exclude<LoginOutcome, { kind: "ok" }>): UnauthorizedError {
  if (outcome.kind === "expired") return new PasswordExpiredError(outcome.user.id);
  const { reason, userId = "" } = outcome;
  return new UnauthorizedError(`login refused: ${reason} ${userId}`.trimEnd());
}
