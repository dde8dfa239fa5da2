/** Parses QSO lines of Cabrillo files and converts them to ADIF fields. */
import { showValue } from "../../show-value.js";
import { adifDate, adifTime, hasCallForm } from "../contest-log.js";
import type { LogField, LogProblem } from "../log.js";
import { bandOfCabrillo, modeOfCabrillo } from "./cabrillo-tables.js";

/** The field that holds the whole line. */
export const LINE_FIELD = "APP_HAMKIT_CABRILLO";

/** The columns of a QSO line. */
export interface CabrilloQso {
  /** The original line. */
  readonly text: string;
  readonly frequency: string;
  readonly mode: string;
  readonly date: string;
  readonly time: string;
  readonly ownCall: string;
  readonly sent: readonly string[];
  readonly call: string;
  readonly received: readonly string[];
}

/**
 * Parses a QSO line; `undefined` if it has too few words, or none that is the other station's call.
 *
 * The number of words of an exchange depends on the contest, and columns shift. But both stations send the same number, so
 * that the other call is in the middle; an extra word at the end is the transmitter number.
 *
 * @param text The line, beginning with `QSO:`, trimmed.
 */
export function parseQsoLine(text: string): CabrilloQso | undefined {
  const words = text
    .slice(text.indexOf(":") + 1)
    .trimStart()
    .split(/\s+/);
  const [frequency = "", mode = "", date = "", time = "", ownCall = "", ...rest] = words;
  const middle = placeOfCall(rest);
  if (middle < 0) return undefined;
  const behind = rest.slice(middle + 1);
  const hasTransmitter = behind.length === middle + 1 && /^[01]$/.test(behind.at(-1) ?? "");
  return {
    text,
    frequency,
    mode: mode.toUpperCase(),
    date,
    time,
    ownCall,
    sent: rest.slice(0, middle),
    call: rest[middle] ?? "",
    received: hasTransmitter ? behind.slice(0, -1) : behind,
  };
}

/** Index of the other call: the word nearest to the middle that has the form of a call; negative without one. */
function placeOfCall(words: readonly string[]): number {
  const middle = (words.length - 1) >> 1;
  for (let distance = 0; distance <= words.length; distance++) {
    for (const index of [middle - distance, middle + distance]) {
      if (hasCallForm(words[index] ?? "")) return index;
    }
  }
  return -1;
}

/** Reports a column that is not understood. */
export type ReportColumn = (kind: LogProblem["kind"], message: string) => void;

/**
 * A QSO line as ADIF fields. `APP_HAMKIT_CABRILLO` holds the whole line, so that no information is lost.
 *
 * A column that is not understood becomes no field, and is reported.
 *
 * @param hasReports Whether exchanges begin with signal reports.
 * @param previous The fields of the previous QSO: equal ones are shared, which saves memory.
 */
export function qsoFields(
  qso: CabrilloQso,
  hasReports: boolean,
  report: ReportColumn,
  previous: readonly LogField[] = [],
): LogField[] {
  const { sent, received } = qso;
  const from = hasReports ? 1 : 0;
  const fields: LogField[] = [];
  const add = (name: string, value = "", type?: string) => {
    if (value === "") return;
    const before = previous[fields.length];
    fields.push(before?.name === name && before.value === value ? before : { name, value, type });
  };
  add("STATION_CALLSIGN", qso.ownCall.toUpperCase());
  add("CALL", qso.call.toUpperCase());
  const date = adifDate(qso.date);
  const time = adifTime(qso.time);
  const band = bandOfCabrillo(qso.frequency);
  const mode = modeOfCabrillo(qso.mode);
  if (date === undefined) report("date", `${showValue(qso.date)} is not a date YYYY-MM-DD`);
  if (time === undefined) report("date", `${showValue(qso.time)} is not a time HHMM`);
  if (band === undefined) report("line", `${showValue(qso.frequency)} is not a frequency in an amateur band`);
  if (mode === undefined)
    report("line", `${showValue(qso.mode)} is not a mode of Cabrillo (CW, PH, FM, RY, DG)`);
  add("QSO_DATE", date);
  add("TIME_ON", time);
  add("BAND", band?.band);
  add("FREQ", band?.megahertz);
  add("MODE", mode?.mode);
  add("SUBMODE", mode?.submode);
  if (hasReports) {
    add("RST_SENT", sent[0]);
    add("RST_RCVD", received[0]);
  }
  add("STX_STRING", sent.slice(from).join(" "));
  add("SRX_STRING", received.slice(from).join(" "));
  add(LINE_FIELD, qso.text, "S");
  return fields;
}
