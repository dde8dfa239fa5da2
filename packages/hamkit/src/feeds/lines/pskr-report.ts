/**
 * Parses reception reports of PSK Reporter: the JSON payloads of its MQTT service, and the XML elements of its query service.
 *
 * @see http://mqtt.pskreporter.info: topics and payload.
 * @see https://pskreporter.info/pskdev.html: the query.
 */
import { isUnusualXml, unescapeXml } from "../../text/xml-text.js";
import {
  callField,
  countField,
  gridField,
  isoTime,
  numberField,
  textField,
  unixField,
  withoutAbsent,
} from "./feed-fields.js";
import type { ReportItem } from "./feed-item.js";

/** A JSON object of anyone. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The spectrum ends at 3 THz. */
const MAX_HZ = 3e12;

/**
 * Parses a payload; `undefined` for an object that is none.
 *
 * @param topic The topic it was published to. Only calls that the payload lacks are taken from it.
 */
export function parsePskrPayload(payload: JsonObject, topic?: string): ReportItem | undefined {
  const [, , , , , topicSender, topicReceiver] = topic?.split("/", 12) ?? [];
  const frequencyHz = countField(payload["f"]);
  const at = unixField(payload["t"]);
  const mode = textField(payload["md"])?.toUpperCase();
  if (at === undefined || mode === undefined || frequencyHz === undefined || !isFrequency(frequencyHz))
    return undefined;
  const sent = unixField(payload["t_tx"]);
  return withoutAbsent({
    kind: "report" as const,
    at,
    time: isoTime(at),
    txTime: sent && isoTime(sent),
    sequence: countField(payload["sq"]),
    frequencyHz,
    mode,
    snrDb: numberField(payload["rp"]),
    sender: callField(payload["sc"] ?? callOfTopic(topicSender)) ?? null,
    senderGrid: gridField(payload["sl"]),
    receiver: receiverOf(payload["rc"] ?? callOfTopic(topicReceiver)),
    receiverGrid: gridField(payload["rl"]),
    senderDxcc: countField(payload["sa"]),
    receiverDxcc: countField(payload["ra"]),
    band: textField(payload["b"]),
  });
}

/** Parses an element `receptionReport`; `undefined` for any other text, and for one that is not well-formed. */
export function parsePskrElement(text: string): ReportItem | undefined {
  const attributes = attributesOf(text);
  if (attributes === undefined) return undefined;
  const frequencyHz = countField(attributes.get("frequency"));
  const at = unixField(attributes.get("flowStartSeconds"));
  const mode = textField(attributes.get("mode"))?.toUpperCase();
  if (at === undefined || mode === undefined || frequencyHz === undefined || !isFrequency(frequencyHz))
    return undefined;
  return withoutAbsent({
    kind: "report" as const,
    at,
    time: isoTime(at),
    frequencyHz,
    mode,
    snrDb: numberField(attributes.get("sNR")),
    sender: callField(attributes.get("senderCallsign")) ?? null,
    senderGrid: gridField(attributes.get("senderLocator")),
    receiver: receiverOf(attributes.get("receiverCallsign")),
    receiverGrid: gridField(attributes.get("receiverLocator")),
    senderEntity: textField(attributes.get("senderDXCC")),
    receiverEntity: textField(attributes.get("receiverDXCC")),
  });
}

/** Receivers name themselves: `PA11674SWL`, `K1RA-PI`. */
function receiverOf(value: unknown): string | null {
  const name = textField(value)?.toUpperCase();
  return name === undefined || name === "<...>" ? null : name;
}

/** A slash of a call is a full stop in a topic. */
function callOfTopic(level: string | undefined): string | undefined {
  return level === undefined || level === "null" ? undefined : level.replaceAll(".", "/");
}

function isFrequency(hertz: number): boolean {
  return hertz > 0 && hertz <= MAX_HZ;
}

const MAX_ATTRIBUTES = 64;

const ELEMENT =
  /^[ \t\r\n]*<receptionReport((?:[ \t\r\n]+[A-Za-z_][\w.-]{0,40}[ \t\r\n]*=[ \t\r\n]*(?:"[^"<]{0,1000}"|'[^'<]{0,1000}'))*)[ \t\r\n]*(?:\/>|><\/receptionReport>)[ \t\r\n]*$/;
const ATTRIBUTES = /([A-Za-z_][\w.-]*)[ \t\r\n]*=[ \t\r\n]*(?:"([^"]*)"|'([^']*)')/g;

/**
 * The attributes of a text that is this element alone; `undefined` for others.
 *
 * An XML parser would be a third of `hamkit/feeds`. What is read here is read by one too.
 */
function attributesOf(text: string): Map<string, string> | undefined {
  const list = ELEMENT.exec(text)?.[1];
  if (list === undefined || isUnusualXml(text)) return undefined;
  const attributes = new Map<string, string>();
  for (const [, name = "", double, single] of list.matchAll(ATTRIBUTES)) {
    const value = unescapeXml(double ?? single ?? "");
    if (value === undefined || attributes.has(name) || attributes.size === MAX_ATTRIBUTES) return undefined;
    attributes.set(name, value);
  }
  return attributes;
}
