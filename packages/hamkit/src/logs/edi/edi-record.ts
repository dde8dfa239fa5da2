/** QSO records of EDI files: 15 values separated by semicolons. */
import type { LogField } from "../log.js";
import { modeOfEdi } from "./edi-tables.js";

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
  const values = text.split(";", 15).map((value) => value.trim());
  const [date = "", time = "", call = "", mode = "", sentReport = "", sentNumber = ""] = values;
  const [receivedReport = "", receivedNumber = "", exchange = "", locator = "", points = ""] =
    values.slice(6);
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
export function recordFields(record: EdiRecord): LogField[] {
  const fields: LogField[] = [];
  const add = (name: string, value = "", type?: string) => {
    if (value !== "") fields.push(type === undefined ? { name, value } : { name, value, type });
  };
  add("CALL", record.call.toUpperCase() === "ERROR" ? "" : record.call.toUpperCase());
  add("QSO_DATE", (record.date < "90" ? "20" : "19") + record.date);
  add("TIME_ON", record.time);
  add("MODE", modeOfEdi(record.mode));
  add("RST_SENT", record.sentReport);
  add("RST_RCVD", record.receivedReport);
  add("STX", record.sentNumber);
  add("SRX", record.receivedNumber);
  add("SRX_STRING", record.exchange);
  add("GRIDSQUARE", record.locator.toUpperCase());
  add(RECORD_FIELD, record.text, "S");
  return fields;
}
