/** Spots as Server-Sent Events: how a server sends them to pages and programs, and how those read them. */
import { ArgumentTypeError, ValueError } from "../../errors.js";
import { readEventStream } from "../../io/sockets/event-stream.js";
import { checkTimeout } from "../../io/timers.js";
import { jsonObject } from "../lines/parse-feed-line.js";
import type { FeedSpot, FeedStation } from "../merge/feed-spot.js";
import type { FeedSource } from "./feed-source.js";
import { isContinent } from "../../lookup/record.js";
import {
  callField,
  dateField,
  gridField,
  numberField,
  textField,
  withoutAbsent,
} from "../lines/feed-fields.js";
import type { JsonObject } from "../lines/pskr-report.js";

/** Options of `eventStreamSource`. */
export interface EventStreamSourceOptions {
  /** The address of the events: http or https; on a page also relative to it. */
  readonly url: string;
  /** The name of the source; default the address. Spots keep the names of their own sources. */
  readonly name?: string | undefined;
  /** Without any data for this time the connection counts as lost; default 60 s. `hamkit spots --sse` sends something every 15 s. */
  readonly timeoutMs?: number | undefined;
}

const DEFAULT_TIMEOUT_MS = 60_000;

/**
 * A spot as an event of a `text/event-stream`, for a server.
 *
 * @param id The number of the event. A client that connects again sends the last one that it received.
 * @example
 * const spot = spotOfItem(parseFeedLine("DX de DH1TW: 14025.0 JA1ABC cq 1200Z"), "my node");
 * spot && eventOfSpot(spot, 1).startsWith('id: 1\ndata: {"source":"my node",'); // => true
 */
export function eventOfSpot(spot: FeedSpot, id: number): string {
  return `id: ${id}\ndata: ${JSON.stringify(spot)}\n\n`;
}

/**
 * Spots of a server that sends them as events (`hamkit spots --sse`, {@link eventOfSpot}), as a source for `openFeed`. In Node and in
 * browsers.
 *
 * @throws {ArgumentTypeError} The address is not a string.
 * @throws {ValueError} The address is none of http or https, or the time is not positive.
 * @example
 * eventStreamSource({ url: "http://127.0.0.1:7373/", name: "my server" }).name; // => "my server"
 */
export function eventStreamSource(options: EventStreamSourceOptions): FeedSource {
  const { url, name = url, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  requireUrl(url);
  checkTimeout(options.timeoutMs);
  let lastEventId: string | undefined;
  return {
    name,
    connect: ({ signal, onOpen, onSpot }) =>
      readEventStream(url, {
        signal,
        idleTimeoutMs: timeoutMs,
        lastEventId,
        onOpen,
        onEvent({ data, id }) {
          if (id !== undefined) lastEventId = id;
          const spot = readFeedSpot(jsonObject(data));
          if (spot !== undefined) onSpot(spot);
        },
      }),
  };
}

/** An address that no attempt could reach would be tried for ever. */
function requireUrl(url: unknown): void {
  const expected = "an http or https address";
  if (typeof url !== "string") throw new ArgumentTypeError({ argument: "url", value: url, expected });
  const { location } = globalThis as { readonly location?: { readonly href: string } };
  const address = URL.canParse(url, location?.href) ? new URL(url, location?.href) : undefined;
  // fetch rejects addresses with a password.
  if (
    address !== undefined &&
    /^https?:$/.test(address.protocol) &&
    address.username + address.password === ""
  )
    return;
  throw new ValueError({ argument: "url", value: url, expected: `${expected} without a user name` });
}

const MAX_REFERENCES = 10;

/** The spot of an object that was written as JSON; `undefined` for any other. Members of other types are left out. */
export function readFeedSpot(object: JsonObject | undefined): FeedSpot | undefined {
  if (object === undefined) return undefined;
  const dx = callField(object["dx"]);
  const time = dateField(object["time"]);
  const frequencyKHz = numberField(object["frequencyKHz"]);
  if (dx === undefined || time === undefined || frequencyKHz === undefined || frequencyKHz <= 0)
    return undefined;
  return withoutAbsent({
    source: textField(object["source"]) ?? "",
    time,
    frequencyKHz,
    band: textField(object["band"]),
    mode: textField(object["mode"]),
    modeAssumed: isTrue(object["modeAssumed"]),
    dx,
    spotter: textField(object["spotter"]),
    skimmer: object["skimmer"] === true,
    comment: textField(object["comment"]) ?? "",
    snrDb: numberField(object["snrDb"]),
    wpm: numberField(object["wpm"]),
    qsxKHz: numberField(object["qsxKHz"]),
    listens: directionOf(object["listens"]),
    dxGrid: gridField(object["dxGrid"]) ?? undefined,
    spotterGrid: gridField(object["spotterGrid"]) ?? undefined,
    propagation: textField(object["propagation"]),
    position: positionOfJson(object["position"]),
    references: referencesOf(object["references"]),
    qrt: isTrue(object["qrt"]),
    dxStation: stationOfJson(object["dxStation"]),
    spotterStation: stationOfJson(object["spotterStation"]),
  });
}

function stationOfJson(value: unknown): FeedStation | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const object = value as JsonObject;
  const country = textField(object["country"]);
  const adif = numberField(object["adif"]);
  if (country === undefined || adif === undefined) return undefined;
  const { continent } = object;
  return withoutAbsent({
    country,
    adif,
    continent: isContinent(continent) ? continent : ("" as const),
    cqz: numberField(object["cqz"]),
    ituz: numberField(object["ituz"]),
    latitude: numberField(object["latitude"]),
    longitude: numberField(object["longitude"]),
    distanceKm: numberField(object["distanceKm"]),
    heading: numberField(object["heading"]),
  });
}

function positionOfJson(value: unknown): readonly [number, number] | undefined {
  if (!Array.isArray(value)) return undefined;
  const [north, east] = [numberField(value[0]), numberField(value[1])];
  if (north === undefined || east === undefined) return undefined;
  return Math.abs(north) <= 90 && Math.abs(east) <= 180 ? [north, east] : undefined;
}

function referencesOf(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.slice(0, MAX_REFERENCES).flatMap((reference) => textField(reference) ?? []);
}

function directionOf(value: unknown): FeedSpot["listens"] {
  return value === "up" || value === "down" ? value : undefined;
}

function isTrue(value: unknown): true | undefined {
  return value === true ? true : undefined;
}
