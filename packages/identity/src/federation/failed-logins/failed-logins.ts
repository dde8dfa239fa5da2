/**
 * Failed logins with their reasons, and how many logins of each protocol succeed and fail: recorded in batches, so that logins neither wait nor write.
 *
 * Anyone may cause failures. Each network and each provider have a budget of records, and a batch and a provider a maximum: a flood
 * costs one short transaction a second, and does not displace what others did.
 */
import type { Platform } from "../../area.js";
import type { RecordFailedLogin, FailedLoginFacts } from "../../auth/failed-login-reports.js";
import {
  IdentityProviderNotFoundError,
  ProtocolNotFoundError,
} from "../../identity-providers/identity-provider-errors.js";
import type { ProtocolKey } from "../../identity-providers/protocols/protocol-store.js";
import { networkOf } from "../../platform/client-network.js";
import { DAY_MS, type Moment } from "../../platform/clock.js";
import { BusyError } from "../../platform/concurrency/bounded-queue.js";
import type { Queries } from "../../platform/database/database.js";
import type { ListQuery } from "../../platform/database/table.js";
import { TooManyError } from "../../platform/errors.js";
import type { NewId } from "../../platform/ids.js";
import { LOGIN_REASONS, type LoginReason } from "../../platform/login-reasons.js";
import { shortened } from "../../platform/text/quoted-value.js";
import { createMemoryBuckets } from "../../platform/token-buckets.js";
import { type RefusalFacts, refusalFacts } from "../federation-errors.js";
import {
  addToDay,
  countSince,
  deleteOldRecords,
  failedIdAt,
  failedLoginTable,
  trimFailed,
  type LoginDay,
  type FAILED_LOGIN_FILTERS,
  type FailedLogin,
} from "./failed-login-store.js";

/** Where a failed login came from. */
export interface LoginSender {
  /** `undefined` where none was given to the client. */
  readonly requestId?: string | undefined;
  readonly clientAddress: string;
  /** `undefined` where the login failed before the user was named. */
  readonly userName?: string | undefined;
}

/** How many failed logins have each code. */
export type FailureCounts = Awaited<ReturnType<typeof countSince>>;

export interface FailedLogins {
  /** Counts a login whose user is proved. */
  proved(key: ProtocolKey): void;
  /** Records a failed login; not of a provider or protocol that does not exist, nor of a request that a limit rejected. */
  failed(key: ProtocolKey, sender: LoginSender, failure: unknown): void;
  /** Records a failed login without a provider. */
  readonly failedElsewhere: RecordFailedLogin;
  /** Failed logins, newest first. */
  list(query: ListQuery<(typeof FAILED_LOGIN_FILTERS)[number]>): Promise<FailedLogin[]>;
  get(id: string): Promise<FailedLogin>;
  /** How many were recorded in the last milliseconds, by code, the most frequent first. */
  countRecent(ms: number): Promise<FailureCounts>;
  /** Writes what was recorded. Never rejects. */
  flush(): Promise<void>;
  /** Deletes some old records. @returns Whether there may be more. */
  purge(): Promise<boolean>;
  /** Writes the rest, and stops. */
  close(): Promise<void>;
}

export interface FailedLoginsDeps extends Pick<Platform, "database" | "clock" | "newId"> {
  /** Whether a provider exists, from a cache. */
  readonly isProvider: (id: string) => Promise<boolean>;
}

/** Failed logins that are kept of each provider, and for how long. */
export const MAX_FAILED_PER_PROVIDER = 1000;
/** Of those without a provider. */
export const MAX_FAILED_ELSEWHERE = 5000;
const MAX_AGE_DAYS = 30;

/** Failed logins of a batch: the others are only counted. */
const MAX_BATCH = 200;
/** Protocols whose counts a batch has. */
const MAX_COUNTED = 5000;
const FLUSH_MS = 1000;
/** Of a provider, and of a network at a provider, in each process. */
const PROVIDER_BUDGET = { burst: 120, perSecond: 2 };
const NETWORK_BUDGET = { burst: 20, perSecond: 0.2 };
const MAX_BUDGETS = 20_000;

const MAX_REASON = 1000;
const MAX_ATTRIBUTES = 100;
const MAX_NAME = 200;
/** No cache rests on these rows. */
const UNCACHED = { changes: [] } as const;

export function createFailedLogins({ database, clock, newId, isProvider }: FailedLoginsDeps): FailedLogins {
  const ofProvider = createMemoryBuckets({ ...PROVIDER_BUDGET, clock, maxKeys: MAX_BUDGETS });
  const ofNetwork = createMemoryBuckets({ ...NETWORK_BUDGET, clock, maxKeys: MAX_BUDGETS });
  /** Failures that were recorded with their provider. */
  const recorded = new WeakSet();
  let failedLogins: FailedLogin[] = [];
  let days = new Map<string, LoginDay>();
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  function count({ idpId, id }: ProtocolKey, kind: "proved" | "failed", now: Moment): void {
    const day = Math.floor(now / DAY_MS);
    const place = JSON.stringify([idpId, id, day]);
    const known = days.get(place) ?? emptyDay({ idpId, id }, day);
    if (!days.has(place) && days.size >= MAX_COUNTED) return;
    const isProved = kind === "proved";
    days.set(place, {
      ...known,
      [kind]: known[kind] + 1,
      ...(isProved ? { lastProvedAt: now } : { lastFailedAt: now }),
    });
    writeSoon();
  }

  function writeSoon(): void {
    timer ??= setTimeout(() => void flush(), FLUSH_MS).unref();
  }

  /** @param idpId Empty for logins without a provider, which share the budget of one. */
  function admits(idpId: string, clientAddress: string): boolean {
    if (failedLogins.length >= MAX_BATCH) return false;
    // The network's first: one that has used up its own does not use up the provider's.
    if (!ofNetwork.take(JSON.stringify([idpId, networkOf(clientAddress)])).isAllowed) return false;
    return ofProvider.take(idpId).isAllowed;
  }

  /** Without those of providers that do not exist. */
  async function ofProviders<Item extends { readonly idpId: string | null }>(
    items: readonly Item[],
  ): Promise<Item[]> {
    const ids = [...new Set(items.flatMap(({ idpId }) => idpId ?? []))];
    const found = await Promise.all(ids.map(async (id) => ((await isProvider(id)) ? id : undefined)));
    return items.filter(({ idpId }) => idpId === null || found.includes(idpId));
  }

  async function write(batch: readonly FailedLogin[], counted: readonly LoginDay[]): Promise<void> {
    const [rows, numbers] = [await ofProviders(batch), await ofProviders(counted)];
    if (rows.length + numbers.length === 0) return;
    await database.transaction(async (transaction: Queries) => {
      if (rows.length > 0) await failedLoginTable.insertAll(transaction, rows);
      for (const idpId of new Set(rows.map((row) => row.idpId)))
        await trimFailed(transaction, idpId, idpId === null ? MAX_FAILED_ELSEWHERE : MAX_FAILED_PER_PROVIDER);
      for (const day of numbers) await addToDay(transaction, day);
    }, UNCACHED);
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const [batch, counted] = [failedLogins, [...days.values()]];
    failedLogins = [];
    days = new Map();
    // One at a time. What can't be written is lost: the log has it.
    writing = writing.then(() => write(batch, counted)).catch(() => undefined);
    return writing;
  }

  return {
    proved: (key) => count(key, "proved", clock.now()),

    failed(key, sender, failure) {
      if (failure instanceof Error) recorded.add(failure);
      if (!isRecorded(failure)) return;
      const now = clock.now();
      count(key, "failed", now);
      if (admits(key.idpId, sender.clientAddress))
        failedLogins.push(recordOf(key, sender, refusalFacts(failure), { now, newId }));
    },

    failedElsewhere(facts, failure) {
      if (failure instanceof Error && recorded.has(failure)) return false;
      if (!admits("", facts.address)) return true;
      failedLogins.push(recordElsewhere(facts, { now: clock.now(), newId }));
      writeSoon();
      return true;
    },

    list: (query) => failedLoginTable.list(database.forLists, query),
    get: (id) => failedLoginTable.require(database, id),
    countRecent: (ms) => countSince(database, clock.now() - ms),
    flush,

    purge() {
      const before = clock.now() - MAX_AGE_DAYS * DAY_MS;
      return deleteOldRecords(database, before, Math.floor(before / DAY_MS));
    },

    close: flush,
  };
}

/** Nothing is recorded under ids that only the request names. */
const UNRECORDED = [IdentityProviderNotFoundError, ProtocolNotFoundError, TooManyError, BusyError];

function isRecorded(failure: unknown): boolean {
  return !UNRECORDED.some((kind) => failure instanceof kind);
}

function emptyDay({ idpId, id }: ProtocolKey, day: number): LoginDay {
  return { idpId, protocolId: id, day, proved: 0, failed: 0, lastProvedAt: null, lastFailedAt: null };
}

function recordElsewhere(
  { method, reason: code, detail, userId, userName, domain, address, requestId }: FailedLoginFacts,
  { now, newId }: { readonly now: Moment; readonly newId: NewId },
): FailedLogin {
  return {
    id: `${failedIdAt(now)}${newId().slice(0, 20)}`,
    idpId: null,
    protocolId: null,
    method,
    code,
    userId: userId ?? null,
    userName: userName ?? null,
    domain: domain ?? null,
    address,
    requestId,
    step: "login",
    reason: shortened(detail === "" ? LOGIN_REASONS[code] : detail, MAX_REASON),
    attributes: [],
    failedAt: now,
  };
}

function recordOf(
  { idpId, id: protocolId }: ProtocolKey,
  { requestId = "", clientAddress, userName }: LoginSender,
  { step, reason, attributes = [] }: RefusalFacts,
  { now, newId }: { readonly now: Moment; readonly newId: NewId },
): FailedLogin {
  return {
    id: `${failedIdAt(now)}${newId().slice(0, 20)}`,
    userId: null,
    userName: userName === undefined ? null : shortened(userName, MAX_NAME),
    domain: null,
    idpId,
    protocolId,
    method: protocolId,
    code: "provider-login" satisfies LoginReason,
    address: clientAddress,
    requestId,
    step,
    reason: shortened(reason, MAX_REASON),
    attributes: attributes.slice(0, MAX_ATTRIBUTES).map((name) => shortened(name, MAX_NAME)),
    failedAt: now,
  };
}
