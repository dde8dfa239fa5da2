/** What identity providers publish (discovery documents and keys, SAML metadata), cached by the settings that name it. */
import { createHash } from "node:crypto";

import { BusyError } from "../platform/concurrency/bounded-queue.js";
import type { Clock, Moment } from "../platform/clock.js";

/** How long a value is used before it is loaded again. */
const LIFE_MS = 300_000;
const MAX_PROVIDERS = 256;
/** A failed load is retried after this, however many logins ask. */
const FIRST_RETRY_MS = 5000;

export interface ProviderCacheOptions {
  readonly clock: Clock;
  /** The longest wait after a failed load: each further failure doubles the wait. 5 s if left out, which is the first wait. */
  readonly maxRetryMs?: number;
  /** How long the last good value replaces one that fails to load; not at all if left out. */
  readonly staleMs?: number;
}

export interface ProviderLoad<Value> {
  /** @param isRetry Whether the last attempt failed. */
  readonly load: (isRetry: boolean) => Promise<Value>;
  /** Reports that a value failed to load and the last good one is used. */
  readonly onStale?: (last: Value, error: unknown) => void;
}

export interface ProviderCache<Value> {
  /**
   * The cached value, or else what `load` returns, loaded once for concurrent logins.
   *
   * @param settings The settings that name the provider: changed settings are another entry, and apply at once.
   * @throws What `load` throws.
   */
  get(settings: object, loading: ProviderLoad<Value>, use?: ProviderCacheUse): Promise<Value>;
}

export interface ProviderCacheUse {
  /** Distinguishes entries with the same settings. */
  readonly discriminator?: readonly string[];
  /** When the protocol was last changed or refreshed: what was loaded for a smaller value is loaded again. */
  readonly refreshedAt?: Moment | undefined;
}

interface Loaded<Value> {
  readonly value: Value;
  readonly at: Moment;
}

interface Entry<Value> {
  /** When it is loaded again. */
  until: Moment;
  readonly refreshedAt: Moment;
  /** Failed loads in a row. */
  failures: number;
  loaded: Promise<Loaded<Value>>;
}

export function createProviderCache<Value>({
  clock,
  maxRetryMs = FIRST_RETRY_MS,
  staleMs = 0,
}: ProviderCacheOptions): ProviderCache<Value> {
  const entries = new Map<string, Entry<Value>>();
  const digestOf = createSettingsDigest();

  async function renew(
    entry: Pick<Entry<Value>, "until" | "failures">,
    { load, onStale }: ProviderLoad<Value>,
    before: Promise<Loaded<Value>> | undefined,
  ): Promise<Loaded<Value>> {
    try {
      const value = await load(entry.failures > 0);
      entry.failures = 0;
      return { value, at: clock.now() };
    } catch (error) {
      // A full queue is not the provider's failure.
      const isFailure = !(error instanceof BusyError);
      entry.until =
        clock.now() + (isFailure ? Math.min(FIRST_RETRY_MS * 2 ** entry.failures, maxRetryMs) : 0);
      if (isFailure) entry.failures += 1;
      const last = staleMs === 0 ? undefined : await before?.catch(() => undefined);
      if (last === undefined || clock.now() >= last.at + staleMs) throw error;
      onStale?.(last.value, error);
      return last;
    }
  }

  function add(key: string, loading: ProviderLoad<Value>, wantedAt: Moment): Promise<Loaded<Value>> {
    const before = entries.get(key);
    const refreshedAt = Math.max(wantedAt, before?.refreshedAt ?? 0);
    const schedule = { until: clock.now() + LIFE_MS, refreshedAt, failures: before?.failures ?? 0 };
    const entry = Object.assign(schedule, { loaded: renew(schedule, loading, before?.loaded) });
    entries.delete(key);
    entries.set(key, entry);
    const [oldest] = entries.keys();
    if (entries.size > MAX_PROVIDERS && oldest !== undefined) entries.delete(oldest);
    return entry.loaded;
  }

  return {
    async get(settings, loading, { discriminator = [], refreshedAt = 0 } = {}) {
      const key = JSON.stringify([digestOf(settings), ...discriminator]);
      const entry = entries.get(key);
      const isFresh = entry !== undefined && entry.until > clock.now() && entry.refreshedAt >= refreshedAt;
      return (await (isFresh ? entry.loaded : add(key, loading, refreshedAt))).value;
    },
  };
}

/** Settings hold up to a megabyte of metadata, and are the same object from login to login: each is digested once. */
function createSettingsDigest(): (settings: object) => string {
  const digests = new WeakMap<object, string>();
  return (settings) => {
    const digest =
      digests.get(settings) ?? createHash("sha256").update(JSON.stringify(settings)).digest("base64");
    digests.set(settings, digest);
    return digest;
  };
}
