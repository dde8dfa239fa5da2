/** Subscribes to reception reports of PSK Reporter over MQTT. */
import { ArgumentTypeError, IOError, ValueError } from "../../errors.js";
import { loadMqtt, type MqttClient, type MqttConnect } from "../../io/sockets/mqtt-client.js";
import { jsonObject } from "../lines/parse-feed-line.js";
import { parsePskrPayload } from "../lines/pskr-report.js";
import type { FeedHandlers, FeedSource } from "./feed-source.js";

/** Which reports to receive: all members that are present must be met. */
export interface PskReporterFilter {
  /** ADIF's name: `20m`. */
  readonly band?: string | undefined;
  /** `FT8`, `FT4`, `JS8`... */
  readonly mode?: string | undefined;
  /** The call that was heard. */
  readonly sender?: string | undefined;
  /** The call that heard it. */
  readonly receiver?: string | undefined;
  /** Locators of 4 characters. */
  readonly senderGrid?: string | undefined;
  readonly receiverGrid?: string | undefined;
  /** ADIF's codes of the entities. */
  readonly senderDxcc?: number | undefined;
  readonly receiverDxcc?: number | undefined;
}

/** Options of `pskReporterSource`. */
export interface PskReporterSourceOptions {
  /** One filter, or several that are alternatives. Each has at least one member: all reports are some hundreds a second. */
  readonly filter: PskReporterFilter | readonly PskReporterFilter[];
  /** Default `mqtts://mqtt.pskreporter.info:1884`; in a browser the address of its web socket, `wss:`. */
  readonly url?: string | undefined;
  /** The function `connect` of the package `mqtt`, where it can't be imported by its name, as on pages. */
  readonly connect?: MqttConnect | undefined;
}

const DEFAULT_URL = "mqtts://mqtt.pskreporter.info:1884";
const CONNECT_TIMEOUT_MS = 15_000;
/** A broker without an answer to a ping for one and a half of it is lost. */
const KEEPALIVE_S = 60;
const MAX_FILTERS = 20;
const MAX_PAYLOAD_LENGTH = 4096;

/** The members of a filter in the order of the topic's levels, and their forms. */
const LEVELS: readonly (readonly [member: keyof PskReporterFilter, form: RegExp, expected: string])[] = [
  ["band", /^[0-9.]{1,5}(?:mm|cm|m)$/i, "a band such as 20m"],
  ["mode", /^[A-Z0-9-]{1,16}$/i, "a mode such as FT8"],
  ["sender", /^[A-Z0-9/-]{1,20}$/i, "a callsign"],
  ["receiver", /^[A-Z0-9/-]{1,20}$/i, "a callsign"],
  ["senderGrid", /^[A-R]{2}[0-9]{2}$/i, "a locator of 4 characters"],
  ["receiverGrid", /^[A-R]{2}[0-9]{2}$/i, "a locator of 4 characters"],
  ["senderDxcc", /^[0-9]{1,3}$/, "ADIF's code of an entity"],
  ["receiverDxcc", /^[0-9]{1,3}$/, "ADIF's code of an entity"],
];

/**
 * PSK Reporter as a source for `openFeed`: who hears whom in digital modes. Needs the package `mqtt`, version 5.16 or later.
 *
 * @throws {ArgumentTypeError} The filter is not an object.
 * @throws {ValueError} A filter has no member, or one that is not valid; or there are more than 20 filters.
 * @example
 * pskReporterSource({ filter: { sender: "DH1TW/P" } }).name; // => "PSK Reporter"
 */
export function pskReporterSource({
  filter,
  url = DEFAULT_URL,
  connect,
}: PskReporterSourceOptions): FeedSource {
  const filters: readonly PskReporterFilter[] = Array.isArray(filter)
    ? (filter as readonly PskReporterFilter[])
    : [filter as PskReporterFilter];
  if (filters.length === 0 || filters.length > MAX_FILTERS) {
    throw new ValueError({ argument: "filter", value: filter, expected: `1 to ${MAX_FILTERS} filters` });
  }
  const topics = filters.map(topicOf);
  const name = "PSK Reporter";
  return {
    name,
    connect: async (handlers) => subscribe({ connect: connect ?? (await loadMqtt()), url, topics }, handlers),
  };
}

/** `pskr/filter/v2/{band}/{mode}/{sender}/{receiver}/{sender grid}/{receiver grid}/{sender DXCC}/{receiver DXCC}` */
function topicOf(filter: PskReporterFilter): string {
  if (typeof filter !== "object" || filter === null) {
    throw new ArgumentTypeError({ argument: "filter", value: filter, expected: "an object" });
  }
  const levels = LEVELS.map(([member, form, expected]) => {
    const value: unknown = filter[member];
    if (value === undefined) return "+";
    const text = typeof value === "number" ? String(value) : value;
    if (typeof text !== "string" || !form.test(text)) {
      throw new ValueError({ argument: `filter.${member}`, value, expected });
    }
    if (member === "band") return text.toLowerCase();
    // A slash would divide levels.
    return text.toUpperCase().replaceAll("/", ".");
  });
  if (levels.every((level) => level === "+")) {
    const names = LEVELS.map(([member]) => member).join(", ");
    throw new ValueError({ argument: "filter", value: filter, expected: `an object with one of ${names}` });
  }
  return `pskr/filter/v2/${levels.join("/")}`;
}

interface Subscription {
  readonly connect: MqttConnect;
  readonly url: string;
  readonly topics: string[];
}

/** Resolves when the signal is aborted; rejects when the connection is lost. */
function subscribe({ connect, url, topics }: Subscription, handlers: FeedHandlers): Promise<void> {
  const { signal } = handlers;
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve, reject) => {
    // The feed connects again, with delays that grow.
    const client: MqttClient = connect(url, {
      reconnectPeriod: 0,
      connectTimeout: CONNECT_TIMEOUT_MS,
      keepalive: KEEPALIVE_S,
      clean: true,
    });
    const end = (failure?: Error) => {
      signal.removeEventListener("abort", onAbort);
      client.on("error", () => {}); // of what was still under way
      client.end(true);
      if (failure === undefined) resolve();
      else reject(new IOError(url, failure.message || "the connection failed", { cause: failure }));
    };
    const onAbort = () => end();
    signal.addEventListener("abort", onAbort, { once: true });
    client.on("error", (failure: Error) => end(failure));
    client.on("close", () => end(new Error("the connection was closed")));
    client.on("connect", () =>
      client.subscribe(topics, (failure) => {
        if (failure === null) handlers.onOpen();
        else end(failure);
      }),
    );
    client.on("message", (topic: string, payload: Uint8Array) => {
      if (signal.aborted || payload.length > MAX_PAYLOAD_LENGTH) return;
      const report = jsonObject(new TextDecoder().decode(payload));
      const item = report === undefined ? undefined : parsePskrPayload(report, topic);
      if (item !== undefined) handlers.onItem(item);
    });
  });
}
