/** The server of the live radio page: its files, the stream of events, the logs, and questions about them. */
import { createReadStream } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

import type { SpottedStation } from "../../../awards.js";
import type { FeedSpot } from "../../../feeds.js";
import type { EventAddress } from "../live/event-server.js";
import type { EventHub } from "../live/event-hub.js";
import { listenAt, type ListeningServer } from "../live/listen-at.js";
import type { PageFile } from "./page-files.js";
import { isFromElsewhere, rejectionOf } from "./request-guard.js";
import type { WatchedLogs } from "./watched-logs.js";

export interface RadioServerOptions extends EventAddress {
  /** Host names that are accepted besides localhost and addresses. */
  readonly hosts: readonly string[];
  readonly files: ReadonlyMap<string, PageFile>;
  readonly hub: EventHub<FeedSpot>;
  readonly logs: WatchedLogs | undefined;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const MAX_BODY_BYTES = 1024 * 1024;
const MAX_READ_BYTES = 16 * MAX_BODY_BYTES;
const MAX_STATIONS = 1000;
/** As in the page itself, and for it alone. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; worker-src 'self'; " +
  "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const HEADERS = {
  "content-security-policy": POLICY,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** @throws {IOError} The port is in use, or the address is not one of this computer. */
export function startRadioServer({ hosts, ...options }: RadioServerOptions): Promise<ListeningServer> {
  const names = hosts.map((name) => name.toLowerCase());
  const handle = createHandler(options);
  const server = createServer((request, response) => {
    const rejection = rejectionOf(request, names);
    if (rejection === undefined) handle(request, response);
    else refuse(response, 403, rejection);
  });
  server.requestTimeout = 30_000;
  return listenAt(server, options);
}

function createHandler({ files, hub, logs }: Omit<RadioServerOptions, "hosts">): Handler {
  return (request, response) => {
    const { method = "", url = "" } = request;
    const [path = ""] = url.split("?", 1);
    if (path.startsWith("/live/")) {
      if (isFromElsewhere(request)) refuse(response, 403, "Requests of other sites are not accepted.");
      else answerLive(path.slice("/live/".length), request, response);
      return;
    }
    const file = files.get(path);
    if (file === undefined) refuse(response, 404, "There is no such file.");
    else if (method === "GET" || method === "HEAD") sendFile(file, request, response);
    else refuse(response, 405, "Expected GET.", { allow: "GET, HEAD" });
  };

  function answerLive(name: string, request: IncomingMessage, response: ServerResponse): void {
    const isNeeds = name === "needs";
    const log = /^logs\/(\d{1,4})$/.exec(name);
    const logPath = log === null ? undefined : logs?.paths[Number(log[1])];
    if (!isNeeds && name !== "events" && logPath === undefined) refuse(response, 404, "Not found.");
    else if (request.method !== (isNeeds ? "POST" : "GET"))
      refuse(response, 405, `Expected ${isNeeds ? "POST" : "GET"}.`, { allow: isNeeds ? "POST" : "GET" });
    else if (isNeeds) void answerNeeds(request, response, logs);
    else if (logPath !== undefined) sendLog(logPath, response);
    else if (hub.isFull) refuse(response, 503, "Too many pages are open.", { "retry-after": "60" });
    else hub.attach(request, response, HEADERS);
  }
}

function sendFile(
  { type, content, zipped, etag, isLasting }: PageFile,
  { method, headers }: IncomingMessage,
  response: ServerResponse,
): void {
  const isZipped = /\bgzip\b/.test(headers["accept-encoding"] ?? "");
  const body = isZipped ? zipped : content;
  const isSame = headers["if-none-match"] === etag;
  response.writeHead(isSame ? 304 : 200, {
    ...HEADERS,
    "content-type": type,
    "cache-control": isLasting ? "public, max-age=31536000, immutable" : "no-cache",
    etag,
    vary: "accept-encoding",
    ...(!isSame && { "content-length": body.length, ...(isZipped && { "content-encoding": "gzip" }) }),
  });
  response.end(isSame || method === "HEAD" ? undefined : body);
}

function sendLog(path: string, response: ServerResponse): void {
  const file = createReadStream(path);
  file.once("error", () => {
    if (response.headersSent) response.destroy();
    else refuse(response, 404, "The log can't be read.");
  });
  file.once("open", () => {
    response.writeHead(200, {
      ...HEADERS,
      "content-type": "application/octet-stream",
      "cache-control": "no-store",
    });
    file.pipe(response);
  });
  response.once("close", () => file.destroy());
}

/** Answers an array of stations with an array of their needs. */
async function answerNeeds(
  request: IncomingMessage,
  response: ServerResponse,
  logs: WatchedLogs | undefined,
): Promise<void> {
  // A form of another site can't send it.
  if (!/^application\/json\b/.test(request.headers["content-type"] ?? "")) {
    refuse(response, 415, "Expected application/json.");
    return;
  }
  if (logs === undefined) {
    refuse(response, 404, "No log is open: hamkit serve --log FILE.");
    return;
  }
  const stations = readStations(await readBody(request).catch(() => undefined));
  if (stations === undefined) {
    refuse(response, 400, `Expected an array of at most ${MAX_STATIONS} stations, each with a call in "dx".`);
    return;
  }
  response.writeHead(200, { ...HEADERS, "content-type": "application/json", "cache-control": "no-store" });
  response.end(JSON.stringify(stations.map((station) => logs.needs(station))));
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of request as AsyncIterable<Uint8Array>) {
    length += piece.length;
    // A client that is still sending would not read the answer.
    if (length <= MAX_BODY_BYTES) pieces.push(piece);
    else if (length > MAX_READ_BYTES) throw new Error("the body is too long");
  }
  return length > MAX_BODY_BYTES ? undefined : Buffer.concat(pieces).toString();
}

function readStations(body: string | undefined): SpottedStation[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body ?? "");
  } catch {
    return undefined;
  }
  if (!Array.isArray(value) || value.length > MAX_STATIONS) return undefined;
  const stations = value.map(readStation);
  return stations.every((station) => station !== undefined) ? stations : undefined;
}

/** The members of other types are left out. */
function readStation(value: unknown): SpottedStation | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { dx, band, mode, frequencyKHz, dxGrid, references } = value as Readonly<Record<string, unknown>>;
  if (typeof dx !== "string" || dx.length > 30) return undefined;
  return {
    dx,
    ...(isText(band) && { band }),
    ...(isText(mode) && { mode }),
    ...(typeof frequencyKHz === "number" && { frequencyKHz }),
    ...(isText(dxGrid) && { dxGrid }),
    ...(Array.isArray(references) && { references: references.filter(isText).slice(0, 10) }),
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.length <= 100;
}

function refuse(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { ...HEADERS, "content-type": "text/plain; charset=utf-8", ...headers });
  response.end(`${text}\n`);
}
