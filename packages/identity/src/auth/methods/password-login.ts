/**
 * Login by password.
 *
 * An attacker learns only whether a password is right: an unknown user takes as long as a known one, and the account's state is
 * checked after the password. Usually this is two or three queries and no write.
 */
import { BusyError } from "../../platform/concurrency/bounded-queue.js";
import type { Clock } from "../../platform/clock.js";
import type { Database } from "../../platform/database/database.js";
import { UnauthorizedError } from "../../platform/errors.js";
import { createKeyedQueue } from "../../platform/concurrency/keyed-queue.js";
import type { AttemptResult } from "../../platform/login-limits/admission.js";
import type { LoginLimiter } from "../../platform/login-limits/login-limiter.js";
import { exactName, findAccount, type Account, type LoginName } from "../../users/account-store.js";
import type { PasswordHasher, PasswordVerdict } from "../../passwords/password-hash.js";
import {
  afterFailedLogin,
  isExpired,
  isSameDay,
  lockedUntil,
  NO_FAILURES,
  type PasswordRules,
} from "../../passwords/password-rules.js";
import { replaceHash } from "../../passwords/password-store.js";
import { isImportUnfinished } from "../../passwords/unfinished-import-store.js";
import { PasswordExpiredError } from "../../users/user-errors.js";
import { findFailures, setFailures, setLastActive, type User } from "../../users/user-store.js";
import { accountFault, type AccountFault } from "./account-fault.js";
import { LoginRefusedError, MissingPartError } from "../auth-errors.js";
import type { AuthMethod } from "../auth-methods.js";
import { readNamed } from "../login-request.js";

export interface PasswordLoginDeps {
  readonly database: Database;
  readonly hasher: PasswordHasher;
  readonly rules: PasswordRules;
  readonly clock: Clock;
  /** Throws if the domain's users are in a directory. */
  readonly requireSqlDriver: (domainId: string) => Promise<void>;
  /** Left out if logins are not limited. */
  readonly limiter?: Pick<LoginLimiter, "admitPassword"> | undefined;
}

export interface PasswordCredentials {
  readonly user: LoginName;
  readonly password: string;
  /** The client's address. */
  readonly address: string;
}

/** Why a login was rejected; for the log, and {@link refusalOf}. */
export type RefusedReason = "unknown user" | "wrong password" | AccountFault;

export type LoginOutcome =
  /** `position`: the revocation position at which the password was current, and the user enabled. */
  | { readonly kind: "ok"; readonly user: User; readonly position: number }
  /** The password is right, but expired: it may only be changed. */
  | { readonly kind: "expired"; readonly user: User }
  | { readonly kind: "refused"; readonly reason: RefusedReason; readonly userId?: string };

export type PasswordLogin = ReturnType<typeof createPasswordLogin>;

/** Logins that may wait per account. */
const MAX_WAITING = 100;

export function createPasswordLogin(deps: PasswordLoginDeps) {
  const { database, hasher, rules, clock, requireSqlDriver, limiter } = deps;
  const countsFailures = rules.lockoutAttempts !== undefined;
  const queue = createKeyedQueue({ maxWaiting: MAX_WAITING });

  /**
   * If failures count, attempts at one account are checked one after the other, so that each sees the failures before it; one at a
   * time per process.
   */
  function inTurn<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    return countsFailures ? queue.run(key, work) : work();
  }

  /** Counts a failure; for an unknown user too, so that it takes the same time. */
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

  /** The current account, with failures of concurrent attempts. `undefined` if it has another password than the one checked. */
  async function afterCheck({ user, passwordNumber }: Account): Promise<Account | undefined> {
    const current = await findAccount(database, { id: user.id });
    return current?.passwordNumber === passwordNumber ? current : undefined;
  }

  /** The outcome for an account whose password is right. */
  function checkState(account: Account): LoginOutcome {
    const { user, position } = account;
    const now = clock.now();
    const reason = accountFault(account, rules, now);
    if (reason !== undefined) return { kind: "refused", reason, userId: user.id };
    if (isExpired(user.passwordExpiresAt, now, user.options)) return { kind: "expired", user };
    return { kind: "ok", user, position };
  }

  /** Records a successful login; usually a no-op. */
  async function recordLogin({ user, hash, failures }: Account, newHash: string | undefined): Promise<void> {
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

  /** A new hash that replaces one of another system; none while the hasher is busy. */
  async function renewedHash(
    password: string,
    { needsRehash }: PasswordVerdict,
  ): Promise<string | undefined> {
    // During an import, hashes stay such that the other system reads them.
    if (!needsRehash || (await isImportUnfinished(database))) return undefined;
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
    const outcome = checkState(checked);
    if (outcome.kind === "ok") await recordLogin(checked, await renewedHash(password, verdict));
    return outcome;
  }

  return {
    /**
     * @throws {TooManyError} Too many failures of the account, or from the network.
     * @throws {BusyError} The queue of password checks is full.
     */
    async login({ user, password, address }: PasswordCredentials): Promise<LoginOutcome> {
      const name = await exactName(database, user);
      const account = await findAccount(database, name);
      await requireSqlDriver(account?.user.domainId ?? ("id" in name ? "" : name.domainId));
      // One key per account, by whichever name.
      const key = account?.user.id ?? JSON.stringify(name);
      const userId = account?.user.id;
      const admission = await limiter?.admitPassword({ account: key, userId, address });
      let result: AttemptResult = "unknown";
      try {
        const outcome = await inTurn(key, () => check(account, password));
        // A locked or disabled account counts as failed too: otherwise the limits would reveal the right password.
        result = outcome.kind === "refused" ? "failed" : "succeeded";
        return outcome;
      } finally {
        admission?.end(result);
      }
    },
  };
}

/** The error of a rejected login: only a client that knows an expired password learns the reason. */
export function refusalOf(outcome: Exclude<LoginOutcome, { kind: "ok" }>): UnauthorizedError {
  if (outcome.kind === "expired") return new PasswordExpiredError(outcome.user.id);
  const { reason, userId = "" } = outcome;
  return new UnauthorizedError(`login refused: ${reason} ${userId}`.trimEnd());
}

/** The method `password`. */
export function createPasswordMethod({
  passwordLogin,
}: {
  readonly passwordLogin: PasswordLogin;
}): AuthMethod {
  return {
    name: "password",
    async prove({ password: section }, { address }) {
      if (section?.user === undefined) throw new MissingPartError("user", "password");
      const user = readNamed(section.user, "identity/password/user");
      const { password } = section.user;
      if (password === undefined) throw new LoginRefusedError("the request has no password");
      const outcome = await passwordLogin.login({ user, password, address });
      if (outcome.kind !== "ok") throw refusalOf(outcome);
      const { position } = outcome;
      return { userId: outcome.user.id, methods: ["password"], position, isUserChecked: true };
    },
  };
}
