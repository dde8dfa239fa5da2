/** Sends numbered events to clients that are connected, and to those that come back what they missed. */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";

/** Options of `createEventHub`. */
export interface EventHubOptions<Value> {
  /** The text of an event, with its number. */
  readonly encode: (value: Value, id: number) => string;
  /** Events that are kept for clients that connect; the oldest are dropped beyond it. */
  readonly maxEvents: number;
  /** The number before that of the first event; default 0. Numbers that grow over restarts are never taken for those of another run. */
  readonly lastId?: number | undefined;
  /** What a client is sent first. */
  readonly greet?: ((missed: number) => string) | undefined;
  /** What shows a client that the connection is alive; default a comment, which pages can't see. */
  readonly heartbeat?: string | undefined;
}

/** A stream of events with any number of readers. */
export interface EventHub<Value> {
  /** No more clients are accepted. */
  readonly isFull: boolean;
  /** Answers a request with the stream. */
  attach(request: IncomingMessage, response: ServerResponse, headers?: OutgoingHttpHeaders): void;
  /** Sends an event, and keeps it. */
  send(value: Value): void;
  /** Sends text that is not kept. */
  tell(text: string): void;
  /** Disconnects all. */
  close(): void;
}

const MAX_CLIENTS = 100;
/** A client that reads too slowly is told so and disconnected, and connects again by itself. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
/** What it has to read first is discarded after this time. */
const SLOW_END_MS = 10_000;
/** Proxies and clients drop connections that are silent. */
const HEARTBEAT_MS = 15_000;

export function createEventHub<Value>(options: EventHubOptions<Value>): EventHub<Value> {
  const { encode, maxEvents, greet, heartbeat = ":\n\n" } = options;
  const firstId = options.lastId ?? 0;
  const clients = new Set<ServerResponse>();
  let kept: { readonly id: number; readonly value: Value }[] = [];
  let lastId = firstId;

  function write(client: ServerResponse, text: string): void {
    if (client.writableLength <= MAX_WAITING_BYTES) client.write(text);
    else {
      clients.delete(client);
      client.end("event: slow\ndata: {}\n\n");
      setTimeout(() => client.destroy(), SLOW_END_MS).unref();
    }
  }
  const tell = (text: string) => {
    for (const client of clients) write(client, text);
  };
  const timer = setInterval(() => tell(heartbeat), HEARTBEAT_MS);
  return {
    get isFull() {
      return clients.size >= MAX_CLIENTS;
    },
    attach(request, response, headers) {
      response.writeHead(200, {
        "content-type": "text/event-stream",
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        ...headers,
      });
      clients.add(response);
      response.on("close", () => clients.delete(response));
      response.on("error", () => {}); // of a client that is gone
      const after = lastIdOf(request);
      // A number from another run is below the first of this one, or ahead of all.
      const isOwn = after >= firstId && after <= lastId;
      const news = kept.slice(-maxEvents).filter(({ id }) => !isOwn || id > after);
      const missed = isOwn ? lastId - after - news.length : 0;
      const texts = news.map(({ value, id }) => encode(value, id));
      response.write(`retry: 3000\n\n${greet?.(missed) ?? ""}${texts.join("")}`);
    },
    send(value) {
      kept.push({ id: ++lastId, value });
      if (kept.length >= 2 * maxEvents) kept = kept.slice(-maxEvents);
      if (clients.size > 0) tell(encode(value, lastId));
    },
    tell,
    close() {
      clearInterval(timer);
      for (const client of clients) client.destroy();
    },
  };
}

/** From the header, or from the query: a page that opens a new connection can't set headers. NaN for none. */
function lastIdOf({ headers, url = "" }: IncomingMessage): number {
  const [, inQuery] = /[?&]after=(\d{1,16})(?:&|$)/.exec(url) ?? [];
  return Number(headers["last-event-id"] ?? inQuery ?? Number.NaN);
}
