/**
 * The method `webauthn`: the assertion of a passkey, which names its user. A challenge is accepted once.
 *
 * The account's state is checked after the signature, and an expired password has to be changed first, as with passwords: an
 * administrator who expires one has the user come back with it.
 */
import type { Platform } from "../../area.js";
import type { PasskeyService, ProvenAssertion } from "../../passkeys/passkey-service.js";
import type { AssertionResponse, Passkey } from "../../passkeys/passkey.js";
import { PasswordExpiredError } from "../../passwords/password-errors.js";
import { isExpired, type PasswordRules } from "../../passwords/password-rules.js";
import { isSameDay } from "../../platform/clock.js";
import type { LoginReason } from "../../platform/login-reasons.js";
import type { LoginThrottle } from "../../platform/login-throttling/login-throttle.js";
import { findAccount, type Account, type AccountDirectories } from "../../users/account-store.js";
import { setLastActive } from "../../users/user-store.js";
import { AssertionRequiredError, FailedLoginError } from "../auth-errors.js";
import type { AuthMethod } from "../auth-methods.js";
import { accountFault, failedLogin } from "./password-login.js";

export const PASSKEY_METHOD = "webauthn";

export interface PasskeyMethodDeps extends Pick<Platform, "database" | "clock"> {
  readonly passkeys: Pick<PasskeyService, "findByCredential" | "verify" | "useChallenge" | "recordUse">;
  readonly rules: PasswordRules;
  /** Left out if logins are not limited. */
  readonly throttle: Pick<LoginThrottle, "admitPassword"> | undefined;
  /** None, if left out. */
  readonly directories?: AccountDirectories | undefined;
}

export function createPasskeyMethod(deps: PasskeyMethodDeps): AuthMethod {
  const { database, passkeys, rules, clock, throttle, directories } = deps;

  /** @throws {FailedLoginError} */
  async function verify(
    passkey: Passkey | undefined,
    assertion: AssertionResponse,
  ): Promise<ProvenAssertion> {
    if (passkey === undefined) throw failedLogin("passkey-unknown", undefined);
    const verified = await passkeys.verify(passkey, assertion);
    if (!("fault" in verified)) return verified;
    const { userId } = passkey;
    throw new FailedLoginError(verified.reason, { detail: verified.fault, userId });
  }

  /** Why an account can't log in with a right assertion. */
  function faultOf(account: Account | undefined): LoginReason | undefined {
    return account === undefined ? "user-unknown" : accountFault(account, rules, clock.now());
  }

  /** @returns Whether the counter has risen. */
  function recordLogin({ user }: Account, id: string, verified: ProvenAssertion): Promise<boolean> {
    const at = clock.now();
    const { counter, isBackedUp } = verified;
    return database.transaction(
      async (transaction) => {
        if (!(await passkeys.recordUse(transaction, { id, counter, isBackedUp, at }))) return false;
        if (!isSameDay(user.lastActiveAt, at)) await setLastActive(transaction, user.id, at);
        return true;
      },
      { changes: [] },
    );
  }

  /** @throws {FailedLoginError} {@link PasswordExpiredError} */
  async function logIn(assertion: AssertionResponse, address: string): Promise<Account> {
    const passkey = await passkeys.findByCredential(assertion.id);
    const userId = passkey?.userId;
    // Not the counters of passwords: who knows one may not try more assertions.
    const key = `${PASSKEY_METHOD} ${userId ?? assertion.id}`;
    const admission = await throttle?.admitPassword({ account: key, userId, address });
    let result: "succeeded" | "failed" | "unknown" = "unknown";
    try {
      const verified = await verify(passkey, assertion);
      const reference = { id: userId ?? "" };
      const account = await findAccount(database, (await directories?.toRow(reference)) ?? reference);
      const fault = faultOf(account);
      if (account === undefined || fault !== undefined) throw failedLogin(fault ?? "user-unknown", userId);
      if (!(await passkeys.useChallenge(verified))) throw failedLogin("passkey-replayed", userId);
      if (!(await recordLogin(account, passkey?.id ?? "", verified)))
        throw failedLogin("passkey-counter", userId);
      result = "succeeded";
      const { user } = account;
      if (isExpired(user.passwordExpiresAt, clock.now(), user.options))
        throw new PasswordExpiredError(user.id);
      return account;
    } catch (error) {
      if (error instanceof FailedLoginError) result = "failed";
      throw error;
    } finally {
      admission?.end(result);
    }
  }

  return {
    name: PASSKEY_METHOD,
    async prove({ webauthn: section }, { address }) {
      if (section?.assertion === undefined) throw new AssertionRequiredError();
      const { user, position } = await logIn(section.assertion, address);
      return { userId: user.id, methods: [PASSKEY_METHOD], position, isUserChecked: true };
    },
  };
}
