/** The area of events: what the service tells RabbitMQ, a file, a webhook and syslog. */
import { hostname } from "node:os";

import type { AreaWithServices, Platform, Reports, Stop } from "../area.js";
import { DAY_MS } from "../platform/clock.js";
import { hasReceivers } from "./event-log.js";
import { registerEventMetrics } from "./event-metrics.js";
import { startEventSender } from "./event-sender.js";
import { deleteOldEvents } from "./event-store.js";
import { createFileReceiver } from "./receivers/file-receiver.js";
import type { EventReceiver } from "./receivers/receiver.js";
import { createWebhookReceiver } from "./receivers/webhook-receiver.js";

export interface EventsUses {
  readonly services: {
    /** The first service of a type in the catalog. */
    readonly findIdOfType: (type: string) => Promise<string | undefined>;
  };
}

const UNCACHED = { changes: [] } as const;

export function createEventsArea(platform: Platform, { services }: EventsUses) {
  const { config, database, clock, newId } = platform;
  const { days, maxRows } = config.events;
  return {
    purgeTasks: [
      {
        name: "events",
        purge: () =>
          database.transaction(
            (transaction) => deleteOldEvents(transaction, { before: clock.now() - days * DAY_MS, maxRows }),
            UNCACHED,
          ),
      },
    ],

    async start({ log, registry }: Reports): Promise<Stop> {
      if (!hasReceivers(config.events)) return () => {};
      const observerId = createObserverId(() => services.findIdOfType("identity"), newId);
      const receivers = await openReceivers(platform, observerId);
      const sender = startEventSender({ ...platform, receivers, log });
      registerEventMetrics(registry, sender, clock);
      return () => sender.stop();
    },
  } satisfies AreaWithServices;
}

async function openReceivers(
  { config, clock }: Platform,
  observerId: () => Promise<string>,
): Promise<readonly EventReceiver[]> {
  const { events } = config;
  const receivers: EventReceiver[] = [];
  if (events.rabbitUrl !== undefined) {
    const { createRabbitReceiver } = await import("./receivers/rabbitmq-receiver.js");
    receivers.push(
      createRabbitReceiver({
        urls: events.rabbitUrl.split(","),
        caFile: events.rabbitCaFile,
        exchange: events.exchange,
        topics: events.topics,
        queues: { durable: events.hasDurableQueues, autoDelete: events.hasAutoDelete },
        format: events.format,
        publisherId: events.publisherId ?? hostname(),
        observerId,
      }),
    );
  }
  if (events.file !== undefined) receivers.push(createFileReceiver(events.file));
  if (events.webhookUrl !== undefined)
    receivers.push(
      createWebhookReceiver({
        url: events.webhookUrl,
        secret: events.webhookSecret,
        rules: {
          // To an address of these networks alone: a name may resolve to any.
          allowsHttp: events.isWebhookNetwork(new URL(events.webhookUrl).hostname.replace(/^\[|\]$/g, "")),
          allowsPrivate: (address) => events.isWebhookNetwork(address),
        },
        nowSeconds: () => Math.floor(clock.now() / 1000),
      }),
    );
  if (events.syslogUrl !== undefined) {
    const { createSyslogReceiver } = await import("./receivers/syslog-receiver.js");
    const { syslogUrl: url, syslogCaFile: caFile } = events;
    receivers.push(createSyslogReceiver({ url, caFile, hostName: hostname() }));
  }
  return receivers;
}

/** How long the id of the identity service is taken as it was read. */
const OBSERVER_MS = 60_000;

/** The id of the identity service in the catalog; without one, an id of this process. */
function createObserverId(
  read: () => Promise<string | undefined>,
  newId: Platform["newId"],
): () => Promise<string> {
  const ownId = newId();
  let known: { readonly id: string; readonly until: number } | undefined;
  return async () => {
    if (known === undefined || performance.now() > known.until) {
      known = { id: (await read()) ?? ownId, until: performance.now() + OBSERVER_MS };
    }
    return known.id;
  };
}
