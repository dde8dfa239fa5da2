/** Serves spots as Server-Sent Events to web pages and programs. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

import { eventOfSpot, type FeedSpot } from "../../../feeds.js";
import { createEventHub } from "./event-hub.js";
import { listenAt } from "./listen-at.js";

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

/** A client that connects gets the last events, without those that it has. */
const KEPT_EVENTS = 200;

/**
 * Starts the server. Events may be read by pages of any origin: spots are public.
 *
 * @throws {IOError} The port is in use, or the address is not one of this computer.
 */
export async function startEventServer(at: EventAddress): Promise<EventServer> {
  const hub = createEventHub<FeedSpot>({ encode: eventOfSpot, maxEvents: KEPT_EVENTS });
  const server = createServer((request, response) => {
    if (refuse(request, response, hub.isFull)) return;
    hub.attach(request, response, { "access-control-allow-origin": "*" });
  });
  const listening = await listenAt(server, at);
  return {
    url: listening.url,
    send: (spot) => hub.send(spot),
    async close() {
      hub.close();
      await listening.close();
    },
  };
}

/** Answers what is no request for events. */
function refuse({ method, url = "" }: IncomingMessage, response: ServerResponse, isFull: boolean): boolean {
  // Not by URL, which throws: anyone can send "//".
  const status = url !== "/" && !url.startsWith("/?") ? 404 : method !== "GET" ? 405 : 503;
  if (status === 503 && !isFull) return false;
  response.writeHead(status, status === 405 ? { allow: "GET" } : { "retry-after": "60" }).end();
  return true;
}
