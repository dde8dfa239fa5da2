/**
 * Limits on failed logins, for passwords and for each identity provider.
 *
 * A password attempt counts for its account and network together, for its account, and for its network. After a good login
 * its account and network know each other: then it counts for a limit of that pair alone, so that what others do, elsewhere or to
 * other accounts, never refuses it. Users of a dashboard share its address: there an attempt counts for its account alone.
 */
import { TooManyError } from "../errors.js";
import { networkOf } from "../rate-limit.js";
import {
  isRefusal,
  type Admission,
  type Admissions,
  type Counter,
  type Plan,
  type Refusal,
} from "./admission.js";
import type { FailureLimit } from "./failure-limit.js";
import type { HashKey } from "./hash-key.js";
import type { SharedExpiries } from "./shared-expiries.js";

export interface LoginLimits {
  /** Of an account from one network. */
  readonly pair: FailureLimit;
  /** Of an account from all networks where no good login came from. */
  readonly account: FailureLimit;
  /** Of a network, for all accounts that did not log in from there. */
  readonly network: FailureLimit;
  /** Of an account from a network that a good login came from. */
  readonly known: FailureLimit;
  /** Of an identity provider from one network. */
  readonly provider: FailureLimit;
  /** How long a good login makes account and network known to each other. */
  readonly knownMs: number;
  /** Whether an address is that of a dashboard. */
  readonly isDashboard: (address: string) => boolean;
  /** Password attempts in flight: of known pairs, and of others. */
  readonly maxInFlight: number;
  /** Attempts that wait: of known pairs, of others, and of identity providers. */
  readonly maxWaiting: number;
}

/** Who wants to log in. */
export interface PasswordAttempt {
  /** Whatever names the account; the same text for every way to name it. */
  readonly account: string;
  /** For the log; `undefined` where the account does not exist. */
  readonly userId: string | undefined;
  /** Where it comes from: `clientAddress`. */
  readonly address: string;
}

export interface FederatedAttempt {
  readonly providerId: string;
  readonly address: string;
}

/** A refusal as it is reported. */
export interface LoginRefusal extends Refusal {
  /** The account or the provider; `undefined` where the account does not exist. */
  readonly subject: string | undefined;
  readonly network: string;
}

export interface LoginLimiter {
  /** @throws {TooManyError} */
  admitPassword(attempt: PasswordAttempt): Promise<Admission>;
  /** @throws {TooManyError} */
  admitFederated(attempt: FederatedAttempt): Promise<Admission>;
}

export interface LoginLimiterDeps {
  readonly limits: LoginLimits;
  /** Pairs of account and network that a good login came from. */
  readonly knownPairs: SharedExpiries;
  readonly admissions: Admissions;
  readonly hashKey: HashKey;
  readonly onRefused: (refusal: LoginRefusal) => void;
}

const DAY_MS = 86_400_000;
/** All dashboards count as one network. */
const DASHBOARDS = "dashboards";

export function createLoginLimiter(deps: LoginLimiterDeps): LoginLimiter {
  const { limits, knownPairs, admissions, hashKey, onRefused } = deps;
  const { maxInFlight, maxWaiting } = limits;
  const knownPool = { name: "known", maxInFlight };
  const otherPool = { name: "other", maxInFlight };
  const providerPool = { name: "providers", maxInFlight: Infinity };
  /** One account takes half of the places at most. */
  const maxInFlightOfAccount = Math.ceil(maxInFlight / 2);
  const maxWaitingForAccount = Math.ceil(maxWaiting / 2);

  function plansFor(
    account: string,
    network: string,
  ): { readonly known: Plan; readonly other: Plan; readonly pair: string } {
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
        waitingRooms: [
          { key: knownPool.name, maxWaiting },
          { key: ofKnown.key, maxWaiting: maxWaitingForAccount },
        ],
      },
      other: {
        pool: otherPool,
        lane: pair,
        counters: isDashboard ? [ofAccount] : [ofPair, ofAccount, ofNetwork],
        waitingRooms: [
          { key: otherPool.name, maxWaiting },
          { key: ofAccount.key, maxWaiting: maxWaitingForAccount },
        ],
      },
    };
  }

  /** Renewed once a day, so that good logins write next to nothing. */
  function noteGoodLogin(pair: string): void {
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
    async admitPassword({ account, userId, address }) {
      const network = limits.isDashboard(address) ? DASHBOARDS : networkOf(address);
      const { known, other, pair } = plansFor(account, network);
      const result = await admissions.admit(
        () => (knownPairs.remainingMs(pair) > 0 ? known : other),
        () => noteGoodLogin(pair),
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
        waitingRooms: [{ key: providerPool.name, maxWaiting }],
      };
      return admitted(await admissions.admit(() => plan), { subject: providerId, network });
    },
  };
}
