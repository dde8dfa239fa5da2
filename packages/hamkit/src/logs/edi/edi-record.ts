/** QSO records of EDI files: 15 values separated by semicolons. */
import { showValue } from "../../show-value.js";
import { modeOfCabrillo } from "../cabrillo/cabrillo-tables.js";
import { adifDate, adifTime } from "../contest-log.js";
import type { LogField, LogProblem } from "../log.js";
import { isEdiMode, modeOfEdi } from "./edi-tables.js";

/** The field that holds the whole record. */
export const RECORD_FIELD = "APP_HAMKIT_EDI";

/** A QSO record. */
export interface EdiRecord {
  /** The original line. */
  readonly text: string;
  /** YYMMDD. */
  readonly date: string;
  /** HHMM. */
  readonly time: string;
  readonly call: string;
  readonly mode: string;
  readonly sentReport: string;
  readonly sentNumber: string;
  readonly receivedReport: string;
  readonly receivedNumber: string;
  readonly exchange: string;
  readonly locator: string;
  readonly points: string;
  readonly isNewExchange: boolean;
  readonly isNewLocator: boolean;
  readonly isNewEntity: boolean;
  readonly isDuplicate: boolean;
}

/** Parses a record; `undefined` if it has no date, time or call. Values at the end may be missing. */
export function parseRecord(line: string): EdiRecord | undefined {
  const text = line.trim();
  // Programs also write 24/11/23 and 23:59.
  const values = text.split(";", 15).map((value) => value.trim());
  const [writtenDate = "", writtenTime = "", call = "", mode = "", sentReport = "", sentNumber = ""] = values;
  const [receivedReport = "", receivedNumber = "", exchange = "", locator = "", points = ""] =
    values.slice(6);
  const date = writtenDate
    .replace(/^(?:19|20)(?=\d{2}([-/.])\d)/, "")
    .replaceAll(/[-/.]/g, "")
    .replace(/^(?:19|20)(?=\d{6}$)/, "");
  const time = writtenTime.replace(":", "");
  if (!/^\d{6}$/.test(date) || !/^\d{4}$/.test(time) || call === "") return undefined;
  const [isNewExchange = false, isNewLocator = false, isNewEntity = false] = values
    .slice(11, 14)
    .map(isMarked);
  const isDuplicate = /^D$/i.test(values[14] ?? "");
  const exchanged = { sentReport, sentNumber, receivedReport, receivedNumber, exchange, locator, points };
  const marks = { isNewExchange, isNewLocator, isNewEntity, isDuplicate };
  return { text, date, time, call, mode, ...exchanged, ...marks };
}

function isMarked(text: string): boolean {
  return /^N$/i.test(text);
}

/** The text of a record. */
export function recordText(record: Omit<EdiRecord, "text">): string {
  const { date, time, call, mode, exchange, locator, points } = record;
  const reports = [record.sentReport, record.sentNumber, record.receivedReport, record.receivedNumber];
  const marks = [record.isNewExchange, record.isNewLocator, record.isNewEntity].map((mark) =>
    mark ? "N" : "",
  );
  return [
    date,
    time,
    call,
    mode,
    ...reports,
    exchange,
    locator,
    points,
    ...marks,
    record.isDuplicate ? "D" : "",
  ].join(";");
}

/**
 * A record as ADIF fields. `APP_HAMKIT_EDI` holds the whole record, so that points and marks are not lost. The call `ERROR`
 * marks a QSO that is not valid, and becomes no call.
 */
export function recordFields(
  record: EdiRecord,
  report: (kind: LogProblem["kind"], message: string) => void,
): LogField[] {
  const fields: LogField[] = [];
  const add = (name: string, value = "", type?: string) => {
    if (value !== "") fields.push(type === undefined ? { name, value } : { name, value, type });
  };
  add("CALL", record.call.toUpperCase() === "ERROR" ? "" : record.call.toUpperCase());
  const date = adifDate((record.date < "90" ? "20" : "19") + record.date);
  const time = adifTime(record.time);
  const mode = modeOfEdi(record.mode) ?? modeOfCabrillo(record.mode);
  if (date === undefined) report("date", `${showValue(record.date)} is not a date YYMMDD`);
  if (time === undefined) report("date", `${showValue(record.time)} is not a time HHMM`);
  if (mode === undefined && !isEdiMode(record.mode))
    report("line", `${showValue(record.mode)} is not a mode code from 0 to 9`);
  add("QSO_DATE", date);
  add("TIME_ON", time);
  add("MODE", typeof mode === "string" ? mode : mode?.mode);
  if (typeof mode === "object") add("SUBMODE", mode.submode);
  add("RST_SENT", record.sentReport);
  add("RST_RCVD", record.receivedReport);
  add("STX", record.sentNumber);
  add("SRX", record.receivedNumber);
  add("SRX_STRING", record.exchange);
  add("GRIDSQUARE", record.locator.toUpperCase());
  add(RECORD_FIELD, record.text, "S");
  return fields;
}
