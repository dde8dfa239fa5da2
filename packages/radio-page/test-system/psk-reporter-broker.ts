/** A double of PSK Reporter: a broker that browsers reach by a web socket. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { Aedes } from "aedes";
import { createWebSocketStream, WebSocketServer } from "ws";

export interface Broker {
  readonly url: string;
  /** What clients have subscribed to. */
  readonly topics: readonly string[];
  publish(topic: string, report: object): Promise<void>;
  close(): Promise<void>;
}

export async function startBroker(): Promise<Broker> {
  const aedes = await Aedes.createBroker();
  const topics: string[] = [];
  aedes.on("subscribe", (subscriptions) => topics.push(...subscriptions.map(({ topic }) => topic)));
  const http = createServer();
  const sockets = new WebSocketServer({ server: http });
  sockets.on("connection", (socket) => aedes.handle(createWebSocketStream(socket)));
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  return {
    url: `ws://127.0.0.1:${(http.address() as AddressInfo).port}`,
    topics,
    publish: (topic, report) =>
      new Promise((resolve, reject) => {
        const payload = JSON.stringify(report);
        const packet = { cmd: "publish", topic, payload, qos: 0, retain: false, dup: false } as const;
        aedes.publish(packet, (failure) => (failure ? reject(failure) : resolve()));
      }),
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
      http.closeAllConnections();
      await new Promise<void>((resolve) => {
        aedes.close(resolve);
      });
      await new Promise((resolve) => {
        http.close(resolve);
      });
    },
  };
}
