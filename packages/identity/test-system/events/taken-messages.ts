/** A consumer of a queue, as it comes back after its broker was away. */
import { setTimeout as delay } from "node:timers/promises";

import { connect, type ChannelModel, type ConsumeMessage } from "amqplib";

export interface Notification {
  readonly message_id: string;
  readonly event_type: string;
  readonly publisher_id: string;
  readonly payload: { readonly resource_info?: string };
}

/** Takes all messages of a queue, as they come, over killed connections. */
export function takeMessages(url: string, queue: string) {
  const messages: ConsumeMessage[] = [];
  const ending = new AbortController();
  let connection: ChannelModel | undefined;
  async function run(): Promise<void> {
    while (!ending.signal.aborted) {
      try {
        connection = await connect(url);
        connection.on("error", () => {});
        const channel = await connection.createChannel();
        channel.on("error", () => {});
        await channel.checkQueue(queue);
        await channel.consume(queue, (message) => {
          if (message === null) return;
          messages.push(message);
          channel.ack(message);
        });
        await new Promise((resolve) => connection?.once("close", resolve));
      } catch {
        // The broker is away.
      }
      await delay(100);
    }
  }
  const running = run();
  return {
    messages,
    notifications: () =>
      messages.map(({ content }) => {
        const outer = JSON.parse(content.toString()) as Record<string, string>;
        return JSON.parse(outer["oslo.message"] ?? "") as Notification;
      }),
    async end() {
      ending.abort();
      await connection?.close().catch(() => {});
      await running;
    },
  };
}
