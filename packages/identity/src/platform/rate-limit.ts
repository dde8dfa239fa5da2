/** Rate limits: a bucket of tokens for each key. An event takes one; they come back with time. */
import { isIPv6 } from "node:net";

import type { Clock, Moment } from "./clock.js";

/** How much is allowed. */
export interface RateLimit {
  /** How many attempts may come at once; from 1 up. */
  readonly burst: number;
  /** How many come back each second; above 0. */
  readonly perSecond: number;
}

export type RateVerdict =
  | { readonly isAllowed: true }
  /** How long, in whole seconds from 1 up, until an attempt is allowed: for the header Retry-After. */
  | { readonly isAllowed: false; readonly retryAfterSeconds: number };

/** Where the tokens of many keys are kept: in this process, or where several replicas share them. */
export interface TokenBuckets {
  take(key: string): RateVerdict | Promise<RateVerdict>;
}

/** Buckets that answer at once. */
export interface MemoryBuckets extends TokenBuckets {
  take(key: string): RateVerdict;
  /** How many keys are remembered. */
  readonly size: number;
}

export interface MemoryBucketsOptions extends RateLimit {
  readonly clock: Clock;
  /** How many keys are remembered; when there are more, the one longest unused is forgotten, as if it had never been there. */
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
 * @throws {RangeError} The limit allows nothing.
 */
export function createMemoryBuckets({
  burst,
  perSecond,
  clock,
  maxKeys,
}: MemoryBucketsOptions): MemoryBuckets {
  if (!(burst >= 1 && perSecond > 0))
    throw new RangeError(`A limit of ${burst} at once and ${perSecond} per second allows nothing`);
  /** In the order of their last use, as a map has what is put in anew. A full bucket is one that isn't there. */
  const buckets = new Map<string, Bucket>();

  function tokensOf(key: string, now: Moment): number {
    const { tokens, at } = buckets.get(key) ?? { tokens: burst, at: now };
    // A clock that was set back gives nothing, and takes nothing.
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
 * The network that an attempt counts for: an address in IPv4, or the /56 of one in IPv6, which is what a provider gives to one
 * customer (RFC 6177). An IPv4 address that is embedded in one of IPv6 (`::ffff:0:0/96`, `64:ff9b::/96`) is that address.
 */
export function networkOf(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (mapped !== undefined || !isIPv6(address)) return mapped ?? address;
  const groups = groupsOf(address);
  // RFC 6052: how clients with IPv4 look where the service is reached by IPv6 alone.
  if (groups.slice(0, 6).join(":") === "64:ff9b:0:0:0:0")
    return groups
      .slice(6)
      .flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff])
      .join(".");
  const fourth = (Number.parseInt(groups[3] ?? "0", 16) & 0xff00).toString(16);
  return `${groups.slice(0, 3).join(":")}:${fourth}::/56`;
}

/** The eight groups of an address in IPv6, without leading zeros. */
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
    // An address in IPv4 at the end stands for two groups.
    const [a = 0, b = 0, c = 0, d = 0] = group.split(".").map(Number);
    return [((a << 8) | b).toString(16), ((c << 8) | d).toString(16)];
  });
}
