/**
 * Limits on failed logins, for passwords and per identity provider.
 *
 * A password attempt counts for its pair of account and network, for its account, and for its network. A successful login makes
 * the pair known: then attempts count for a limit of that pair alone, and failures from other networks or for other accounts
 * don't affect it. Users of a dashboard share its address: attempts from there count for the account alone.
 */
import { createHmac, hkdfSync, type KeyObject } from "node:crypto";

import { networkOf } from "../client-network.js";
import { DAY_MS } from "../clock.js";
import { TooManyError } from "../errors.js";
import type { MasterKey } from "../secrets/sealing.js";
import {
  isRefusal,
  type Admission,
  type Admissions,
  type Counter,
  type Plan,
  type Refusal,
  type FailureLimit,
} from "./admission.js";
import type { SharedExpiries } from "./shared-expiries.js";

export interface ThrottlingLimits {
  /** Per account and network. */
  readonly pair: FailureLimit;
  /** Per account, from all networks without a known pair. */
  readonly account: FailureLimit;
  /** Per network, for all accounts without a known pair. */
  readonly network: FailureLimit;
  /** Per known pair. */
  readonly known: FailureLimit;
  /** Per identity provider and network. */
  readonly provider: FailureLimit;
  /** How long a pair stays known after a successful login. */
  readonly knownMs: number;
  readonly isDashboard: (address: string) => boolean;
  /** Password attempts in flight, separately for known pairs and others, and for each directory: a slow one delays its domain alone. */
  readonly maxInFlight: number;
  /** Queued attempts, separately for known pairs, others and identity providers. */
  readonly maxWaiting: number;
}

export interface PasswordAttempt {
  /** A canonical key of the account, however the request names it. */
  readonly account: string;
  /** For the log; `undefined` if the account does not exist. */
  readonly userId: string | undefined;
  /** The client address. */
  readonly address: string;
  /** The domain whose directory checks the password; the service does, if left out. */
  readonly directory?: string | undefined;
}

export interface FederatedAttempt {
  readonly providerId: string;
  readonly address: string;
}

export interface LoginRefusal extends Refusal {
  /** The account or provider; `undefined` if the account does not exist. */
  readonly subject: string | undefined;
  readonly network: string;
}

export interface LoginThrottle {
  /** @throws {TooManyError} */
  admitPassword(attempt: PasswordAttempt): Promise<Admission>;
  /** @throws {TooManyError} */
  admitFederated(attempt: FederatedAttempt): Promise<Admission>;
}

export interface LoginThrottleDeps {
  readonly limits: ThrottlingLimits;
  /** Known pairs of account and network. */
  readonly knownPairs: SharedExpiries;
  readonly admissions: Admissions;
  readonly hashKey: HashKey;
  readonly onRefused: (refusal: LoginRefusal) => void;
}

/** All dashboards count as one network. */
const DASHBOARDS = "dashboards";

export function createLoginThrottle(deps: LoginThrottleDeps): LoginThrottle {
  const { limits, knownPairs, admissions, hashKey, onRefused } = deps;
  const { maxInFlight, maxWaiting } = limits;
  const providerPool = { name: "providers", maxInFlight: Infinity };
  /** One account may use at most half of the capacity. */
  const maxInFlightOfAccount = Math.ceil(maxInFlight / 2);
  const maxWaitingForAccount = Math.ceil(maxWaiting / 2);

  function plansFor(
    { account, directory = "" }: PasswordAttempt,
    network: string,
  ): { readonly known: Plan; readonly other: Plan; readonly pair: string } {
    const knownPool = { name: `known${directory}`, maxInFlight };
    const otherPool = { name: `other${directory}`, maxInFlight };
    const isDashboard = network === DASHBOARDS;
    const pair = hashKey("pair", account, network);
    const ofAccount: Counter = {
      name: "account",
      key: hashKey("account", account),
      limit: limits.account,
      maxInFlight: maxInFlightOfAccount,
    };
    const ofPair: Counter = { name: "account and network", key: pair, limit: limits.pair };
    const ofNetwork: Counter = { name: "network", key: hashKey("network", network), limit: limits.network };
    const ofKnown: Counter = {
      name: "known account and network",
      key: hashKey("known", account, network),
      limit: isDashboard ? limits.account : limits.known,
    };
    return {
      pair,
      known: {
        pool: knownPool,
        lane: pair,
        counters: [ofKnown],
        queueLimits: [
          { key: knownPool.name, maxWaiting },
          { key: ofKnown.key, maxWaiting: maxWaitingForAccount },
        ],
      },
      other: {
        pool: otherPool,
        lane: pair,
        counters: isDashboard ? [ofAccount] : [ofPair, ofAccount, ofNetwork],
        queueLimits: [
          { key: otherPool.name, maxWaiting },
          { key: ofAccount.key, maxWaiting: maxWaitingForAccount },
        ],
      },
    };
  }

  /** Renews a known pair at most once a day, to save writes. */
  function recordSuccess(pair: string): void {
    const { knownMs } = limits;
    if (knownMs > 0 && knownPairs.remainingMs(pair) <= knownMs - Math.min(DAY_MS, knownMs / 2))
      knownPairs.extend(pair, knownMs);
  }

  function admitted(
    result: Admission | Refusal,
    facts: Pick<LoginRefusal, "subject" | "network">,
  ): Admission {
    if (!isRefusal(result)) return result;
    onRefused({ ...result, ...facts });
    const { retryAfterSeconds } = result;
    throw new TooManyError("Too many logins. Please try again later.", { retryAfterSeconds });
  }

  return {
    async admitPassword(attempt) {
      const { userId, address } = attempt;
      const network = limits.isDashboard(address) ? DASHBOARDS : networkOf(address);
      const { known, other, pair } = plansFor(attempt, network);
      const result = await admissions.admit(
        () => (knownPairs.remainingMs(pair) > 0 ? known : other),
        () => recordSuccess(pair),
      );
      return admitted(result, { subject: userId, network });
    },
    async admitFederated({ providerId, address }) {
      const network = networkOf(address);
      const key = hashKey("provider", providerId, network);
      const plan: Plan = {
        pool: providerPool,
        lane: key,
        counters: [{ name: "provider", key, limit: limits.provider }],
        queueLimits: [{ key: providerPool.name, maxWaiting }],
      };
      return admitted(await admissions.admit(() => plan), { subject: providerId, network });
    },
  };
}

/**
 * A keyed hash as counter key: it reveals no user names, nor passwords typed in the wrong field. Deterministic across processes with
 * the same master key.
 */
type HashKey = (...parts: readonly string[]) => string;

/** Base64url characters of a digest: 132 bits. */
const LENGTH = 22;

/** @param masterKey Its key may be replaced: all processes hash with the one in force. */
export function createHashKey(masterKey: Pick<MasterKey, "key">): HashKey {
  let derived: { readonly from: KeyObject; readonly secret: Buffer } | undefined;
  function secretOf(key: KeyObject): Buffer {
    if (derived?.from !== key)
      derived = { from: key, secret: Buffer.from(hkdfSync("sha256", key, "", "login-limits", 32)) };
    return derived.secret;
  }
  return (...parts) =>
    createHmac("sha256", secretOf(masterKey.key))
      .update(JSON.stringify(parts))
      .digest("base64url")
      .slice(0, LENGTH);
}
