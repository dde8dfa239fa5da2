/** Rate limits: a token bucket per key. */
import type { Clock, Moment } from "./clock.js";

export interface RateLimit {
  /** Size of the bucket; >= 1. */
  readonly burst: number;
  /** Tokens refilled per second; > 0. */
  readonly perSecond: number;
}

export type RateVerdict =
  | { readonly isAllowed: true }
  /** Whole seconds (>= 1) until an attempt is allowed, for the header Retry-After. */
  | { readonly isAllowed: false; readonly retryAfterSeconds: number };

/** The buckets of many keys: in this process, or shared by replicas. */
export interface TokenBuckets {
  take(key: string): RateVerdict | Promise<RateVerdict>;
}

export interface MemoryBuckets extends TokenBuckets {
  take(key: string): RateVerdict;
  readonly size: number;
}

export interface MemoryBucketsOptions extends RateLimit {
  readonly clock: Clock;
  /** Beyond this number of keys the least recently used bucket is dropped. */
  readonly maxKeys: number;
}

interface Bucket {
  readonly tokens: number;
  readonly at: Moment;
}

const ALLOWED: RateVerdict = { isAllowed: true };

/**
 * Buckets in the memory of this process.
 *
 * @throws {RangeError} `burst` is below 1, or `perSecond` is not positive.
 */
export function createMemoryBuckets({
  burst,
  perSecond,
  clock,
  maxKeys,
}: MemoryBucketsOptions): MemoryBuckets {
  if (!(burst >= 1 && perSecond > 0))
    throw new RangeError(`burst ${burst} is not at least 1, or perSecond ${perSecond} is not above 0`);
  /** In order of last use. Full buckets are not stored. */
  const buckets = new Map<string, Bucket>();

  function tokensOf(key: string, now: Moment): number {
    const { tokens, at } = buckets.get(key) ?? { tokens: burst, at: now };
    // A clock that was set back refills nothing.
    return Math.min(burst, tokens + (Math.max(0, now - at) / 1000) * perSecond);
  }

  function put(key: string, tokens: number, now: Moment): void {
    buckets.delete(key);
    if (tokens < burst) buckets.set(key, { tokens, at: now });
    if (buckets.size <= maxKeys) return;
    const [oldest] = buckets.keys();
    if (oldest !== undefined) buckets.delete(oldest);
  }

  return {
    take(key) {
      const now = clock.now();
      const tokens = tokensOf(key, now);
      put(key, tokens < 1 ? tokens : tokens - 1, now);
      if (tokens >= 1) return ALLOWED;
      return { isAllowed: false, retryAfterSeconds: Math.max(1, Math.ceil((1 - tokens) / perSecond)) };
    },
    get size() {
      return buckets.size;
    },
  };
}
