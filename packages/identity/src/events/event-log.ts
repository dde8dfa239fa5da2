/** Where the service publishes its events: stored in the transactions that they tell of, unless no one receives them. */
import { randomUUID } from "node:crypto";

import type { FastifyRequest } from "fastify";

import type { Config } from "../config-options.js";
import type { Clock } from "../platform/clock.js";
import type { Database, EventStore, Queries } from "../platform/database/database.js";
import type { ServiceEvent } from "../platform/events.js";
import { currentRequest } from "../platform/http/current-request.js";
import { findUser } from "../users/user-store.js";
import { eventTypeOf, initiatorOf, optOutNameOf, type NamedInitiator } from "./event-record.js";
import { insertServiceEvents, type StoredEvent } from "./event-store.js";

/** For the database, which calls it before a transaction is committed; `undefined` if no one receives events. */
export function createEventStore(
  { events: settings }: Config,
  clock: Clock,
): EventStore<FastifyRequest | undefined> | undefined {
  if (!hasReceivers(settings)) return undefined;
  const unwanted = new Set(settings.optOut);
  return {
    origin: currentRequest,
    async store(transaction, events, kind) {
      const wanted = events.filter(({ event }) => !unwanted.has(optOutNameOf(event)));
      const at = clock.now();
      const initiators = new Map<FastifyRequest | undefined, NamedInitiator | undefined>();
      const rows: StoredEvent[] = [];
      for (const { event, origin } of wanted) {
        if (!initiators.has(origin)) initiators.set(origin, await initiatorIn(transaction, origin));
        const initiator = initiators.get(origin);
        const record = { event, ...(initiator !== undefined && { initiator }) };
        rows.push({ id: randomUUID(), at, type: eventTypeOf(event), record });
      }
      if (rows.length > 0) await insertServiceEvents(transaction, rows, kind);
    },
  };
}

async function initiatorIn(
  transaction: Queries,
  request: FastifyRequest | undefined,
): Promise<NamedInitiator | undefined> {
  if (request === undefined) return undefined;
  const initiator = initiatorOf(request);
  const { userId } = initiator;
  if (userId === undefined) return initiator;
  const user = await findUser(transaction, userId);
  return user === undefined ? initiator : { ...initiator, userName: user.name };
}

/** Publishes an event that belongs to no change. */
export type Publish = (event: ServiceEvent) => Promise<void>;

export function createPublish(database: Pick<Database, "transaction">, settings: Config["events"]): Publish {
  const unwanted = new Set(settings.optOut);
  const isUsed = hasReceivers(settings);
  return async (event) => {
    if (!isUsed || unwanted.has(optOutNameOf(event))) return;
    await database.transaction(async (transaction) => transaction.publish(event), { changes: [] });
  };
}

/** Whether events are published: whether there is a receiver. */
export function hasReceivers({ rabbitUrl, file, webhookUrl, syslogUrl }: Config["events"]): boolean {
  return (rabbitUrl ?? file ?? webhookUrl ?? syslogUrl) !== undefined;
}
