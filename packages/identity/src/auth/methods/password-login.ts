/**
 * Login by password.
 *
 * An attacker learns only whether a password is right: an unknown user takes as long as a known one, and the account's state is
 * checked after the password. Usually this is two or three queries and no write.
 */
import type { Platform } from "../../area.js";
import { afterFailedLogin, lockedUntil, NO_FAILURES, isInactive } from "../../passwords/account-lockout.js";
import { PasswordExpiredError } from "../../passwords/password-errors.js";
import type { PasswordHasher, PasswordVerdict } from "../../passwords/password-hash.js";
import { isExpired, type PasswordRules } from "../../passwords/password-rules.js";
import { replaceHash } from "../../passwords/password-store.js";
import { isImportUnfinished } from "../../passwords/unfinished-import-store.js";
import { isSameDay, type Moment } from "../../platform/clock.js";
import { BusyError } from "../../platform/concurrency/bounded-queue.js";
import { createKeyedQueue } from "../../platform/concurrency/keyed-queue.js";
import type { ExactReference } from "../../platform/database/domain-scoped-names.js";
import type { UnauthorizedError } from "../../platform/errors.js";
import type { LoginEvent } from "../../platform/events.js";
import { LOGIN_REASONS, type LoginReason } from "../../platform/login-reasons.js";
import type { AttemptResult } from "../../platform/login-throttling/admission.js";
import type { LoginThrottle } from "../../platform/login-throttling/login-throttle.js";
import { exactName, findAccount, type Account, type LoginName } from "../../users/account-store.js";
import { findFailures, setFailures, setLastActive, type User } from "../../users/user-store.js";
import { FailedLoginError, MissingPartError } from "../auth-errors.js";
import type { AuthMethod } from "../auth-methods.js";
import { readNamed } from "../login-request.js";

export interface PasswordLoginDeps extends Pick<Platform, "database" | "clock" | "publish"> {
  readonly hasher: PasswordHasher;
  readonly rules: PasswordRules;
  /** Throws if the domain's users are in a directory. */
  readonly requireSqlDriver: (domainId: string) => Promise<void>;
  /** Finds the user in the directory of a domain; `undefined` if the database has it. None, if left out. */
  readonly directories?: LoginDirectories | undefined;
  /** Left out if logins are not limited. */
  readonly throttle: Pick<LoginThrottle, "admitPassword"> | undefined;
}

export interface LoginDirectories {
  /** @param admit Called before a directory is asked. */
  findLogin(reference: ExactReference, admit: () => Promise<void>): Promise<DirectoryLogin | undefined>;
}

/** A login that a directory decides. */
interface DirectoryLogin {
  readonly domainId: string;
  /** `undefined` if the directory has no such user. */
  readonly userId: string | undefined;
  isPassword(password: string): Promise<boolean>;
  /** Takes as long. */
  refuse(): Promise<false>;
}

export interface PasswordCredentials {
  readonly user: LoginName;
  readonly password: string;
  /** The client's address. */
  readonly address: string;
}

/** Why a login was rejected; for the log, and {@link refusalOf}. */
export type RefusedReason =
  | Extract<LoginReason, "user-unknown" | "domain-unknown" | "password-wrong" | "password-not-set">
  | AccountFault;

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
  const { database, hasher, rules, clock, requireSqlDriver, throttle, directories, publish } = deps;
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
  async function countFailure(account: Account | undefined, reason: RefusedReason): Promise<RefusedReason> {
    if (!countsFailures) return reason;
    const exceptions = account?.user.options ?? {};
    return database.transaction(
      async (transaction) => {
        const userId = account?.user.id ?? "";
        const failures = (await findFailures(transaction, userId)) ?? NO_FAILURES;
        const now = clock.now();
        if (lockedUntil(rules, failures, { now, exceptions }) !== null) return "user-locked";
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
    const isFirstToday = !isSameDay(user.lastActiveAt, now);
    if (newHash === undefined && !hasFailures && !isFirstToday) return;
    const isForLists = newHash === undefined && !hasFailures && rules.inactiveDays === undefined;
    const recorded = database.transaction(
      async (transaction) => {
        if (newHash !== undefined && hash !== undefined)
          await replaceHash(transaction, user.id, { from: hash, to: newHash });
        if (hasFailures) await setFailures(transaction, user.id, NO_FAILURES);
        if (isFirstToday) await setLastActive(transaction, user.id, now);
      },
      { changes: [] },
    );
    // Lists of users show the day: that is no reason to refuse logins while the database accepts no writes.
    await (isForLists ? recorded.catch(() => undefined) : recorded);
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

  /** As the hasher does, by one bind. A locked account is not passed on: the directory would count the attempt too. */
  async function verifyInDirectory(
    directory: DirectoryLogin,
    account: Account | undefined,
    password: string,
  ): Promise<PasswordVerdict> {
    // Many servers accept an empty password for any user.
    if (password === "") return { matches: false, needsRehash: false };
    const isLocked =
      account !== undefined &&
      lockedUntil(rules, account.failures, { now: clock.now(), exceptions: account.user.options }) !== null;
    const matches = await (isLocked ? directory.refuse() : directory.isPassword(password));
    return { matches, needsRehash: false };
  }

  async function check(
    account: Account | undefined,
    {
      password,
      isInDomain,
      directory,
    }: {
      readonly password: string;
      readonly isInDomain: boolean;
      readonly directory: DirectoryLogin | undefined;
    },
  ): Promise<LoginOutcome> {
    const verdict = await (directory === undefined
      ? hasher.verify(password, account?.hash)
      : verifyInDirectory(directory, account, password));
    const current = account !== undefined && verdict.matches ? await afterCheck(account) : undefined;
    // Who is inactive is decided where the passwords are.
    const checked = current && directory !== undefined ? ignoringInactivity(current) : current;
    if (checked === undefined) {
      const isInDirectory = directory !== undefined;
      const reason = await countFailure(account, failureOf(account, { isInDomain, isInDirectory }));
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
      const directory = await directories?.findLogin(name, async () => {
        // Who is refused costs a directory nothing.
        const row = await findAccount(database, name);
        (await throttle?.admitPassword({ ...attemptAt(name, row), address }))?.end("unknown");
      });
      const id = directory?.userId;
      const account =
        directory === undefined || id !== undefined
          ? await findAccount(database, id === undefined ? name : { id })
          : undefined;
      await requireSqlDriver(account?.user.domainId ?? ("id" in name ? "" : name.domainId));
      const attempt = attemptAt(name, account);
      const isInDomain = "id" in name || name.domainId !== "";
      const admission = await throttle?.admitPassword({
        ...attempt,
        address,
        directory: directory?.domainId,
      });
      let result: AttemptResult = "unknown";
      try {
        const outcome = await inTurn(attempt.account, () =>
          check(account, { password, isInDomain, directory }),
        );
        // A locked or disabled account counts as failed too: otherwise the limits would reveal the right password.
        result = outcome.kind === "refused" ? "failed" : "succeeded";
        const event = eventOf(outcome, name, account);
        if (event !== undefined) await publish(event);
        return outcome;
      } finally {
        admission?.end(result);
      }
    },
  };
}

/** As in Keystone, none for an account or a domain that is disabled. */
function eventOf(
  outcome: LoginOutcome,
  name: ExactReference,
  account: Account | undefined,
): LoginEvent | undefined {
  const user =
    account === undefined
      ? "id" in name
        ? { id: name.id }
        : { domainId: name.domainId }
      : { id: account.user.id, name: account.user.name };
  if (outcome.kind === "ok") return { login: "password", outcome: "success", user };
  const isEnabled = account === undefined || (account.isDomainEnabled && account.user.enabled);
  const reason = outcome.kind === "expired" ? "expired" : outcome.reason;
  if (!isEnabled || reason === "user-inactive" || reason === "domain-unknown") return undefined;
  const text = EVENT_REASONS[reason]?.("id" in user ? user.id : undefined);
  return { login: "password", outcome: "failure", user, ...(text !== undefined && { reason: text }) };
}

/** Keystone's reasons; a wrong password has none. */
const EVENT_REASONS: Readonly<
  Partial<Record<RefusedReason | "expired", (userId: string | undefined) => LoginEvent["reason"]>>
> = {
  expired: (id) => ({
    text: `The password is expired and needs to be changed for user: ${id}.`,
    code: "401",
  }),
  "user-locked": (id) => ({ text: `The account is locked for user: ${id}.`, code: "401" }),
  "user-unknown": (id) => ({ text: `Could not find user${id === undefined ? "" : `: ${id}`}.`, code: "404" }),
};

/** The error of a failed login: only a client that knows an expired password learns the reason. */
export function refusalOf(outcome: Exclude<LoginOutcome, { kind: "ok" }>): UnauthorizedError {
  if (outcome.kind === "expired") return new PasswordExpiredError(outcome.user.id);
  return failedLogin(outcome.reason, outcome.userId);
}

export function failedLogin(reason: LoginReason, userId: string | undefined): FailedLoginError {
  const detail = `login refused: ${LOGIN_REASONS[reason]} ${userId ?? ""}`.trimEnd();
  return new FailedLoginError(reason, { detail, userId });
}

function ignoringInactivity(account: Account): Account {
  const { user } = account;
  return { ...account, user: { ...user, options: { ...user.options, ignore_user_inactivity: true } } };
}

/** One key for each account, by whichever name. */
function attemptAt(name: ExactReference, account: Account | undefined) {
  const userId = account?.user.id;
  return { account: userId ?? JSON.stringify(name), userId };
}

function failureOf(
  account: Account | undefined,
  { isInDomain, isInDirectory }: { readonly isInDomain: boolean; readonly isInDirectory: boolean },
): RefusedReason {
  if (account !== undefined)
    return account.hash === undefined && !isInDirectory ? "password-not-set" : "password-wrong";
  return isInDomain ? "user-unknown" : "domain-unknown";
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
      if (password === undefined) throw new FailedLoginError("password-missing");
      const outcome = await passwordLogin.login({ user, password, address });
      if (outcome.kind !== "ok") throw refusalOf(outcome);
      const { position } = outcome;
      return { userId: outcome.user.id, methods: ["password"], position, isUserChecked: true };
    },
  };
}

type AccountFault = Extract<
  LoginReason,
  "user-locked" | "user-disabled" | "user-inactive" | "user-domain-disabled"
>;

/** `undefined` if the account may log in. */
export function accountFault(
  { user, isDomainEnabled, failures }: Account,
  rules: PasswordRules,
  now: Moment,
): AccountFault | undefined {
  const exceptions = user.options;
  if (lockedUntil(rules, failures, { now, exceptions }) !== null) return "user-locked";
  if (!isDomainEnabled) return "user-domain-disabled";
  if (!user.enabled) return "user-disabled";
  return isInactive(rules, user, { now, exceptions }) ? "user-inactive" : undefined;
}
