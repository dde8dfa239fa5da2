/**
 * Parses reception reports of PSK Reporter: the JSON payloads of its MQTT service, and the XML elements of its query service.
 *
 * @see http://mqtt.pskreporter.info: topics and payload.
 * @see https://pskreporter.info/pskdev.html: the query.
 */
import { unescapeXml } from "../../text/xml-text.js";
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

/** Parses an element `receptionReport`; `undefined` for any other text. */
export function parsePskrElement(text: string): ReportItem | undefined {
  if (!/^\s*<receptionReport\s/.test(text)) return undefined;
  const attributes = attributesOf(text);
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

/** The attributes of an element. */
function attributesOf(text: string): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name = "", double, single] of text
    .slice(0, endOfTag(text))
    .matchAll(/\s([A-Za-z][\w:.-]{0,40})\s?=\s?(?:"([^"<]{0,1000})"|'([^'<]{0,1000})')/g)) {
    if (attributes.size === MAX_ATTRIBUTES) break;
    attributes.set(name, unescapeXml(double ?? single ?? ""));
  }
  return attributes;
}

/** Index of the `>` that is not in an attribute's value. */
function endOfTag(text: string): number {
  let quote = "";
  for (let index = 0; index < text.length; index++) {
    const character = text[index] ?? "";
    if (quote !== "") {
      if (character === quote) quote = "";
    } else if (character === '"' || character === "'") quote = character;
    else if (character === ">") return index;
  }
  return text.length;
}
