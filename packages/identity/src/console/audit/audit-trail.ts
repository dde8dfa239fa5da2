/**
 * The audit trail: keeps audit events in the database, so that the console shows those of all replicas.
 *
 * The log is the complete record. Events are written in batches, within a second, or before the next list of this process; a flood of
 * requests, or a database that does not answer, makes the trail lack events, which the log reports.
 */
import type { FastifyBaseLogger } from "fastify";

import type { Platform } from "../../area.js";
import { DAY_MS, type Moment } from "../../platform/clock.js";
import { within } from "../../platform/concurrency/within.js";
import { messageOf } from "../../platform/errors.js";
import { shortened } from "../../platform/text/quoted-value.js";
import type { AuditEvent, AuditSink } from "../../policy/audit.js";
import {
  deleteAuditEventsTo,
  findAuditEventBeyond,
  idPrefixOf,
  insertAuditEvents,
  listAuditEvents,
  type AuditQuery,
  type ListedAuditEvent,
  type StoredAuditEvent,
} from "./audit-event-store.js";

export interface AuditTrail {
  readonly record: AuditSink;
  list(query: AuditQuery): Promise<ListedAuditEvent[]>;
  /** Deletes some events that are too old, or too many. @returns Whether there may be more. */
  purge(): Promise<boolean>;
  /** Writes events from now on. @returns A function that writes what is left, and stops. */
  start(log: Pick<FastifyBaseLogger, "warn" | "error">): () => Promise<void>;
}

export interface AuditTrailDeps extends Pick<Platform, "database" | "clock" | "newId"> {
  /** Days for which events are kept. */
  readonly days: number;
  /** Events that are kept, whatever their age. */
  readonly maxEvents: number;
}

const WRITING_MS = 1000;
/** Events of one transaction: on SQLite no other statement runs meanwhile. */
const MAX_BATCH = 50;
/** Events that wait to be written. */
const MAX_WAITING = 10_000;
/** Of a value in a target: no id is longer, and those of the path are the client's. */
const MAX_VALUE_CHARACTERS = 255;
/** The number of events is checked after so many new ones: counting reads them all. */
const CHECKED_EVENTS = 1000;
const UNCACHED = { changes: [] } as const;

export function createAuditTrail(deps: AuditTrailDeps): AuditTrail {
  const { database, clock, newId, days, maxEvents } = deps;
  const waiting: StoredAuditEvent[] = [];
  let dropped = 0;
  let unchecked = CHECKED_EVENTS;
  let oldestKept: string | undefined;
  /** Writes what waits, while events are written. */
  let write: (() => Promise<void>) | undefined;

  async function writeBatch(): Promise<void> {
    const batch = waiting.slice(0, MAX_BATCH);
    await database.transaction((transaction) => insertAuditEvents(transaction, batch), UNCACHED);
    waiting.splice(0, batch.length);
    unchecked += batch.length;
  }

  async function writeAll(log: Pick<FastifyBaseLogger, "warn" | "error">): Promise<void> {
    try {
      while (waiting.length > 0) await writeBatch();
    } catch (error) {
      log.error({ err: error, waiting: waiting.length }, `audit trail not written: ${messageOf(error)}`);
    }
    if (dropped === 0) return;
    log.warn({ dropped }, "audit events are missing in the audit trail; the log has them");
    dropped = 0;
  }

  /** The id up to which events are deleted. */
  async function findDeletedTo(): Promise<string> {
    if (unchecked >= CHECKED_EVENTS) {
      unchecked = 0;
      oldestKept = await findAuditEventBeyond(database, maxEvents);
    }
    const tooOld = idPrefixOf(clock.now() - days * DAY_MS);
    return oldestKept === undefined || oldestKept < tooOld ? tooOld : oldestKept;
  }

  return {
    record(event) {
      if (waiting.length >= MAX_WAITING) dropped += 1;
      else waiting.push(toStored(event, { at: clock.now(), id: newId() }));
    },

    async list(query) {
      // Who looks for what was just done finds it.
      if (waiting.length > 0 && write !== undefined) await within(WRITING_MS, write()).catch(() => {});
      return listAuditEvents(database.forLists, query);
    },

    purge: async () => deleteAuditEventsTo(database, await findDeletedTo()),

    start(log) {
      let writing = Promise.resolve();
      const writeNext = () => (writing = writing.then(() => writeAll(log)));
      write = writeNext;
      const timer = setInterval(() => {
        if (waiting.length > 0 || dropped > 0) void writeNext();
      }, WRITING_MS);
      timer.unref();
      return () => {
        clearInterval(timer);
        return writeNext();
      };
    },
  };
}

function toStored(
  { action, outcome, status, user, request, from, scope, delegation, target, item, changes }: AuditEvent,
  { at, id }: { readonly at: Moment; readonly id: string },
): StoredAuditEvent {
  const shown = Object.entries(target).map(([name, value]) => [name, shortened(value, MAX_VALUE_CHARACTERS)]);
  return {
    id: `${idPrefixOf(at)}-${id}`,
    at,
    action,
    outcome,
    status,
    userId: user ?? null,
    requestId: request,
    address: from,
    details: {
      scope,
      delegation,
      target: Object.fromEntries(shown) as Record<string, string>,
      item,
      changes,
    },
  };
}
