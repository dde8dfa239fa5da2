/** Repairs ADIF files by named rules, each of which is reported and can be undone. */
import { ArgumentTypeError } from "../errors.js";
import type { Log, LogHeader, Qso } from "../logs/log.js";
import {
  scanAdif,
  type AdifFileFinding,
  type AdifHeader,
  type AdifRecord,
  type RecordSink,
} from "./parse-adif.js";
import { faultsOf, fieldNamed } from "./rules/field-rules.js";

/** A repair of one field. */
export interface AdifRepair {
  /** Index of the record, from 0. */
  readonly record: number;
  /** The rule, as findings name it. */
  readonly rule: string;
  readonly field: string;
  /** The value before; `undefined` if the field was added. */
  readonly before: string | undefined;
  /** The value after; `undefined` if the field was removed. */
  readonly after: string | undefined;
}

/** A repaired file. */
export interface RepairedAdif {
  readonly header: AdifHeader;
  readonly records: readonly AdifRecord[];
  /** In the order in which they were made. */
  readonly repairs: readonly AdifRepair[];
  /** What was wrong with the text of the file, also where nothing had to be repaired. */
  readonly findings: readonly AdifFileFinding[];
}

/**
 * Reads a file in ADI, ADX or JSON and repairs what has only one plausible reading: wrong lengths, missing lengths, line breaks,
 * dates, times (also of 12 hours), decimal commas, units, groups of digits, modes that are submodes, names and words instead of
 * codes, control characters around a value.
 *
 * What has several readings stays as it is: `validateRecord` reports it. The band is not changed by the frequency, nor the
 * mode by the submode.
 *
 * @param input Bytes in UTF-8, Windows-1252 or UTF-16, or text.
 * @returns The records, and each change of a value; `undoRepairs` reverts them.
 * @throws {ArgumentTypeError} The input is neither bytes nor a string.
 * @example
 * const { records, repairs } = repairAdif("<CALL:5>DH1TW<MODE:3>FT4<EOR>");
 * records[0]?.SUBMODE; // => "FT4"
 * repairs[0]?.rule; // => "mode-that-is-a-submode"
 */
export function repairAdif(input: string | Uint8Array): RepairedAdif {
  let header: AdifHeader = { text: "", fields: {} };
  const records: AdifRecord[] = [];
  const changes = scanRepaired(input, {
    header: (read) => (header = read),
    record: (record) => records.push(record),
  });
  return { header, records, ...changes };
}

/**
 * Repairs a file into a log that `writeLog` of hamkit/logs writes. Types of fields are kept; text between records is not.
 */
export function repairLog(input: string | Uint8Array): {
  log: Log;
  repairs: readonly AdifRepair[];
  findings: readonly AdifFileFinding[];
} {
  let header: LogHeader = { text: "", fields: [] };
  const qsos: Qso[] = [];
  const changes = scanRepaired(input, {
    header: ({ text }, fields) => (header = { text, fields }),
    record: (record, fields) => {
      const types = new Map(fields.map(({ name, type }) => [name, type]));
      const named = Object.entries(record).map(([name, value]) => ({ name, value, type: types.get(name) }));
      qsos.push({ line: 1, fields: named });
    },
  });
  const log: Log = { format: "adi", header, qsos, problems: [], problemCount: 0 };
  return { log, ...changes };
}

function scanRepaired(
  input: string | Uint8Array,
  sink: Pick<RecordSink, "header" | "record">,
): Pick<RepairedAdif, "repairs" | "findings"> {
  const repairs: AdifRepair[] = [];
  const findings: AdifFileFinding[] = [];
  let index = 0;
  scanAdif(
    input,
    {
      header: sink.header,
      record: (record, fields) => {
        repairRecord(record, index++, repairs);
        sink.record(record, fields);
      },
      finding: (finding) => findings.push(finding),
      corrected: (correction) => repairs.push(correction),
    },
    { lengths: "evident", isField: (name) => fieldNamed(name) !== undefined },
  );
  return { repairs, findings };
}

/** One repair a round; a record with more faults than this is not a record. */
const MAX_ROUNDS = 200;

/** Repairs a record in place. */
function repairRecord(record: AdifRecord, index: number, repairs: AdifRepair[]): void {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const found = faultsOf(record).find(({ fix }) => fix !== undefined);
    if (found?.fix === undefined) return;
    // One by one, since a repair may change the fields that other rules look at.
    for (const [field, after] of Object.entries(found.fix)) {
      const before = record[field];
      if (before === after) continue;
      repairs.push({ record: index, rule: found.rule, field, before, after });
      setField(record, field, after);
    }
  }
}

/**
 * Records as they were before their repairs, by the letter of the file.
 *
 * @param repairs Those of `repairAdif`, or some of the last of them.
 * @returns New records; the arguments stay as they are.
 * @throws {ArgumentTypeError} An argument is not an array.
 * @example
 * const { records, repairs } = repairAdif("<CALL:5>DH1TW<MODE:3>FT4<EOR>");
 * undoRepairs(records, repairs)[0]?.MODE; // => "FT4"
 */
export function undoRepairs(
  records: readonly AdifRecord[],
  repairs: readonly AdifRepair[],
): readonly AdifRecord[] {
  for (const [argument, value] of Object.entries({ records, repairs }))
    if (!Array.isArray(value))
      throw new ArgumentTypeError({ argument, value, expected: `the ${argument} of repairAdif` });
  const originals = records.map((record) => ({ ...record }));
  for (const { record, field, before } of repairs.toReversed()) {
    const original = originals[record];
    if (original !== undefined) setField(original, field, before);
  }
  return originals;
}

function setField(record: AdifRecord, field: string, value: string | undefined): void {
  if (value === undefined) delete record[field];
  else record[field] = value;
}
