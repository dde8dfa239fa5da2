/** Serves spots as Server-Sent Events to web pages and programs. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { IOError } from "../../../errors.js";
import { eventOfSpot, type FeedSpot } from "../../../feeds.js";

/** Where events are served. */
export interface EventAddress {
  readonly address: string;
  readonly port: number;
}

export interface EventServer {
  readonly url: string;
  send(spot: FeedSpot): void;
  close(): Promise<void>;
}

const MAX_CLIENTS = 100;
/** A client that reads too slowly is disconnected, and connects again by itself. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
/** A client that connects gets the last events, without those that it has. */
const KEPT_EVENTS = 200;
/** Proxies and clients drop connections that are silent. */
const HEARTBEAT_MS = 15_000;

/**
 * Starts the server. Events may be read by pages of any origin: spots are public.
 *
 * @throws {IOError} The port is in use, or the address is not one of this computer.
 */
export async function startEventServer({ address, port }: EventAddress): Promise<EventServer> {
  const clients = new Set<ServerResponse>();
  let kept: { readonly id: number; readonly text: string }[] = [];
  let lastId = 0;
  const server = createServer((request, response) => {
    if (refuse(request, response, clients.size)) return;
    response.writeHead(200, {
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      "access-control-allow-origin": "*",
      "x-content-type-options": "nosniff",
    });
    clients.add(response);
    response.on("close", () => clients.delete(response));
    response.on("error", () => {}); // of a client that is gone
    const after = Number(request.headers["last-event-id"]);
    // A number from before a restart of the server is ahead of all.
    const missed = after <= lastId ? kept.filter(({ id }) => id > after) : kept;
    response.write(`retry: 3000\n\n${missed.map(({ text }) => text).join("")}`);
  });
  // Those that have sent no request are not among the clients.
  server.maxConnections = 2 * MAX_CLIENTS;
  const name = `http://${address.includes(":") ? `[${address}]` : address}:${port}/`;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => reject(new IOError(name, cause.message, { cause })));
    server.listen(port, address, resolve);
  });
  const heartbeat = setInterval(() => {
    for (const client of clients) write(client, ":\n\n");
  }, HEARTBEAT_MS);
  return {
    url: name.replace(/:\d+\/$/, `:${(server.address() as AddressInfo).port}/`),
    send(spot) {
      const text = eventOfSpot(spot, ++lastId);
      kept.push({ id: lastId, text });
      if (kept.length >= 2 * KEPT_EVENTS) kept = kept.slice(-KEPT_EVENTS);
      for (const client of clients) write(client, text);
    },
    async close() {
      clearInterval(heartbeat);
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

function write(client: ServerResponse, text: string): void {
  if (client.writableLength > MAX_WAITING_BYTES) client.destroy();
  else client.write(text);
}

/** Answers what is no request for events. */
function refuse({ method, url = "" }: IncomingMessage, response: ServerResponse, clients: number): boolean {
  // Not by URL, which throws: anyone can send "//".
  const status = url !== "/" && !url.startsWith("/?") ? 404 : method !== "GET" ? 405 : 503;
  if (status === 503 && clients < MAX_CLIENTS) return false;
  response.writeHead(status, status === 405 ? { allow: "GET" } : { "retry-after": "60" }).end();
  return true;
}
