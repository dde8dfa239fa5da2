/** QDateTime: a Julian day, the time of day, and whose clock it shows. */
import type { DataReader, DataWriter } from "./data-stream.js";
import { NULL_LENGTH } from "./data-stream.js";
import type { WsjtxDateTime } from "./datagram.js";
import type { FieldType } from "./field-types.js";

/** Julian day of 1970-01-01. */
const EPOCH_DAY = 2_440_588n;
const DAY_MS = 86_400_000;

/** Days that a `Date` can hold, before and after 1970. */
const MAX_DAYS = 100_000_000n;

/** The Julian day of a null date: the least qint64. */
const NULL_DAY = -(2n ** 63n);

/** By the numbers of Qt::TimeSpec. */
const TIMESPECS = ["local", "utc", "offset", "zone"] as const;

/** UTC offsets are less than a day. */
const MAX_OFFSET_SECONDS = 86_399;

export const DATE_TIME: FieldType = {
  read: readDateTime,
  expected: "null or a date and time { iso, timespec }",
  write(writer, value) {
    if (value === null) {
      writer.int64(NULL_DAY);
      writer.uint32(NULL_LENGTH);
      writer.uint8(0);
      return true;
    }
    return isDateTime(value) && writeDateTime(writer, value);
  },
};

function readDateTime(reader: DataReader): WsjtxDateTime | null {
  const day = reader.int64();
  const ms = reader.uint32();
  const timespec = TIMESPECS[reader.uint8()];
  const offsetSeconds = timespec === "offset" ? reader.int32() : undefined;
  const zone = timespec === "zone" ? reader.utf16() : undefined;
  if (day === NULL_DAY || ms === NULL_LENGTH) return null;

  const days = day - EPOCH_DAY;
  const isDay = days > -MAX_DAYS && days < MAX_DAYS;
  const isOffset = Math.abs(offsetSeconds ?? 0) <= MAX_OFFSET_SECONDS;
  if (!isDay || ms >= DAY_MS || timespec === undefined || !isOffset) {
    reader.failure ??= "out of range";
    return null;
  }
  const text = new Date(Number(days) * DAY_MS + ms).toISOString();
  return {
    iso: timespec === "utc" ? text : text.slice(0, -1),
    timespec,
    ...(offsetSeconds === undefined ? undefined : { offsetSeconds }),
    ...(zone === undefined ? undefined : { zone }),
  };
}

function isDateTime(value: unknown): value is WsjtxDateTime {
  if (typeof value !== "object" || value === null) return false;
  const { iso, timespec, offsetSeconds = 0, zone = null } = value as Record<string, unknown>;
  return (
    typeof iso === "string" &&
    TIMESPECS.some((one) => one === timespec) &&
    Number.isInteger(offsetSeconds) &&
    Math.abs(offsetSeconds as number) <= MAX_OFFSET_SECONDS &&
    (zone === null || typeof zone === "string")
  );
}

function writeDateTime(writer: DataWriter, { iso, timespec, offsetSeconds, zone }: WsjtxDateTime): boolean {
  const time = clockTime(iso);
  if (Number.isNaN(time)) return false;
  const days = Math.floor(time / DAY_MS);
  writer.int64(BigInt(days) + EPOCH_DAY);
  writer.uint32(time - days * DAY_MS);
  writer.uint8(TIMESPECS.indexOf(timespec));
  if (timespec === "offset") writer.int32(offsetSeconds ?? 0);
  if (timespec === "zone") writer.utf16(zone ?? null);
  return true;
}

/** The milliseconds that a clock with this display would have, if it showed UTC. */
function clockTime(iso: string): number {
  const [, display] = /^([-+\d]+T[\d:.]+)Z?$/.exec(iso) ?? [];
  return display === undefined ? Number.NaN : Date.parse(`${display}Z`);
}

/**
 * The moment of a date and time.
 *
 * @param dateTime As a datagram has it; `null` for a time that was never set.
 * @returns `undefined` for `null`, for the clock of the sender's computer (`local`, which JTDX sends) and for named time zones: the datagram
 *   doesn't have their offset.
 * @example
 * instantOf({ iso: "2026-03-22T13:01:00.000", timespec: "offset", offsetSeconds: 3600 })?.toISOString(); // => "2026-03-22T12:01:00.000Z"
 * instantOf({ iso: "2026-03-22T13:01:00.000", timespec: "local" }); // => undefined
 */
export function instantOf(dateTime: WsjtxDateTime | null): Date | undefined {
  if (dateTime === null) return undefined;
  const { iso, timespec, offsetSeconds = 0 } = dateTime;
  if (timespec === "utc") return new Date(clockTime(iso));
  return timespec === "offset" ? new Date(clockTime(iso) - offsetSeconds * 1000) : undefined;
}
