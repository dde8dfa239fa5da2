/** Reads and writes the records of a key/value store: JSON objects whose values are texts in Python's spelling. */
import type { EntityEntry, Moment, Period } from "../lookup/source.js";
import {
  INVALID_RECORD,
  isContinent,
  MOBILE_RECORDS,
  type CallsignRecord,
  type LandContinent,
  type LandRecord,
  type MobileRecord,
} from "../lookup/record.js";
import { showValue } from "../show-value.js";

/** A value and its period. */
export interface StoredEntry<Value> extends Period {
  readonly value: Value;
}

/** The reason why a record is unusable. */
export interface BadRecord {
  readonly problem: string;
}

type Field = readonly [name: string, text: string];

/** Records of unassigned prefixes and of stations at sea have a name only. */
const NAME_ONLY: ReadonlySet<CallsignRecord> = new Set([INVALID_RECORD, MOBILE_RECORDS.maritime]);

function isNameOnly(record: CallsignRecord): record is MobileRecord {
  return record.continent === "" || NAME_ONLY.has(record);
}

/** The text of a record with its period. */
export function writeRecord({ value, start, end }: StoredEntry<CallsignRecord>): string {
  return withPeriod(factsText(value), { start, end });
}

/** Cached, because thousands of entries share some hundred records. */
const knownTexts = new WeakMap<CallsignRecord, string>();

function factsText(record: CallsignRecord): string {
  let text = knownTexts.get(record);
  if (text === undefined) {
    text = pythonJson([["country", record.country], ...(isNameOnly(record) ? [] : factsOf(record))]);
    knownTexts.set(record, text);
  }
  return text;
}

function withPeriod(text: string, period: Period): string {
  const fields = writePeriod(period);
  return fields.length === 0 ? text : `${text.slice(0, -1)}, ${pythonJson(fields).slice(1)}`;
}

/**
 * The fields in the order that pyhamtools writes for country files and for log XML. Country files count longitude to the west,
 * which pyhamtools negates: their zero is -0.0.
 */
function factsOf({ adif, cqz, ituz, continent, latitude, longitude }: LandRecord): Field[] {
  const common: Field[] = [
    ["adif", String(adif)],
    ["cqz", String(cqz)],
  ];
  const north: Field = ["latitude", pythonFloat(latitude)];
  return ituz === undefined
    ? [...common, ["continent", continent], ["longitude", pythonFloat(longitude)], north]
    : [
        ...common,
        ["ituz", String(ituz)],
        ["continent", continent],
        north,
        ["longitude", pythonFloat(longitude === 0 ? -0 : longitude)],
      ];
}

export function writeInvalidOperation(period: Period): string {
  return pythonJson(writePeriod(period));
}

export function writeZoneException({ value, ...period }: StoredEntry<number>): string {
  return pythonJson([["cqz", String(value)], ...writePeriod(period)]);
}

export function writeEntity({ record, start, end, whitelist }: EntityEntry): string {
  const { country, prefix, deleted, cqz, continent, longitude, latitude } = record;
  return pythonJson([
    ["country", country],
    ["prefix", prefix],
    ["deleted", pythonBool(deleted)],
    ["cqz", String(cqz)],
    ["continent", continent],
    ["longitude", pythonFloat(longitude)],
    ["latitude", pythonFloat(latitude)],
    ...writePeriod({ start, end }),
    ...(whitelist
      ? ([["whitelist", pythonBool(true)], ...writePeriod(whitelist, "whitelist_")] as const)
      : []),
  ]);
}

function writePeriod({ start, end }: Period, names = ""): Field[] {
  const fields: Field[] = [];
  if (start !== undefined) fields.push([`${names}start`, writeMoment(start)]);
  if (end !== undefined) fields.push([`${names}end`, writeMoment(end)]);
  return fields;
}

/** Date and time without a separator. */
function writeMoment(moment: Moment): string {
  return new Date(moment).toISOString().slice(0, 19).replace("T", "");
}

/** In characters. */
const MAX_RECORD_LENGTH = 10_000;
const NUMBER = /^[+-]?\d{1,20}(?:\.\d{1,40})?(?:e[+-]?\d{1,3})?$/i;
const MOMENT = /^(\d{4}-\d\d-\d\d)(\d\d:\d\d:\d\d)$/;

/** The reason why a record is unusable. */
class RecordFault extends Error {}

export const readRecord = reader((fields): StoredEntry<CallsignRecord> => {
  return { value: Object.freeze(toRecord(fields)), ...toPeriod(fields) };
});

export const readInvalidOperation = reader((fields): StoredEntry<true> => {
  return { value: true, ...toPeriod(fields) };
});

export const readZoneException = reader((fields): StoredEntry<number> => {
  return { value: fields.whole("cqz", 0, 40), ...toPeriod(fields) };
});

/** An entity without its code, which is in the key. */
export const readEntity = reader((fields): Omit<EntityEntry, "adif"> => {
  const record = Object.freeze({
    deleted: fields.has("deleted") && fields.bool("deleted"),
    country: fields.text("country"),
    longitude: fields.degrees("longitude", 180),
    latitude: fields.degrees("latitude", 90),
    cqz: fields.whole("cqz", 0, 40),
    prefix: fields.has("prefix") ? fields.text("prefix", "") : "",
    continent: continentIn(fields),
  });
  const isListed = fields.has("whitelist") && fields.bool("whitelist");
  return {
    record,
    ...toPeriod(fields),
    ...(isListed && { whitelist: toPeriod(fields, "whitelist_") }),
  };
});

function toRecord(fields: Fields): CallsignRecord {
  const country = fields.text("country");
  if (!fields.has("adif")) {
    for (const record of NAME_ONLY) if (record.country === country) return record;
  }
  return {
    country,
    adif: fields.whole("adif", 0, 999),
    cqz: fields.whole("cqz", 0, 40),
    ...(fields.has("ituz") && { ituz: fields.whole("ituz", 0, 90) }),
    continent: continentIn(fields),
    latitude: fields.degrees("latitude", 90),
    longitude: fields.degrees("longitude", 180),
  };
}

function toPeriod(fields: Fields, names = ""): Period {
  const start = `${names}start`;
  const end = `${names}end`;
  return {
    ...(fields.has(start) && { start: fields.moment(start) }),
    ...(fields.has(end) && { end: fields.moment(end) }),
  };
}

function continentIn(fields: Fields): LandContinent {
  const continent = fields.text("continent");
  if (isContinent(continent)) return continent;
  return fields.fault("continent", "a continent");
}

/** A function that reads the text of a record, or returns why it is unusable. */
function reader<Value>(toValue: (fields: Fields) => Value): (text: string) => Value | BadRecord {
  return (text) => {
    try {
      return toValue(fieldsOf(text));
    } catch (failure) {
      if (failure instanceof RecordFault) return { problem: failure.message };
      throw failure;
    }
  };
}

/** Typed access to the values of a record. */
type Fields = ReturnType<typeof fieldsOf>;

function fieldsOf(text: string) {
  const object = parseObject(text);
  const fault = (name: string, expected: string): never => {
    throw new RecordFault(`expected ${name}, ${expected}, found ${showValue(object.get(name))}`);
  };
  const number = (name: string): number => {
    const value = object.get(name);
    if (typeof value === "number") return value;
    return typeof value === "string" && NUMBER.test(value.trim()) ? Number(value) : Number.NaN;
  };
  return {
    fault,
    has: (name: string): boolean => object.has(name),
    /** A text that is not blank; `blank` instead of a blank one, if given. */
    text(name: string, blank?: string): string {
      const value = object.get(name);
      if (typeof value === "string") return value.trim() === "" ? (blank ?? fault(name, "a text")) : value;
      return fault(name, "a text");
    },
    whole(name: string, min: number, max: number): number {
      const value = number(name);
      if (Number.isInteger(value) && value >= min && value <= max) return value;
      return fault(name, `a whole number from ${min} to ${max}`);
    },
    /** Adding 0 turns -0 into 0. */
    degrees(name: string, limit: number): number {
      const value = number(name);
      return Math.abs(value) <= limit ? value + 0 : fault(name, `degrees from -${limit} to ${limit}`);
    },
    bool(name: string): boolean {
      const value = String(object.get(name)).toLowerCase();
      return value === "true" || (value === "false" ? false : fault(name, "True or False"));
    },
    moment(name: string): Moment {
      const [, day, time] = MOMENT.exec(String(object.get(name))) ?? [];
      const iso = `${day}T${time}.000Z`;
      const moment = Date.parse(iso);
      // Some engines read 30 February as a day of March.
      const isReal = !Number.isNaN(moment) && new Date(moment).toISOString() === iso;
      return isReal ? moment : fault(name, "a date such as 2013-11-1500:00:00");
    },
  };
}

/** The object of a JSON text, as a map, which inherits no names such as "constructor". */
function parseObject(text: string): ReadonlyMap<string, unknown> {
  if (text.length > MAX_RECORD_LENGTH)
    throw new RecordFault(`expected a record, found ${text.length} characters`);
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return new Map(Object.entries(value));
    }
  } catch {
    // Reported below.
  }
  throw new RecordFault(`expected a JSON object, found ${showValue(text)}`);
}

/** A float in the spelling of `repr`: 51.0, -0.0, 1e-05, 1e+16. */
export function pythonFloat(value: number): string {
  if (Object.is(value, -0)) return "-0.0";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) {
    const [digits, exponent = ""] = value.toExponential().split("e");
    return `${digits}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
  }
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

/** A truth value in the spelling of `str`. */
export function pythonBool(value: boolean): string {
  return value ? "True" : "False";
}

/** A flat object of texts in the spelling of `json.dumps`: blanks behind separators, ASCII only. */
export function pythonJson(fields: Iterable<readonly [name: string, text: string]>): string {
  const parts = Array.from(fields, ([name, text]) => `${quoted(name)}: ${quoted(text)}`);
  return `{${parts.join(", ")}}`;
}

function quoted(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[\u007F-\uFFFF]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
