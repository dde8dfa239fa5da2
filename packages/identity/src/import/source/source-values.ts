/** Values of Keystone's columns, from the text of either database. */
import type { Attributes } from "../../platform/attributes.js";
import type { Moment } from "../../platform/clock.js";

/** Whether a column is null, or not in the row. */
export function isAbsent(text: string | null | undefined): text is null | undefined {
  return text === null || text === undefined;
}

/** A boolean: 0 and 1 on MariaDB and MySQL, f and t on PostgreSQL. */
export function isTrue(text: string | null | undefined): boolean {
  return text === "1" || text === "t" || text === "true";
}

/** A boolean that may be null. */
export function maybeFlag(text: string | null | undefined): boolean | null {
  return isAbsent(text) ? null : isTrue(text);
}

/** A whole number. */
export function maybeNumber(text: string | null | undefined): number | null {
  return isAbsent(text) ? null : Number(text);
}

/** A date, or a date with a time, in UTC. */
export function maybeMoment(text: string | null | undefined): Moment | null {
  if (isAbsent(text)) return null;
  const [date = "", time = "00:00:00"] = text.split(" ");
  const moment = Math.floor(Date.parse(`${date}T${time}Z`));
  if (Number.isNaN(moment)) throw new TypeError(`"${text}" is not a date`);
  return moment;
}

/** Microseconds since 1970. */
export function maybeMicroseconds(text: string | null | undefined): Moment | null {
  return isAbsent(text) ? null : Math.floor(Number(text) / 1000);
}

/** A JSON object; empty if null. */
export function attributesOf(text: string | null | undefined): Attributes {
  const value: unknown = isAbsent(text) || text === "" ? {} : JSON.parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new TypeError("is not a JSON object");
  return value as Attributes;
}

/** JSON whose text Keystone may have encoded as JSON once more. */
export function jsonOf(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return typeof value === "string" ? JSON.parse(value) : value;
}

/** Whole seconds, as Keystone's columns hold them: `2026-11-22 06:04:24`. */
export function timeText(moment: unknown): string | null {
  if (moment === undefined || moment === null) return null;
  return new Date(Number(moment)).toISOString().slice(0, 19).replace("T", " ");
}

/** `2026-11-22` */
export function dateText(moment: unknown): string | null {
  return timeText(moment)?.slice(0, 10) ?? null;
}

/** Microseconds since 1970, of milliseconds. */
export function microsecondsOf(moment: unknown): number | null {
  return moment === undefined || moment === null ? null : Number(moment) * 1000;
}
