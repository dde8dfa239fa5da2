/** Reads the fields of JSON documents and XML attributes of others: any type can come for any field. */
import { MODE_SPELLINGS } from "../../spots/spot-comment.js";

const MAX_TEXT_LENGTH = 1000;

/** Control characters, bidirectional formatting characters and line separators, which could control a terminal. */
// oxlint-disable-next-line no-control-regex -- matches control characters on purpose
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** A text, trimmed and printable; `undefined` for none, and for any other value. */
export function textField(value: unknown): string | undefined {
  if (typeof value !== "string" || value.length > MAX_TEXT_LENGTH) return undefined;
  const text = value.replaceAll(CONTROL, " ").trim();
  return text === "" ? undefined : text;
}

/** A finite number, also as a text, with a decimal point or comma; `undefined` for any other value. */
export function numberField(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (typeof value !== "string" || value.length > 30) return undefined;
  const text = value.trim().replace(",", ".");
  return /^[+-]?[0-9]+(?:\.[0-9]*)?$/.test(text) ? Number(text) : undefined;
}

/** A whole number from 0, also as a text. */
export function countField(value: unknown): number | undefined {
  const number = numberField(value);
  return Number.isSafeInteger(number) && (number ?? -1) >= 0 ? number : undefined;
}

/** A call in upper case without the brackets of a hashed one; `undefined` for text that can't be one. */
export function callField(value: unknown): string | undefined {
  const call = textField(value)
    ?.toUpperCase()
    .replace(/^<(.*)>$/, "$1");
  return call !== undefined && /^[A-Z0-9][A-Z0-9/-]{1,23}$/.test(call) ? call : undefined;
}

/** A locator of 4 to 10 characters in upper case; `undefined` for none, `null` for text that is no locator. RR73 is a greeting. */
export function gridField(value: unknown): string | null | undefined {
  const text = textField(value)?.toUpperCase();
  if (text === undefined) return undefined;
  const isLocator = /^[A-R]{2}[0-9]{2}(?:[A-X]{2}(?:[0-9]{2}(?:[A-X]{2})?)?)?$/.test(text);
  return isLocator && text !== "RR73" ? text : null;
}

/** A date in ISO 8601 with seconds; without a zone it is UTC. `undefined` for any other text. */
export function dateField(value: unknown): Date | undefined {
  const text = textField(value);
  const [, day, time, zone = "Z"] =
    /^([0-9]{4}-[0-9]{2}-[0-9]{2})[T ]([0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?)(Z|[+-][0-9]{2}:?[0-9]{2})?$/i.exec(
      text ?? "",
    ) ?? [];
  return day === undefined ? undefined : validDate(Date.parse(`${day}T${time}${zone.toUpperCase()}`));
}

/** Seconds since 1970. */
export function unixField(value: unknown): Date | undefined {
  const seconds = numberField(value);
  return seconds === undefined || seconds <= 0 ? undefined : validDate(seconds * 1000);
}

function validDate(milliseconds: number): Date | undefined {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9999 ? undefined : date;
}

/** ISO 8601, with fractions of a second only where there are some. */
export function isoTime(date: Date): string {
  return date.toISOString().replace(".000Z", "Z");
}

/** An object without the members that are `undefined`. */
export function withoutAbsent<Members extends object>(members: Members): Present<Members> {
  const present: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(members)) if (value !== undefined) present[name] = value;
  return present as Present<Members>;
}

/** Members that may be `undefined` become optional ones. */
export type Present<Members> = {
  [Name in keyof Members as undefined extends Members[Name] ? Name : never]?: Exclude<
    Members[Name],
    undefined
  >;
} & { [Name in keyof Members as undefined extends Members[Name] ? never : Name]: Members[Name] };

/** A mode in upper case and in one spelling; `undefined` for text that can't be one. */
export function normalizeMode(text: string | undefined): string | undefined {
  const mode = text?.trim().toUpperCase();
  if (mode === undefined || !/^[A-Z0-9][A-Z0-9 ./-]{0,19}$/.test(mode)) return undefined;
  if (mode === "PHONE") return "SSB";
  return MODE_SPELLINGS.get(mode) ?? mode;
}

/** The mode of which USB and LSB are sidebands. */
export function broadMode(mode: string): string {
  return mode === "USB" || mode === "LSB" ? "SSB" : mode;
}
