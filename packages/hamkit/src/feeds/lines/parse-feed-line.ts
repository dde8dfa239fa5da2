/** Parses what feeds send: lines, JSON documents, XML elements. */
import { ArgumentTypeError } from "../../errors.js";
import { momentOf } from "../../lookup/identify.js";
import { decodeSpot } from "../../spots/decode-spot.js";
import { parsePotaSpot, parseSotaSpot, parseWwffSpot } from "./activator-spot.js";
import { clusterItem } from "./cluster-item.js";
import type { FeedItem, DecodeItem } from "./feed-item.js";
import { parsePskrElement, parsePskrPayload, type JsonObject } from "./pskr-report.js";
import { isoTime } from "./feed-fields.js";

/** Formats whose rows can't be told from others, or are told faster with their name. */
export type FeedFormat =
  | ("dxde" | "rbn" | "cc11" | "pc" | "wwv" | "wcy" | "announce" | "talk" | "showdx" | "rbnStream")
  | ("pskrMqtt" | "pskrXml" | "pota" | "sota" | "wwff" | "allTxt");

/** Options of `parseFeedLine`. */
export interface ParseFeedLineOptions {
  /** The format; default, and for a name that isn't one: by the form of the line or the members of the object. */
  readonly format?: FeedFormat | (string & {}) | undefined;
  /** When the line was received, for lines without a date; default: now. */
  readonly now?: Date | null | undefined;
}

const UNKNOWN: FeedItem = Object.freeze({ kind: "unknown" });

/** JSON documents and XML elements are short: a longer line is not parsed. */
const MAX_LINE_LENGTH = 20_000;

/**
 * Parses a line, or a JSON object, of a feed: DX clusters and their nodes, the Reverse Beacon Network, PSK Reporter, the spots of
 * POTA, SOTA and WWFF, and WSJT-X's ALL.TXT.
 *
 * @param raw A line with or without its end, an element `<receptionReport>`, or an object: a spot of POTA, SOTA or WWFF, or a payload
 *   of PSK Reporter, alone or as `{ topic, payload }`. JSON may be text. What can't be read is `{ kind: "unknown" }`.
 * @returns An item by its `kind`, whose members have the same names for all feeds: see {@link FeedItem}. Text members have no control
 *   characters, but are not escaped for HTML.
 * @throws {ArgumentTypeError} `raw` is neither a string nor an object.
 * @throws {ValueError} `now` is not a valid date.
 * @example
 * const now = new Date("2026-03-22T12:01:00Z");
 * const item = parseFeedLine("DX de W3LPL-#:   14025.0  DL1ABC         CW    20 dB  25 WPM  CQ      1200Z", { now });
 * item.kind === "spot" && [item.dx, item.frequencyKHz, item.mode, item.snrDb]; // => ["DL1ABC", 14025, "CW", 20]
 * item.kind === "spot" && item.at.toISOString(); // => "2026-03-22T12:00:00.000Z"
 * parseFeedLine("login:").kind; // => "unknown"
 */
export function parseFeedLine(raw: string | object, options: ParseFeedLineOptions = {}): FeedItem {
  const { format } = options;
  if (typeof raw === "string") return parseText(raw, format, options);
  if (typeof raw !== "object" || raw === null) {
    throw new ArgumentTypeError({ argument: "raw", value: raw, expected: "a line or an object" });
  }
  return parseObject(raw as JsonObject, format) ?? UNKNOWN;
}

function parseText(raw: string, format: string | undefined, { now }: ParseFeedLineOptions): FeedItem {
  if (raw.length > MAX_LINE_LENGTH) return UNKNOWN;
  switch (raw.trimStart()[0]) {
    case "{":
      return parseObject(jsonObject(raw) ?? {}, format) ?? UNKNOWN;
    case "<":
      return parsePskrElement(raw) ?? UNKNOWN;
    default:
  }
  const moment = new Date(momentOf(now, "now"));
  const dxLine = raw.startsWith("SPOT,") ? rbnStreamToDxLine(raw) : undefined;
  const item = clusterItem(decodeSpot(dxLine ?? raw, { now: moment }));
  return item.kind === "unknown" ? (parseAllTxtLine(raw.trim()) ?? item) : item;
}

/** The object of a JSON text; `undefined` for any other text. */
export function jsonObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

function parseObject(raw: JsonObject, format: string | undefined): FeedItem | undefined {
  switch (format) {
    case "pota":
      return parsePotaSpot(raw);
    case "sota":
      return parseSotaSpot(raw);
    case "wwff":
      return parseWwffSpot(raw);
    case "pskrMqtt":
      return parseReport(raw);
    default:
      return parseByMembers(raw);
  }
}

function parseByMembers(raw: JsonObject): FeedItem | undefined {
  if ("activatorCallsign" in raw) return parseSotaSpot(raw);
  if ("frequency_khz" in raw) return parseWwffSpot(raw);
  if ("activator" in raw) return parsePotaSpot(raw);
  return "payload" in raw || "rc" in raw || "sc" in raw ? parseReport(raw) : undefined;
}

/** A payload, or a payload with its topic. */
function parseReport(raw: JsonObject): FeedItem | undefined {
  const { topic, payload = raw } = raw;
  const object = typeof payload === "string" ? jsonObject(payload) : payload;
  if (typeof object !== "object" || object === null) return undefined;
  return parsePskrPayload(object as JsonObject, typeof topic === "string" ? topic : undefined);
}

/** Since WSJT-X 2.0. */
const LINE =
  /^([0-9]{2})([0-9]{2})([0-9]{2})_([0-9]{2})([0-9]{2})([0-9]{2}) +([0-9]{1,6}\.[0-9]{1,6}) +(Rx|Tx) +([A-Z0-9-]{2,10}) +([+-]?[0-9]{1,3}) +(-?[0-9]{1,3}\.[0-9]{1,3}) +(-?[0-9]{1,5}) +(\S.*)$/i;
/** The form of JTDX: the year has four digits, and a character names the mode. */
const JTDX_LINE =
  /^[0-9]{2}([0-9]{2})([0-9]{2})([0-9]{2})_([0-9]{2})([0-9]{2})([0-9]{2}) +([+-]?[0-9]{1,3}) +(-?[0-9]{1,3}\.[0-9]{1,3}) +(-?[0-9]{1,5}) ([~+#@]) +(\S.*)$/;
const JTDX_MODES: Readonly<Record<string, string>> = { "~": "FT8", "+": "FT4", "#": "JT65", "@": "JT9" };

/** Parses a line; `undefined` for any other text. */
function parseAllTxtLine(text: string): DecodeItem | undefined {
  const modern = LINE.exec(text);
  if (modern !== null) {
    const [dial, direction, mode, ...signal] = modern.slice(7);
    return decodeOf(modern, { mode: mode ?? "", signal, direction, dialMHz: Number(dial) });
  }
  const jtdx = JTDX_LINE.exec(text);
  if (jtdx === null) return undefined;
  const [snr = "", dt = "", df = "", symbol = "", message = ""] = jtdx.slice(7);
  return decodeOf(jtdx, { mode: JTDX_MODES[symbol] ?? "", signal: [snr, dt, df, message] });
}

interface DecodeFields {
  readonly mode: string;
  readonly signal: readonly string[];
  readonly direction?: string | undefined;
  readonly dialMHz?: number;
}

function decodeOf(
  date: readonly string[],
  { mode, signal, direction = "rx", dialMHz }: DecodeFields,
): DecodeItem | undefined {
  const [, year, month, day, hour, minute, second] = date;
  const at = new Date(`20${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  // An engine may map 31 February to March.
  if (Number.isNaN(at.getTime()) || at.getUTCDate() !== Number(day)) return undefined;
  const [snr, dt, df, message = ""] = signal;
  return {
    kind: "decode",
    at,
    time: isoTime(at),
    ...(dialMHz === undefined ? undefined : { dialMHz }),
    direction: direction.toLowerCase() === "tx" ? "tx" : "rx",
    mode: mode.toUpperCase(),
    snr: Number(snr),
    dt: Number(dt),
    df: Number(df),
    message: message.trim(),
  };
}

/** The same as a `DX de` line; `undefined` for any other line. */
function rbnStreamToDxLine(line: string): string | undefined {
  const fields = line.trim().split(",", 16);
  const [start, spotter = "", kilohertz = "", dx = "", ...rest] = fields;
  const time = rest.pop();
  if (start !== "SPOT" || time === undefined || rest.length < 3) return undefined;
  // No field has a blank, so no field can become two.
  if (fields.some((field) => /\s/.test(field.replace("NCDXF B", "")))) return undefined;
  return `DX de ${spotter}: ${kilohertz} ${dx} ${rest.join(" ")} ${time}`;
}
