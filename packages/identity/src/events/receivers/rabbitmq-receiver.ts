/** RabbitMQ as a receiver of events: notifications, as Keystone sends them, each confirmed by the broker. */
import { readFileSync } from "node:fs";

import { connect, type ChannelModel, type ConfirmChannel } from "amqplib";

import { messageOf } from "../../platform/errors.js";
import { osloMessage, type EnvelopeOptions } from "../oslo-message.js";
import type { EventReceiver } from "./receiver.js";

export interface RabbitSettings extends Omit<EnvelopeOptions, "observerId"> {
  /** Of the brokers, tried in order. */
  readonly urls: readonly string[];
  /** Certificate authorities in PEM; the public ones, if left out. */
  readonly caFile?: string | undefined;
  readonly exchange: string;
  readonly topics: readonly string[];
  /** Have to be those of all other services: RabbitMQ refuses others. */
  readonly queues: { readonly durable: boolean; readonly autoDelete: boolean };
  /** Reads the id of the identity service. */
  readonly observerId: () => Promise<string>;
}

const CONNECT_MS = 5000;
const CONFIRM_MS = 15_000;
const HEARTBEAT_SECONDS = 15;

/** As oslo.messaging has them. */
const PROPERTIES = {
  contentType: "application/json",
  contentEncoding: "utf-8",
  deliveryMode: 2,
  priority: 0,
} as const;

interface Link {
  readonly connection: ChannelModel;
  readonly channel: ConfirmChannel;
  /** Why the broker ended the connection or the channel. */
  failure: Error | undefined;
}

export function createRabbitReceiver(settings: RabbitSettings): EventReceiver {
  const { urls, caFile, exchange, topics, queues, format, publisherId, observerId } = settings;
  const keys = topics.map((topic) => `${topic}.info`);
  let link: Link | undefined;

  async function open(url: string): Promise<Link> {
    const ca = caFile === undefined ? undefined : readFileSync(caFile);
    const socket = { timeout: CONNECT_MS, servername: new URL(url).hostname, ...(ca && { ca: [ca] }) };
    const address = new URL(url);
    address.searchParams.set("heartbeat", String(HEARTBEAT_SECONDS));
    const connection = await connect(address.href, socket);
    const opened: { failure: Error | undefined } = { failure: undefined };
    const end = (error?: Error) => void (opened.failure ??= error ?? new Error("the broker closed"));
    connection.on("error", end);
    connection.on("close", end);
    try {
      const channel = await connection.createConfirmChannel();
      channel.on("error", end);
      channel.on("close", () => end());
      await channel.assertExchange(exchange, "topic", queues);
      // Events that come before their first consumer wait in the queue that consumers of oslo.messaging use.
      for (const key of keys) {
        await channel.assertQueue(key, queues);
        await channel.bindQueue(key, exchange, key);
      }
      return Object.assign(opened, { connection, channel });
    } catch (error) {
      await connection.close().catch(() => {});
      throw error;
    }
  }

  /** The first broker that takes a connection. */
  async function openAny(): Promise<Link> {
    const failures: string[] = [];
    for (const url of urls) {
      try {
        return await open(url);
      } catch (error) {
        failures.push(`${new URL(url).host}: ${messageOf(error)}`);
      }
    }
    throw new Error(`no connection to RabbitMQ: ${failures.join("; ")}`);
  }

  async function linked(): Promise<Link> {
    if (link?.failure !== undefined) await close();
    return (link ??= await openAny());
  }

  async function close(): Promise<void> {
    const closed = link;
    link = undefined;
    await closed?.connection.close().catch(() => {});
  }

  return {
    name: "rabbitmq",

    // Exchange and queues are there before the first event.
    open: async () => void (await linked()),

    async send(events) {
      const used = await linked();
      const { channel } = used;
      const options = { format, publisherId, observerId: await observerId() };
      try {
        for (const event of events) {
          const body = Buffer.from(osloMessage(event, options));
          for (const key of keys) channel.publish(exchange, key, body, PROPERTIES);
        }
        await within(CONFIRM_MS, channel.waitForConfirms());
        if (used.failure !== undefined) throw used.failure;
      } catch (error) {
        await close();
        throw error;
      }
    },

    close,
  };
}

/** @throws {Error} The broker has confirmed nothing for so long: it is full, or hangs. */
async function within(ms: number, confirmed: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(reject, ms, new Error(`RabbitMQ did not confirm within ${ms / 1000} s`));
  });
  try {
    await Promise.race([confirmed, late]);
  } finally {
    clearTimeout(timer);
  }
}
