/**
 * Records why logins were rejected, and how many logins there are: in batches, so that logins neither wait nor write.
 *
 * Anyone may cause rejections. Each network and each provider have a budget of records, and a batch and a provider a maximum: a flood
 * costs one short transaction a second, and does not displace what others did.
 */
import type { Platform } from "../../area.js";
import type { ProtocolKey } from "../../identity-providers/protocols/protocol-store.js";
import {
  IdentityProviderNotFoundError,
  ProtocolNotFoundError,
} from "../../identity-providers/identity-provider-errors.js";
import type { Moment } from "../../platform/clock.js";
import type { Queries } from "../../platform/database/database.js";
import type { ListQuery } from "../../platform/database/table.js";
import { BusyError } from "../../platform/concurrency/bounded-queue.js";
import { TooManyError } from "../../platform/errors.js";
import type { NewId } from "../../platform/ids.js";
import { LOGIN_REASONS, type LoginReason } from "../../platform/login-reasons.js";
import { createMemoryBuckets, networkOf } from "../../platform/rate-limit.js";
import { shortened } from "../../platform/text/quoted-value.js";
import type { RecordRejectedLogin, RejectedLogin } from "../../auth/rejected-logins.js";
import { type RefusalFacts, refusalFacts } from "../federation-errors.js";
import {
  addToDay,
  deleteOldRecords,
  refusedIdAt,
  refusedLoginTable,
  trimRefused,
  type LoginDay,
  type REFUSED_LOGIN_FILTERS,
  type RefusedLogin,
} from "./login-record-store.js";

/** Where a rejected login came from. */
export interface LoginSender {
  /** `undefined` where none was given to the client. */
  readonly requestId?: string | undefined;
  readonly clientAddress: string;
}

export interface LoginRecords {
  /** Counts a login whose user is proved. */
  proved(key: ProtocolKey): void;
  /** Records a rejection; not of a provider or protocol that does not exist, nor of a request that a limit rejected. */
  refused(key: ProtocolKey, sender: LoginSender, failure: unknown): void;
  /** Records the rejection of a login without a provider. */
  readonly refusedElsewhere: RecordRejectedLogin;
  /** Rejected logins, newest first. */
  list(query: ListQuery<(typeof REFUSED_LOGIN_FILTERS)[number]>): Promise<RefusedLogin[]>;
  get(id: string): Promise<RefusedLogin>;
  /** Writes what was recorded. Never rejects. */
  flush(): Promise<void>;
  /** Deletes some old records. @returns Whether there may be more. */
  purge(): Promise<boolean>;
  /** Writes the rest, and stops. */
  close(): Promise<void>;
}

export interface LoginRecordsDeps extends Pick<Platform, "database" | "clock" | "newId"> {
  /** Whether a provider exists, from a cache. */
  readonly isProvider: (id: string) => Promise<boolean>;
}

/** Rejections that are kept of each provider, and for how long. */
export const MAX_REFUSED_PER_PROVIDER = 1000;
/** Of those without a provider. */
export const MAX_REFUSED_ELSEWHERE = 5000;
const DAY_MS = 86_400_000;
const MAX_AGE_DAYS = 30;

/** Rejections of a batch: the others are only counted. */
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

export function createLoginRecords({ database, clock, newId, isProvider }: LoginRecordsDeps): LoginRecords {
  const ofProvider = createMemoryBuckets({ ...PROVIDER_BUDGET, clock, maxKeys: MAX_BUDGETS });
  const ofNetwork = createMemoryBuckets({ ...NETWORK_BUDGET, clock, maxKeys: MAX_BUDGETS });
  /** Failures that were recorded with their provider. */
  const recorded = new WeakSet();
  let refusals: RefusedLogin[] = [];
  let days = new Map<string, LoginDay>();
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  function count({ idpId, id }: ProtocolKey, kind: "proved" | "refused", now: Moment): void {
    const day = Math.floor(now / DAY_MS);
    const place = JSON.stringify([idpId, id, day]);
    const known = days.get(place) ?? emptyDay({ idpId, id }, day);
    if (!days.has(place) && days.size >= MAX_COUNTED) return;
    const isProved = kind === "proved";
    days.set(place, {
      ...known,
      [kind]: known[kind] + 1,
      ...(isProved ? { lastProvedAt: now } : { lastRefusedAt: now }),
    });
    writeSoon();
  }

  function writeSoon(): void {
    timer ??= setTimeout(() => void flush(), FLUSH_MS).unref();
  }

  /** @param idpId Empty for logins without a provider, which share the budget of one. */
  function admits(idpId: string, clientAddress: string): boolean {
    if (refusals.length >= MAX_BATCH) return false;
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

  async function write(batch: readonly RefusedLogin[], counted: readonly LoginDay[]): Promise<void> {
    const [rows, numbers] = [await ofProviders(batch), await ofProviders(counted)];
    if (rows.length + numbers.length === 0) return;
    await database.transaction(async (transaction: Queries) => {
      if (rows.length > 0) await refusedLoginTable.insertAll(transaction, rows);
      for (const idpId of new Set(rows.map((row) => row.idpId)))
        await trimRefused(
          transaction,
          idpId,
          idpId === null ? MAX_REFUSED_ELSEWHERE : MAX_REFUSED_PER_PROVIDER,
        );
      for (const day of numbers) await addToDay(transaction, day);
    }, UNCACHED);
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const [batch, counted] = [refusals, [...days.values()]];
    refusals = [];
    days = new Map();
    // One at a time. What can't be written is lost: the log has it.
    writing = writing.then(() => write(batch, counted)).catch(() => undefined);
    return writing;
  }

  return {
    proved: (key) => count(key, "proved", clock.now()),

    refused(key, sender, failure) {
      if (failure instanceof Error) recorded.add(failure);
      if (!isRecorded(failure)) return;
      const now = clock.now();
      count(key, "refused", now);
      if (admits(key.idpId, sender.clientAddress))
        refusals.push(recordOf(key, sender, refusalFacts(failure), { now, newId }));
    },

    refusedElsewhere(facts, failure) {
      if (failure instanceof Error && recorded.has(failure)) return false;
      if (!admits("", facts.address)) return true;
      refusals.push(recordElsewhere(facts, { now: clock.now(), newId }));
      writeSoon();
      return true;
    },

    list: (query) => refusedLoginTable.list(database.forLists, query),
    get: (id) => refusedLoginTable.require(database, id),
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
  return { idpId, protocolId: id, day, proved: 0, refused: 0, lastProvedAt: null, lastRefusedAt: null };
}

const UNKNOWN = { userId: null, userName: null, domain: null };

function recordElsewhere(
  { method, reason: code, detail, userId, userName, domain, address, requestId }: RejectedLogin,
  { now, newId }: { readonly now: Moment; readonly newId: NewId },
): RefusedLogin {
  return {
    id: `${refusedIdAt(now)}${newId().slice(0, 20)}`,
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
    refusedAt: now,
  };
}

function recordOf(
  { idpId, id: protocolId }: ProtocolKey,
  { requestId = "", clientAddress }: LoginSender,
  { step, reason, attributes = [] }: RefusalFacts,
  { now, newId }: { readonly now: Moment; readonly newId: NewId },
): RefusedLogin {
  return {
    id: `${refusedIdAt(now)}${newId().slice(0, 20)}`,
    ...UNKNOWN,
    idpId,
    protocolId,
    method: protocolId,
    code: "provider-login" satisfies LoginReason,
    address: clientAddress,
    requestId,
    step,
    reason: shortened(reason, MAX_REASON),
    attributes: attributes.slice(0, MAX_ATTRIBUTES).map((name) => shortened(name, MAX_NAME)),
    refusedAt: now,
  };
}
