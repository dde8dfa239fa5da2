/** Validates the responses of the log service's API. */
import { AnswerError } from "../errors.js";
import { isContinent, MOBILE_RECORDS, type CallsignRecord, type LandContinent } from "../lookup/record.js";

/** The result of a lookup. */
export type LookupResult<Value> = "unknown" | "invalid-operation" | Value;

/** A line of a batch request, which the response repeats. */
export interface BatchLine {
  /** The callsign. */
  readonly C: string;
  /** The moment, as `YYYY-MM-DD HH:MM:SS`. */
  readonly T: string;
}

/** The batch endpoint's result for a callsign. */
export interface BatchEntry {
  readonly adif: number;
  /** CQ zone, where the service knows it. */
  readonly cqz: number | undefined;
  readonly blocked: true | undefined;
}

/** An object of a response, and the name of the service in messages. */
interface Fields {
  readonly service: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Values of the field for the entity code. */
const NOT_FOUND = 0;
const INVALID_OPERATION = 1000;

const MOBILE_BY_CODE = new Map(Object.values(MOBILE_RECORDS).map((record) => [record.adif, record]));

/** The record of stations at sea or in the air, by its code. */
export function mobileRecordOf(adif: number): CallsignRecord | undefined {
  return MOBILE_BY_CODE.get(adif);
}

/**
 * The value of a JSON text.
 *
 * @throws {AnswerError} It is not JSON. The cause, which quotes the text, is left out if the text contains the secret: an error
 *   page may repeat the address.
 */
export function parseJson(
  text: string,
  { service, secret }: { readonly service: string; readonly secret: string },
): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const hasSecret = text.includes(secret) || text.includes(encodeURIComponent(secret));
    throw new AnswerError(
      service,
      `expected JSON, found ${describeText(text.trim())}`,
      hasSecret ? {} : { cause },
    );
  }
}

/** The record of a single lookup. @throws {AnswerError} The response has another form. */
export function readApiRecord(json: unknown, service: string): LookupResult<CallsignRecord> {
  const fields = fieldsOf(json, service);
  const adif = wholeOf(fields, "DXCC", [0, INVALID_OPERATION]);
  if (adif === NOT_FOUND) return "unknown";
  if (adif === INVALID_OPERATION) return "invalid-operation";
  return (
    mobileRecordOf(adif) ??
    Object.freeze({
      country: nameOf(fields, "Name"),
      adif,
      continent: continentOf(fields, "Continent"),
      latitude: numberOf(fields, "Lat", [-90, 90]),
      // The service counts west positive. The difference from 0 is never -0.
      longitude: 0 - numberOf(fields, "Lon", [-180, 180]),
      cqz: wholeOf(fields, "CQZ", [0, 40]),
      ...(flagOf(fields, "Blocked") && { blocked: true as const }),
    })
  );
}

/**
 * The entries of a batch response, in the order of the lines.
 *
 * @throws {AnswerError} The response has another form, or belongs to other lines.
 */
export function readBatch(
  json: unknown,
  lines: readonly BatchLine[],
  service: string,
): LookupResult<BatchEntry>[] {
  if (!Array.isArray(json)) throw new AnswerError(service, `expected an array, found ${kindOf(json)}`);
  if (json.length !== lines.length)
    throw new AnswerError(service, `expected ${lines.length} entries, found ${json.length}`);
  return lines.map((line, index) => readEntry(fieldsOf(json[index], service), line));
}

function readEntry(fields: Fields, { C, T }: BatchLine): LookupResult<BatchEntry> {
  const { values } = fields;
  if (values["C"] !== C) throw fault(fields, "C", C);
  if (values["T"] !== T) throw fault(fields, "T", T);
  const adif = hasValue(fields, "A") ? wholeOf(fields, "A", [0, INVALID_OPERATION]) : NOT_FOUND;
  if (adif === NOT_FOUND) return "unknown";
  if (adif === INVALID_OPERATION) return "invalid-operation";
  const cqz = hasValue(fields, "Z") ? wholeOf(fields, "Z", [0, 40]) : undefined;
  return { adif, cqz, blocked: flagOf(fields, "B") || undefined };
}

function fieldsOf(json: unknown, service: string): Fields {
  if (typeof json === "object" && json !== null && !Array.isArray(json)) {
    return { service, values: json as Record<string, unknown> };
  }
  throw new AnswerError(service, `expected an object, found ${kindOf(json)}`);
}

function hasValue({ values }: Fields, key: string): boolean {
  return (values[key] ?? null) !== null;
}

type Range = readonly [min: number, max: number];

/** Accepts numbers as texts, which the service also sends. */
function numberOf(fields: Fields, key: string, [min, max]: Range): number {
  const value = fields.values[key];
  const number = typeof value === "string" && NUMBER.test(value) ? Number(value) : value;
  if (typeof number === "number" && number >= min && number <= max) return number;
  throw fault(fields, key, `a number from ${min} to ${max}`);
}

const NUMBER = /^[-+]?\d{1,4}(?:\.\d{1,15})?$/;

function wholeOf(fields: Fields, key: string, range: Range): number {
  const number = numberOf(fields, key, range);
  if (Number.isInteger(number)) return number;
  throw fault(fields, key, "a whole number");
}

function nameOf(fields: Fields, key: string): string {
  const value = fields.values[key];
  if (typeof value === "string" && value.trim() !== "") return value;
  throw fault(fields, key, "a name");
}

function continentOf(fields: Fields, key: string): LandContinent {
  const value = fields.values[key];
  if (isContinent(value)) return value;
  throw fault(fields, key, "a continent");
}

/** `false` for an absent flag. */
function flagOf(fields: Fields, key: string): boolean {
  const value = fields.values[key];
  if (hasValue(fields, key) && typeof value !== "boolean") throw fault(fields, key, "true or false");
  return value === true;
}

function fault(fields: Fields, key: string, expected: string): AnswerError {
  const found = kindOf(fields.values[key]);
  return new AnswerError(fields.service, `expected ${key} to be ${expected}, found ${found}`);
}

/** The kind of an unexpected value. Texts are not quoted, because a response may repeat the key. */
function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null || typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value === "string") return "another text";
  return Array.isArray(value) ? "an array" : "an object";
}

function describeText(text: string): string {
  if (text === "") return "nothing";
  if (text.startsWith("<")) return "a web page";
  return /^[[{]/.test(text) ? "invalid or truncated JSON" : "other text";
}
