/** What identity providers publish (discovery documents and keys, SAML metadata), cached by the settings that name it. */
import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";

import type { Clock, Moment } from "../../platform/clock.js";
import { BusyError } from "../../platform/concurrency/bounded-queue.js";

/** A load that has not ended after this is begun again. */
const LOADING_MS = 300_000;
const MAX_PROVIDERS = 256;
/** A failed load is retried after this, however many logins ask. */
const FIRST_RETRY_MS = 5000;
/** Refreshes in the background end this long after the last login. */
const IDLE_MS = 3_600_000;
/** Logins wait this long for a first value, before they use one of another process: the metadata of a federation takes half a minute. */
const PATIENCE_MS = 2000;
/** A refresh begins after this part of a value's life, and a random part more: the processes of a service spread their requests. */
const REFRESH = { after: 0.8, jitter: 0.15 };

/** Runs work later. */
export type Schedule = (work: () => void, delayMs: number) => void;

export interface ProviderCacheOptions<Value> {
  readonly clock: Clock;
  /** The longest wait after a failed load: each further failure doubles the wait. 5 s if left out, which is the first wait. */
  readonly maxRetryMs?: number;
  /** How long a value is used before it is loaded again. */
  readonly lifeMs: (value: Value, now: Moment) => number;
  /** Until when the last good value replaces one that fails to load; the end of its life if left out. */
  readonly keptUntil?: (value: Value, loadedAt: Moment) => Moment;
  /**
   * Whether the provider did not answer: only then its last good value is used beyond its life, not if what it publishes is rejected.
   * Any failure, if left out.
   */
  readonly isOutage?: (error: unknown) => boolean;
  /** A timer if left out, which does not keep the process running. */
  readonly schedule?: Schedule;
  /** How long logins wait for a first value before they use one of another process that is still fresh; 2 s if left out. */
  readonly patienceMs?: number;
}

export interface ProviderLoad<Value> {
  /** @param isRetry Whether the last attempt failed. */
  readonly load: (isRetry: boolean) => Promise<Value>;
  /**
   * The last good value of another process, such as the one before a restart, where there is none here. Never rejects.
   *
   * @param error Why it failed to load; `undefined` while it is being loaded.
   * @returns `undefined` if none is kept.
   */
  readonly restore?: (error: unknown) => Promise<Restored<Value> | undefined>;
  /** Loads what logins would wait for, before a new value replaces one that is still good. */
  readonly prepare?: (value: Value) => Promise<void>;
  /** Reports that a value failed to load and the last good one is used. */
  readonly onStale?: (last: Loaded<Value>, error: unknown) => void;
}

export interface ProviderCache<Value> {
  /**
   * The cached value, or else what `load` returns, loaded once for concurrent logins. From then on it is refreshed in the background,
   * as long as logins come: only the first one waits, and not for long if another process has a value.
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

export interface Restored<Value> {
  readonly value: Value;
  readonly loadedAt: Moment;
}

export interface Loaded<Value> {
  readonly value: Value;
  /** The end of its life. */
  readonly freshUntil: Moment;
  /** Until when it replaces one that fails to load. */
  readonly keptUntil: Moment;
}

interface Attempt {
  /** When the next login loads the value again, and waits for it. */
  until: Moment;
  readonly refreshedAt: Moment;
  /** Failed loads in a row. */
  failures: number;
}

interface Entry<Value> extends Attempt {
  loaded: Promise<Loaded<Value>>;
  /** Of the last login. */
  loading: ProviderLoad<Value>;
  usedAt: Moment;
}

export function createProviderCache<Value>({
  clock,
  maxRetryMs = FIRST_RETRY_MS,
  lifeMs,
  keptUntil = (value, loadedAt) => loadedAt + lifeMs(value, loadedAt),
  isOutage = () => true,
  schedule = runLater,
  patienceMs = PATIENCE_MS,
}: ProviderCacheOptions<Value>): ProviderCache<Value> {
  const entries = new Map<string, Entry<Value>>();

  const toLoaded = ({ value, loadedAt }: Restored<Value>): Loaded<Value> => ({
    value,
    freshUntil: loadedAt + lifeMs(value, loadedAt),
    keptUntil: keptUntil(value, loadedAt),
  });

  /** What is used although a value failed to load: the last good one, or else that of another process. */
  async function findUsable(
    error: unknown,
    last: Loaded<Value> | undefined,
    restore: ProviderLoad<Value>["restore"],
  ): Promise<Loaded<Value> | undefined> {
    const now = clock.now();
    if (!isOutage(error))
      return last !== undefined && now < last.freshUntil
        ? { ...last, keptUntil: last.freshUntil }
        : undefined;
    if (last !== undefined && now < last.keptUntil) return last;
    const restored = await restore?.(error);
    const usable = restored && toLoaded(restored);
    return usable !== undefined && now < usable.keptUntil ? usable : undefined;
  }

  async function attemptLoad(
    attempt: Attempt,
    { load, restore, prepare, onStale }: ProviderLoad<Value>,
    before: Promise<Loaded<Value>> | undefined,
  ): Promise<Loaded<Value>> {
    const last = await before?.catch(() => undefined);
    try {
      const value = await load(attempt.failures > 0);
      const now = clock.now();
      if (last !== undefined && now < last.keptUntil) await prepare?.(value);
      attempt.until = now + lifeMs(value, now);
      attempt.failures = 0;
      return toLoaded({ value, loadedAt: now });
    } catch (error) {
      // A full queue is not the provider's failure.
      const isFailure = !(error instanceof BusyError);
      const now = clock.now();
      attempt.until = now + (isFailure ? Math.min(FIRST_RETRY_MS * 2 ** attempt.failures, maxRetryMs) : 0);
      if (isFailure) attempt.failures += 1;
      const usable = await findUsable(error, last, restore);
      if (usable === undefined) throw error;
      attempt.until = Math.min(attempt.until, usable.keptUntil);
      onStale?.(usable, error);
      return usable;
    }
  }

  /** A value that takes long to load, or one of another process that is still fresh. */
  async function orFresh(
    loaded: Promise<Loaded<Value>>,
    restore: NonNullable<ProviderLoad<Value>["restore"]>,
  ): Promise<Loaded<Value>> {
    const isSlow = await Promise.race([
      loaded.then(
        () => false,
        () => false,
      ),
      delay(patienceMs, true, { ref: false }),
    ]);
    const restored = isSlow ? await restore(undefined) : undefined;
    const other = restored && toLoaded(restored);
    return other !== undefined && clock.now() < other.freshUntil ? other : loaded;
  }

  function add(key: string, loading: ProviderLoad<Value>, wantedAt: Moment): Promise<Loaded<Value>> {
    const now = clock.now();
    const before = entries.get(key);
    const refreshedAt = Math.max(wantedAt, before?.refreshedAt ?? 0);
    const attempt = { until: now + LOADING_MS, refreshedAt, failures: before?.failures ?? 0 };
    const own = attemptLoad(attempt, loading, before?.loaded);
    const { restore } = loading;
    const loaded = before === undefined && restore !== undefined ? orFresh(own, restore) : own;
    const entry = Object.assign(attempt, { loaded, loading, usedAt: now });
    entries.delete(key);
    entries.set(key, entry);
    const [oldest] = entries.keys();
    if (entries.size > MAX_PROVIDERS && oldest !== undefined) entries.delete(oldest);
    void planRefresh(key, entry, own);
    return loaded;
  }

  /** Has a value refreshed before logins would wait for it. Where it failed to load, the next login tries again. */
  async function planRefresh(
    key: string,
    entry: Entry<Value>,
    loaded: Promise<Loaded<Value>>,
  ): Promise<void> {
    const isLoaded = await loaded.then(Boolean, () => false);
    // In place of another process's.
    entry.loaded = loaded;
    if (!isLoaded) return;
    const part = REFRESH.after + REFRESH.jitter * Math.random();
    const delayMs = Math.max((entry.until - clock.now()) * part, 1000);
    schedule(() => void refresh(key, entry), delayMs);
  }

  async function refresh(key: string, entry: Entry<Value>): Promise<void> {
    const isUsed = clock.now() < entry.usedAt + IDLE_MS;
    if (entries.get(key) !== entry || !isUsed) return;
    const last = await entry.loaded;
    // Logins use it until the new value is there.
    entry.until = Math.max(entry.until, last.keptUntil);
    const attempt = { until: 0, refreshedAt: entry.refreshedAt, failures: entry.failures };
    const loaded = attemptLoad(attempt, entry.loading, entry.loaded);
    await loaded.catch(() => undefined);
    Object.assign(entry, attempt);
    await planRefresh(key, entry, loaded);
  }

  return {
    async get(settings, loading, { discriminator = [], refreshedAt = 0 } = {}) {
      const key = JSON.stringify([settingsDigest(settings), ...discriminator]);
      const entry = entries.get(key);
      const now = clock.now();
      if (entry === undefined || entry.until <= now || entry.refreshedAt < refreshedAt)
        return (await add(key, loading, refreshedAt)).value;
      Object.assign(entry, { loading, usedAt: now });
      return (await entry.loaded).value;
    },
  };
}

function runLater(work: () => void, delayMs: number): void {
  setTimeout(work, delayMs).unref();
}

/** Settings hold up to a megabyte of metadata: each object is digested once. */
const digests = new WeakMap<object, string>();

/**
 * Tells settings apart by their content: any change of facts makes new objects of all of them.
 *
 * @returns SHA-256, in base64.
 */
export function settingsDigest(settings: object): string {
  const digest =
    digests.get(settings) ?? createHash("sha256").update(JSON.stringify(settings)).digest("base64");
  digests.set(settings, digest);
  return digest;
}
