/**
 * Rate limits: a bucket of tokens for each account and each address. An attempt takes one; they come back with time.
 *
 * An attempt is paid for before it is made, and gets its token back if it was good: so a thousand guesses at once are not
 * all let through, and a service that logs in properly is never slowed down.
 */
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
  /** Puts one back, for an attempt that shouldn't have cost any. */
  giveBack(key: string): void | Promise<void>;
}

/** Buckets that answer at once. */
export interface MemoryBuckets extends TokenBuckets {
  take(key: string): RateVerdict;
  giveBack(key: string): void;
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
    giveBack(key) {
      const now = clock.now();
      put(key, Math.min(burst, tokensOf(key, now) + 1), now);
    },
    get size() {
      return buckets.size;
    },
  };
}

/** Who wants to log in. */
export interface LoginAttempt {
  /** Whatever names the account; the same text for every way to name it. */
  readonly account: string;
  /** The address it comes from: {@link clientAddress}. */
  readonly address: string;
}

export interface LoginLimiter {
  /** Takes from the account and the address; from none of them if either has nothing left. */
  take(attempt: LoginAttempt): Promise<RateVerdict>;
  /** To be called when the login was good. */
  giveBack(attempt: LoginAttempt): Promise<void>;
}

/** Limits the logins of each account, from wherever, and from each address, to whatever account. */
export function createLoginLimiter(buckets: {
  readonly accounts: TokenBuckets;
  readonly addresses: TokenBuckets;
}): LoginLimiter {
  return {
    async take({ account, address }) {
      const network = networkOf(address);
      const byAddress = await buckets.addresses.take(network);
      if (!byAddress.isAllowed) return byAddress;
      const byAccount = await buckets.accounts.take(account);
      if (!byAccount.isAllowed) await buckets.addresses.giveBack(network);
      return byAccount;
    },
    async giveBack({ account, address }) {
      await buckets.accounts.giveBack(account);
      await buckets.addresses.giveBack(networkOf(address));
    },
  };
}

/** An address in IPv4, or the network of 64 bits of one in IPv6, in which a single customer has all the addresses. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (mapped !== undefined || !isIPv6(address)) return mapped ?? address;
  const [head = "", tail = ""] = address.replace(/%.*$/, "").toLowerCase().split("::");
  const before = groupsOf(head);
  const after = groupsOf(tail);
  const zeros = address.includes("::") ? 8 - before.length - after.length : 0;
  const groups = [...before, ...Array<string>(Math.max(zeros, 0)).fill("0"), ...after];
  return `${groups.slice(0, 4).join(":")}::/64`;
}

function groupsOf(text: string): string[] {
  if (text === "") return [];
  // An address in IPv4 at the end stands for two groups.
  return text
    .split(":")
    .flatMap((group) => (group.includes(".") ? [group, ""] : [group.replace(/^0+(?=.)/, "")]));
}
