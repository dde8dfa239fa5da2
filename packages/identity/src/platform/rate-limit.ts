/** Rate limits: a token bucket per key. */
import { isIPv6 } from "node:net";

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

/**
 * The network that an attempt is counted for: an IPv4 address, or the /56 of an IPv6 address, which providers assign to one
 * customer (RFC 6177). IPv4 addresses embedded in IPv6 (`::ffff:0:0/96`, `64:ff9b::/96`) count as IPv4.
 */
export function networkOf(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (mapped !== undefined || !isIPv6(address)) return mapped ?? address;
  const groups = groupsOf(address);
  // RFC 6052: IPv4 clients of an IPv6-only service.
  if (groups.slice(0, 6).join(":") === "64:ff9b:0:0:0:0")
    return groups
      .slice(6)
      .flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff])
      .join(".");
  const fourth = (Number.parseInt(groups[3] ?? "0", 16) & 0xff00).toString(16);
  return `${groups.slice(0, 3).join(":")}:${fourth}::/56`;
}

/** The eight groups of an IPv6 address, without leading zeros. */
function groupsOf(address: string): string[] {
  const [head = "", tail = ""] = address.replace(/%.*$/, "").toLowerCase().split("::");
  const before = partsOf(head);
  const after = partsOf(tail);
  return [...before, ...Array<string>(8 - before.length - after.length).fill("0"), ...after];
}

function partsOf(text: string): string[] {
  if (text === "") return [];
  return text.split(":").flatMap((group) => {
    if (!group.includes(".")) return group.replace(/^0+(?=.)/, "");
    // A trailing IPv4 address is two groups.
    const [a = 0, b = 0, c = 0, d = 0] = group.split(".").map(Number);
    return [((a << 8) | b).toString(16), ((c << 8) | d).toString(16)];
  });
}
