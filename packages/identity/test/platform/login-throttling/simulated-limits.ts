/** Limits on logins in memory, at a time that the test sets: one process, or several that share through a database. */
import { generateKeySync } from "node:crypto";

import { readConfig } from "../../../src/config.js";
import { TooManyError } from "../../../src/platform/errors.js";
import { createAdmissions, type Admission } from "../../../src/platform/login-throttling/admission.js";
import {
  createHashKey,
  createLoginThrottle,
  type LoginThrottle,
  type ThrottlingLimits,
  type LoginRefusal,
} from "../../../src/platform/login-throttling/login-throttle.js";
import { readThrottlingLimits } from "../../../src/platform/login-throttling/throttling-options.js";
import { createSharedExpiries } from "../../../src/platform/login-throttling/shared-expiries.js";

export const MASTER_KEY = { key: generateKeySync("hmac", { length: 256 }) };

/** As operators have them who set nothing. */
export function limitsOf(env: Record<string, string> = {}): ThrottlingLimits {
  return readThrottlingLimits(readConfig({ HOME: "/home/ada", ...env }).failedLogins, { maxInFlight: 18 });
}

export interface SimulatedLimits {
  readonly throttle: LoginThrottle;
  readonly refusals: LoginRefusal[];
  readonly time: { now: number };
  waiting(): number;
  /** An attempt that begins, or that is refused at once or after it has waited. */
  begin(address: string, account?: string): Promise<Admission | TooManyError>;
  /** `guess` is a wrong password that was checked. */
  attempt(address: string, isGood: boolean, account?: string): Promise<"good" | "guess" | "refused">;
}

export interface SimulationOptions {
  readonly env?: Record<string, string>;
  readonly maxWaitMs?: number;
}

export function simulatedLimits({ env, maxWaitMs = 60_000 }: SimulationOptions = {}): SimulatedLimits {
  const time = { now: Date.parse("2026-11-21T12:00:00Z") };
  const clock = { now: () => time.now };
  const failures = createSharedExpiries({ merge: "sum", clock, maxKeys: 100_000 });
  const refusals: LoginRefusal[] = [];
  const admissions = createAdmissions({ failures, maxWaitMs });
  const throttle = createLoginThrottle({
    limits: limitsOf(env),
    knownPairs: createSharedExpiries({ merge: "latest", clock, maxKeys: 100_000 }),
    admissions,
    hashKey: createHashKey(MASTER_KEY),
    onRefused: (refusal) => refusals.push(refusal),
  });
  const begin = (address: string, account = "glance") => beginWith(throttle, { address, account });
  return {
    throttle,
    refusals,
    time,
    waiting: () => admissions.waiting,
    begin,
    async attempt(address, isGood, account) {
      const admission = await begin(address, account);
      if (admission instanceof TooManyError) return "refused";
      admission.end(isGood ? "succeeded" : "failed");
      return isGood ? "good" : "guess";
    },
  };
}

export async function beginWith(
  throttle: LoginThrottle,
  { address, account }: { readonly address: string; readonly account: string },
): Promise<Admission | TooManyError> {
  try {
    return await throttle.admitPassword({ account, userId: account, address });
  } catch (error) {
    if (error instanceof TooManyError) return error;
    throw error;
  }
}

/** The nth address of many networks. */
export function addressOf(network: number): string {
  return `198.${18 + (network >> 16)}.${(network >> 8) & 0xff}.${network & 0xff}`;
}
