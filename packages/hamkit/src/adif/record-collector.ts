/** Turns fields into records, and reports what is wrong with their names. */
import type { LogField } from "../logs/log.js";
import type { AdiSink } from "./adi-scanner.js";
import type { AdifFileFinding } from "./adif-finding.js";

/** A record: values by field name in upper case. */
export type AdifRecord = Record<string, string>;

/** The header of a file. */
export interface AdifHeader {
  /** The free text before the first field of an .adi file. */
  readonly text: string;
  /** Values by field name in upper case. */
  readonly fields: AdifRecord;
}

/** Receives complete records. */
export interface RecordSink {
  header(header: AdifHeader, fields: readonly LogField[]): void;
  /** `fields` are the same values with their types. */
  record(record: AdifRecord, fields: readonly LogField[]): void;
  finding(finding: AdifFileFinding): void;
  /** A value that was read otherwise than its tag declares. `record` is its index, from 0. */
  corrected?(correction: TextCorrection): void;
}

/** A value that was read otherwise than its tag declares. */
export interface TextCorrection {
  readonly record: number;
  readonly rule: string;
  readonly field: string;
  /** The value by the letter; `undefined` if the field did not exist. */
  readonly before: string | undefined;
  readonly after: string;
}

/** A sink for a scanner. */
export function createRecordCollector(sink: RecordSink, format: "adi" | "adx" | "json"): AdiSink {
  let record = 0;
  const report = (level: AdifFileFinding["level"], rule: string, field: string, message: string) =>
    sink.finding({ level, rule, message, record, field });
  return {
    header(fields, text) {
      if (fields.some(({ name }) => name === "ADIF_VERS"))
        sink.finding({
          level: "info",
          rule: "adif-vers",
          field: "ADIF_VERS",
          message: "ADIF_VERS: the field is named ADIF_VER",
        });
      sink.header(
        { text: text.replace(/^\u00EF\u00BB\u00BF|^\uFEFF/, ""), fields: objectOf(fields) },
        fields,
      );
    },
    record(fields) {
      const values: AdifRecord = {};
      for (const { name, value } of fields) {
        if (values[name] !== undefined)
          report("warning", "duplicate-field", name, `${name}: occurs twice; the last value is taken`);
        if (format === "adi") checkName(name, report);
        values[name] = value;
      }
      sink.record(values, fields);
      record++;
    },
    finding: (finding, place) => sink.finding(place === undefined ? { ...finding, record } : finding),
    corrected(field, rule, before, after) {
      sink.corrected?.({ record, rule, field, before, after });
    },
  };
}

function checkName(
  name: string,
  report: (level: AdifFileFinding["level"], rule: string, field: string, message: string) => void,
): void {
  if (name.endsWith("_INTL"))
    report("warning", "intl-field-in-adi", name, `${name}: occurs in .adx files only`);
  else if (name.startsWith("APP_") && name.indexOf("_", 4) < 0)
    report("info", "app-field-without-program", name, `${name}: expected APP_PROGRAM_FIELD`);
}

function objectOf(fields: readonly LogField[]): AdifRecord {
  const values: AdifRecord = {};
  for (const { name, value } of fields) values[name] = value;
  return values;
}
