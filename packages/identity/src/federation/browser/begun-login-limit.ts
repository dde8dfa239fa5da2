/** How many logins a network may begin. */
import { networkOf } from "../../platform/client-network.js";
import type { Clock } from "../../platform/clock.js";
import { TooManyError } from "../../platform/errors.js";
import { createMemoryBuckets, type RateLimit } from "../../platform/token-buckets.js";
import type { FederatedRequest } from "../assertion-verifier.js";

/** @throws {TooManyError} The network has begun too many logins. */
export type BeginLogin = (request: Pick<FederatedRequest, "clientAddress">) => Promise<void>;

/** Of each network: an office behind one address may begin as many in a minute. Each costs a signature. */
const BEGUN_LOGINS: RateLimit = { burst: 200, perSecond: 5 };
const MAX_NETWORKS = 100_000;

/** Limits how many logins each network begins, in this process. */
export function limitBegunLogins({ isLimited, clock }: BegunLoginsOptions): BeginLogin {
  if (!isLimited) return async () => {};
  const buckets = createMemoryBuckets({ ...BEGUN_LOGINS, clock, maxKeys: MAX_NETWORKS });
  return async ({ clientAddress }) => {
    const verdict = buckets.take(networkOf(clientAddress));
    if (verdict.isAllowed) return;
    const { retryAfterSeconds } = verdict;
    throw new TooManyError("Too many logins. Please try again later.", { retryAfterSeconds });
  };
}

interface BegunLoginsOptions {
  readonly isLimited: boolean;
  readonly clock: Clock;
}
