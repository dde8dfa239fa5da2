/** Matches the reports of LoTW, eQSL and QRZ with a log. */
import type { AdifRecord } from "../adif/parse-adif.js";
import { ValueError } from "../errors.js";
import { createContactIndex, type SameContactOptions } from "./contact-index.js";
import { createMemoryStore, createRepeats, type RecordStore } from "./merge-logs.js";
import type { FieldChange, FieldConflict } from "./merge-records.js";

/** Services whose reports are matched. `log` is the log of another program: all its fields count. */
export type ReportSource = "lotw" | "eqsl" | "qrz" | "log";

/** The names of the sources. */
export const REPORT_SOURCES: readonly ReportSource[] = ["lotw", "eqsl", "qrz", "log"];

/** Options of `matchReport` and `createReportMatcher`. */
export interface MatchReportOptions extends SameContactOptions {
  /** Where the report is from; detected by its records when left out. */
  readonly source?: ReportSource | undefined;
}

/** What became of a record of a report. */
export interface ReportMatch {
  /** Index of the contact in the log. */
  readonly index: number;
  readonly minutes: number;
  /** The report confirms the contact; else the service only knows it. */
  readonly isConfirmed: boolean;
}

/** A contact of the log that a report has. */
export interface MatchedContact {
  readonly index: number;
  readonly record: AdifRecord;
  readonly changes: readonly FieldChange[];
  /** Fields of which the log's value is kept. */
  readonly conflicts: readonly FieldConflict[];
}

/** A log that is read twice, and reports between. */
export interface ReportMatcher {
  /** First reading of the log. */
  addContact(record: AdifRecord): void;
  /** A record of a report; `undefined` if no contact of the log is the same. */
  addReport(record: AdifRecord): ReportMatch | undefined;
  /** Second reading of the log, in the same order: the contact with what reports say; `undefined` where they say nothing. */
  next(record: AdifRecord): MatchedContact | undefined;
}

/**
 * Starts to match reports.
 *
 * @param options `store` keeps the records of the reports: in memory when left out.
 * @throws {ValueError} The source is none, or the window is no number of minutes.
 */
export function createReportMatcher({
  source,
  store = createMemoryStore(),
  ...options
}: MatchReportOptions & { readonly store?: RecordStore | undefined } = {}): ReportMatcher {
  if (source !== undefined && !REPORT_SOURCES.includes(source))
    throw new ValueError({ argument: "source", value: source, expected: REPORT_SOURCES.join(", ") });
  const index = createContactIndex(options);
  const repeats = createRepeats(store);
  let read = 0;

  return {
    addContact(record) {
      index.add(record);
    },
    addReport(record) {
      const found = index.find(record);
      if (found === undefined) return undefined;
      const fields = reportedFields(record, source ?? sourceOf(record));
      repeats.add(found.index, fields);
      return { ...found, isConfirmed: isConfirmation(fields) };
    },
    next(record) {
      const contact = read++;
      const { repeated, ...found } = repeats.merge(contact, record);
      return repeated === 0 ? undefined : { index: contact, ...found };
    },
  };
}

/** A log with what reports say. */
export interface MatchedReport {
  /** The log, with confirmations and what it lacked. */
  readonly records: readonly AdifRecord[];
  /** Contacts that the report has, in the order of the log. */
  readonly matched: readonly MatchedContact[];
  /** How many records of the report confirm a contact. */
  readonly confirmed: number;
  /** Records of the report that no contact of the log is the same as. */
  readonly unmatched: readonly AdifRecord[];
}

/**
 * Matches a report with a log, in memory.
 *
 * @param log Records of ADIF.
 * @param report Records of a report of LoTW, an inbox of eQSL, a QRZ logbook, or of another log.
 * @throws {ValueError} The source is none, or the window is no number of minutes.
 * @example
 * const log = [{ CALL: "DH1TW", BAND: "20m", MODE: "MFSK", SUBMODE: "FT4", QSO_DATE: "20240630", TIME_ON: "1200" }];
 * const report = [{ CALL: "DH1TW", BAND: "20m", MODE: "FT4", QSO_DATE: "20240630", TIME_ON: "1158", QSL_RCVD: "Y", QSLRDATE: "20240702", APP_LOTW_RXQSL: "2024-07-02 10:00:00" }];
 * const { matched, unmatched } = matchReport(log, report);
 * matched[0]?.changes.map(({ field, after }) => `${field}=${after}`); // => ["LOTW_QSL_RCVD=Y", "LOTW_QSLRDATE=20240702"]
 * unmatched; // => []
 */
export function matchReport(
  log: readonly AdifRecord[],
  report: Iterable<AdifRecord>,
  options: MatchReportOptions = {},
): MatchedReport {
  const matcher = createReportMatcher(options);
  for (const record of log) matcher.addContact(record);
  const unmatched: AdifRecord[] = [];
  let confirmed = 0;
  for (const record of report) {
    const match = matcher.addReport(record);
    if (match === undefined) unmatched.push(record);
    else if (match.isConfirmed) confirmed++;
  }
  const matched: MatchedContact[] = [];
  const records = log.map((record) => {
    const found = matcher.next(record);
    if (found !== undefined) matched.push(found);
    return found?.record ?? record;
  });
  return { records, matched, confirmed, unmatched };
}

/** By the fields that only the service writes. */
function sourceOf(record: AdifRecord): ReportSource {
  for (const name of Object.keys(record)) {
    if (name.startsWith("APP_LOTW_")) return "lotw";
    if (name.startsWith("APP_EQSL_")) return "eqsl";
    if (name.startsWith("APP_QRZLOG_")) return "qrz";
  }
  return "log";
}

/** What of a station a report says by what the other station signed. */
const DETAILS = [
  "DXCC",
  "COUNTRY",
  "CONT",
  "CQZ",
  "ITUZ",
  "GRIDSQUARE",
  "VUCC_GRIDS",
  "STATE",
  "CNTY",
  "IOTA",
  "PFX",
];

/** The fields of the log that a record of a report tells. */
function reportedFields(record: AdifRecord, source: ReportSource): AdifRecord {
  if (source === "log") return record;
  const details = Object.fromEntries(
    DETAILS.flatMap((name) => (record[name] === undefined ? [] : [[name, record[name]] as const])),
  );
  return { ...STATES[source](record), ...details };
}

const STATES: Readonly<Record<Exclude<ReportSource, "log">, (record: AdifRecord) => AdifRecord>> = {
  /** All contacts of a report are in LoTW; QSL_RCVD tells those that are confirmed. */
  lotw(record) {
    if (!isYes(record["QSL_RCVD"])) return { LOTW_QSL_SENT: "Y" };
    const { QSLRDATE: date, CREDIT_GRANTED: credit } = record;
    return {
      LOTW_QSL_RCVD: "Y",
      ...(date !== undefined && { LOTW_QSLRDATE: date }),
      ...(credit !== undefined && { CREDIT_GRANTED: credit }),
    };
  },
  /** The inbox has what other stations sent. */
  eqsl: (record) => ({
    EQSL_QSL_RCVD: "Y",
    ...(record["QSLRDATE"] !== undefined && { EQSL_QSLRDATE: record["QSLRDATE"] }),
    ...(isYes(record["APP_EQSL_AG"] ?? record["EQSL_AG"]) && { EQSL_AG: "Y" }),
  }),
  qrz(record) {
    const date = record["APP_QRZLOG_QSLDATE"];
    if (record["APP_QRZLOG_STATUS"]?.toUpperCase() !== "C") return { QRZCOM_QSO_UPLOAD_STATUS: "Y" };
    return {
      QRZCOM_QSO_DOWNLOAD_STATUS: "Y",
      ...(date !== undefined && { QRZCOM_QSO_DOWNLOAD_DATE: date }),
    };
  },
};

function isConfirmation(fields: AdifRecord): boolean {
  return ["LOTW_QSL_RCVD", "EQSL_QSL_RCVD", "QRZCOM_QSO_DOWNLOAD_STATUS", "QSL_RCVD"].some((field) =>
    isYes(fields[field]),
  );
}

function isYes(value: string | undefined): boolean {
  return /^[YV]$/i.test(value ?? "");
}
