/** Values of Keystone's columns, from the text of either database. */
import type { Attributes } from "@hamkit/identity/import-support/api-rules";
import type { Moment } from "@hamkit/identity/import-support/storage";

/** Whether a column is null, or not in the row. */
export function isAbsent(text: string | null | undefined): text is null | undefined {
  return text === null || text === undefined;
}

/** A boolean: numbers on MariaDB and MySQL, of which Keystone takes all but 0 as true; f and t on PostgreSQL. Null is false. */
export function isTrue(text: string | null | undefined): boolean {
  if (isAbsent(text)) return false;
  return text === "t" || text === "true" || (/^[+-]?\d+$/.test(text) && Number(text) !== 0);
}

/** A boolean that may be null. */
export function maybeFlag(text: string | null | undefined): boolean | null {
  return isAbsent(text) ? null : isTrue(text);
}

/** A value that can't be read. The value is no secret. */
export class ColumnError extends TypeError {
  override readonly name = "ColumnError";
  readonly column: string;
  readonly value: string;

  constructor(column: string, value: string, reason: string) {
    super(reason);
    this.column = column;
    this.value = value;
  }
}

/** A whole number. @throws {ColumnError} */
export function maybeNumber(text: string | null | undefined, column = "*"): number | null {
  if (isAbsent(text)) return null;
  if (Number.isSafeInteger(Number(text)) && text.trim() !== "") return Number(text);
  throw new ColumnError(column, text, "is not a whole number");
}

/** A date, or a date with a time, in UTC. @throws {ColumnError} */
export function maybeMoment(text: string | null | undefined, column = "*"): Moment | null {
  if (isAbsent(text)) return null;
  const [date = "", time = "00:00:00"] = text.split(" ");
  const moment = Math.floor(Date.parse(`${date}T${time}Z`));
  if (Number.isNaN(moment)) throw new ColumnError(column, text, "is not a date");
  return moment;
}

/** Milliseconds since 1970 of microseconds, in a range that JavaScript's dates have. @throws {ColumnError} */
export function maybeMicroseconds(text: string | null | undefined, column = "*"): Moment | null {
  if (isAbsent(text)) return null;
  const moment = Math.floor(Number(text) / 1000);
  if (Number.isNaN(new Date(moment).getTime())) throw new ColumnError(column, text, "is not a time");
  return moment;
}

/** A JSON object; empty if null. @throws {ColumnError} */
export function attributesOf(text: string | null | undefined, column = "*"): Attributes {
  if (isAbsent(text) || text === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Attributes;
  } catch {
    // Reported like JSON of another form.
  }
  throw new ColumnError(column, text, "is not a JSON object");
}

/** JSON whose text Keystone may have encoded as JSON once more. */
export function jsonOf(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return typeof value === "string" ? JSON.parse(value) : value;
}

/** The microseconds behind the millisecond: 0 to 999. */
export function microsBehind(text: string | null | undefined): number | null {
  return isAbsent(text) ? null : ((Number(text) % 1000) + 1000) % 1000;
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

/** Microseconds since 1970, of milliseconds and the microseconds behind them. */
export function microsecondsOf(moment: unknown, micros: unknown): number | null {
  return moment === undefined || moment === null ? null : Number(moment) * 1000 + Number(micros ?? 0);
}
