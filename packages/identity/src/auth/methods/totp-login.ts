/** The method `totp`: a one-time code of an authenticator, whose secret is a credential of the user. A code is accepted once. */
import type { Platform } from "../../area.js";
import type { Queries } from "../../platform/database/database.js";
import type { LoginThrottle } from "../../platform/login-throttling/login-throttle.js";
import type { ExactReference } from "../../platform/database/domain-scoped-names.js";
import type { PasswordRules } from "../../passwords/password-rules.js";
import { TOTP_TYPE } from "../../credentials/credential.js";
import {
  exactName,
  findAccount,
  type Account,
  type LoginName,
  type AccountDirectories,
} from "../../users/account-store.js";
import type { LoginReason } from "../../platform/login-reasons.js";
import { accountFault, failedLogin } from "./password-login.js";
import { FailedLoginError, MissingPartError } from "../auth-errors.js";
import type { AuthMethod } from "../auth-methods.js";
import { readNamed } from "../login-request.js";
import { decodeTotpSecret, stepOfCode } from "./totp.js";

export interface TotpMethodDeps extends Pick<Platform, "clock"> {
  readonly database: Queries;
  readonly credentials: {
    listOf(userId: string, type: string): Promise<readonly { readonly id: string; readonly blob: string }[]>;
    /** Whether neither the step of these credentials nor a later one was used before. */
    useStep(ids: readonly string[], step: number): Promise<boolean>;
  };
  readonly rules: PasswordRules;
  /** Left out if logins are not limited. */
  readonly throttle: Pick<LoginThrottle, "admitPassword"> | undefined;
  /** None, if left out. */
  readonly directories?: AccountDirectories | undefined;
}

export function createTotpMethod({
  database,
  credentials,
  rules,
  clock,
  throttle,
  directories,
}: TotpMethodDeps): AuthMethod {
  /** Why the code is not accepted; `undefined` if it is. The same queries run for an unknown user. */
  async function check(account: Account | undefined, code: string): Promise<LoginReason | undefined> {
    const now = clock.now();
    const steps = new Map<number, string[]>();
    const secrets = await credentials.listOf(account?.user.id ?? "", TOTP_TYPE);
    for (const { id, blob } of secrets) {
      const secret = decodeTotpSecret(blob);
      const step = secret && stepOfCode(secret, code, now);
      if (step !== undefined) steps.set(step, [...(steps.get(step) ?? []), id]);
    }
    if (account === undefined) return "user-unknown";
    const [match] = steps;
    if (match === undefined) return secrets.length === 0 ? "code-not-set" : "code-wrong";
    const fault = accountFault(account, rules, now);
    if (fault !== undefined) return fault;
    const [step, ids] = match;
    return (await credentials.useStep(ids, step)) ? undefined : "code-replayed";
  }

  async function login(user: LoginName, code: string, address: string): Promise<Account> {
    const exact = await exactName(database, user);
    // Not the counters of passwords: a network that is known by the right password alone may not guess more codes.
    const admitted = (name: ExactReference, userId?: string) =>
      throttle?.admitPassword({ account: `${TOTP_TYPE} ${userId ?? JSON.stringify(name)}`, userId, address });
    // Who is refused costs a directory nothing.
    const admit = async () => (await admitted(exact))?.end("unknown");
    const name = (await directories?.toRow(exact, admit)) ?? exact;
    const account = await findAccount(database, name);
    const userId = account?.user.id;
    const admission = await admitted(name, userId);
    let result: "succeeded" | "failed" | "unknown" = "unknown";
    try {
      const fault = await check(account, code);
      result = fault === undefined ? "succeeded" : "failed";
      if (account === undefined || fault !== undefined) throw failedLogin(fault ?? "user-unknown", userId);
      return account;
    } finally {
      admission?.end(result);
    }
  }

  return {
    name: TOTP_TYPE,
    async prove({ totp: section }, { address }) {
      if (section?.user === undefined) throw new MissingPartError("user", TOTP_TYPE);
      const { passcode } = section.user;
      const named = readNamed(section.user, "identity/totp/user");
      if (typeof passcode !== "string") throw new FailedLoginError("code-missing");
      const { user, position } = await login(named, passcode, address);
      return { userId: user.id, methods: [TOTP_TYPE], position, isUserChecked: true };
    },
  };
}
