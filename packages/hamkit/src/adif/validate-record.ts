/** Validates the values of a record. */
import { ArgumentTypeError } from "../errors.js";
import type { AdifRecord } from "./parse-adif.js";
import type { AdifFinding } from "./rules/fault.js";
import { fieldNamed, faultsOf } from "./rules/field-rules.js";

/** Options of `validateRecord`. */
export interface ValidateRecordOptions {
  /**
   * The DXCC entity of a callsign at a time, such as by `identify` of hamkit/lookup; `undefined` if it is not known. With
   * it, DXCC and CALL are compared.
   */
  readonly entityOf?: (callsign: string, at: Date | undefined) => number | undefined;
  /** Names, in upper case, of fields that the header defines. With it, unknown fields are reported. */
  readonly userDefined?: Iterable<string>;
  /** The moment that dates may not be after, by more than the time zones differ; now when left out. */
  readonly now?: Date;
}

/**
 * Checks each value by the data type, range and enumeration of its field, and contradictions between fields: band and
 * frequency, submode and mode; zones, continent and country and DXCC; begin and end; latitude and longitude; with `entityOf`
 * also DXCC and call.
 *
 * Unknown contests and submodes are legal, and so are values of enumerations in any case. Empty values are not checked.
 *
 * @param record Values by field name in upper case.
 * @returns Findings, in the order of the fields; none for a valid record. `info` is legal: an import-only value, say.
 * @throws {ArgumentTypeError} The argument is not an object of strings.
 * @example
 * validateRecord({ CALL: "DH1TW", MODE: "FT4" })[0]?.rule; // => "mode-that-is-a-submode"
 */
export function validateRecord(
  record: AdifRecord,
  options: ValidateRecordOptions = {},
): readonly AdifFinding[] {
  requireRecord(record);
  const findings: AdifFinding[] = [];
  for (const { level, rule, field, message } of faultsOf(
    record,
    dayAfter(options.now?.getTime() ?? Date.now()),
  ))
    if (level !== "none") findings.push({ level, rule, field, message });
  if (options.entityOf !== undefined) findings.push(...entityFindings(record, options.entityOf));
  if (options.userDefined !== undefined)
    findings.push(...unknownFields(record, new Set(options.userDefined)));
  return findings;
}

const DAY_MS = 86_400_000;

/** The last answer: it is the same for a day. */
let last = { day: Number.NaN, text: "" };

/** The day after a moment, as YYYYMMDD: some clocks show it already. */
function dayAfter(ms: number): string {
  const day = Math.floor(ms / DAY_MS) + 1;
  if (day !== last.day) {
    const text = new Date(day * DAY_MS).toISOString().slice(0, 10).replaceAll("-", "");
    last = { day, text };
  }
  return last.text;
}

function requireRecord(record: unknown): void {
  if (typeof record === "object" && record !== null && hasStrings(record as AdifRecord)) return;
  throw new ArgumentTypeError({ argument: "record", value: record, expected: "an object of field values" });
}

function hasStrings(record: Readonly<Record<string, unknown>>): boolean {
  for (const name of Object.keys(record)) if (typeof record[name] !== "string") return false;
  return true;
}

function entityFindings(
  record: AdifRecord,
  entityOf: NonNullable<ValidateRecordOptions["entityOf"]>,
): AdifFinding[] {
  const { CALL: call = "", DXCC: dxcc = "" } = record;
  if (call === "" || !/^\d+$/.test(dxcc)) return [];
  const expected = entityOf(call, timeOf(record));
  if (expected === undefined || expected === Number(dxcc)) return [];
  const message = `DXCC: ${dxcc}, but ${call} is in entity ${expected}`;
  return [{ level: "warning", rule: "dxcc-call-conflict", field: "DXCC", message }];
}

/** The beginning of the QSO; `undefined` if date or time are missing or invalid. */
function timeOf({ QSO_DATE: date = "", TIME_ON: time = "" }: AdifRecord): Date | undefined {
  const [, year, month, day, hour, minute] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)/.exec(date + time) ?? [];
  const at = new Date(`${year}-${month}-${day}T${hour}:${minute}:00Z`);
  return Number.isNaN(at.getTime()) ? undefined : at;
}

function unknownFields(record: AdifRecord, userDefined: ReadonlySet<string>): AdifFinding[] {
  return Object.keys(record)
    .filter((name) => fieldNamed(name) === undefined && !name.startsWith("APP_") && !userDefined.has(name))
    .map((field) => ({
      level: "info",
      rule: "field-unknown",
      field,
      message: `${field}: not a field of ADIF 3.1.7, nor defined in the header`,
    }));
}
