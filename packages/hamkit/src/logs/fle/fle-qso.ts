/** QSOs of an FLE log: what a line leaves out is that of the line before it. */
import { findBand } from "../../bands/freq-to-band.js";
import type { LogField, LogProblem } from "../log.js";
import { createSentExchange } from "./fle-exchange.js";
import { fullReport, locatorFields, referenceFields, type FleMode } from "./fle-tables.js";
import type { FleWords, ReportFault, UnreadWord } from "./fle-words.js";

/** The field that holds the words of a QSO's line that have no other field. */
export const UNREAD_FIELD = "APP_HAMKIT_FLE";

/** What is valid for the QSOs that follow. */
export interface FleContext {
  /** Applies a line, in order. @returns Its words that are not understood in this place. */
  readonly apply: (words: FleWords) => readonly UnreadWord[];
  /** Whether a line had a date, band, mode or frequency. */
  readonly isSet: boolean;
  /** `undefined` until a line has a date. */
  readonly date: string | undefined;
  /** HHMM; `undefined` until a line has a time. */
  readonly time: string | undefined;
  /** The fields of a QSO after its line was applied. */
  readonly qsoFields: (words: FleWords, unread: readonly UnreadWord[]) => LogField[];
}

/** @param isCounting Whether sent numbers are consecutive. */
export function createFleContext(isCounting: boolean, report: ReportFault): FleContext {
  let date: string | undefined;
  let time: string | undefined;
  let band: string | undefined;
  let megahertz: string | undefined;
  let mode: FleMode | undefined;
  let isSet = false;
  const exchange = createSentExchange(isCounting, report);
  /** What the QSOs lack, which is reported where it begins. */
  const missing = new Set<string>();
  const shared = createSharedFields();

  function apply(words: FleWords): readonly UnreadWord[] {
    const unread = [...words.unread];
    const refuse = (word: string, kind: LogProblem["kind"], message: string) =>
      unread.push({ word, kind, message });
    if (words.date !== undefined || words.hasBadDate) date = words.date;
    if (words.days > 0) {
      const later = date === undefined ? undefined : dayAfter(date, words.days);
      if (later === undefined) refuse(`day ${"+".repeat(words.days)}`, "date", "day +: no date before it");
      date = later;
    }
    if (words.time !== undefined) applyTime(words.time, refuse);
    else if (words.hasBadTime) time = undefined;
    applyFrequency(words, refuse);
    if (words.mode !== undefined) mode = words.mode;
    exchange.apply(words.exchanges);
    isSet ||= [words.date, words.band, words.mode, words.megahertz].some((value) => value !== undefined);
    return unread;
  }

  function applyTime(digits: string, refuse: (word: string, kind: "date", message: string) => void): void {
    const isWhole = digits.length === 4;
    const whole = isWhole ? digits : time && time.slice(0, 4 - digits.length) + digits;
    const isValid = whole !== undefined && whole < "2400";
    if (!isValid)
      refuse(digits, "date", `${digits}: expected a time HHMM, of which later lines repeat the end`);
    time = isValid ? whole : undefined;
  }

  /** A band has priority on its line, and a frequency over the bands of other lines. */
  function applyFrequency(
    words: FleWords,
    refuse: (word: string, kind: "line", message: string) => void,
  ): void {
    if (words.band !== undefined) [band, megahertz] = [words.band, undefined];
    if (words.megahertz === undefined) return;
    const found = findBand(Math.round(Number(words.megahertz) * 1_000_000) / 1000)?.adif;
    const isMatching = found !== undefined && (words.band === undefined || words.band === found);
    if (isMatching) [band, megahertz] = [found, words.megahertz];
    else {
      const expected = words.band === undefined ? "in an amateur band" : `on ${words.band}`;
      refuse(words.megahertz, "line", `${words.megahertz}: expected a frequency in MHz ${expected}`);
      megahertz = undefined;
    }
  }

  function qsoFields(words: FleWords, unread: readonly UnreadWord[]): LogField[] {
    const standard = fullReport(undefined, mode?.report);
    const reports = words.reports.map((word) => fullReport(word, mode?.report));
    const invalid = words.reports.filter((_, index) => reports[index] === undefined);
    for (const word of invalid)
      report("line", `${word}: expected a report of ${mode?.mode}, such as ${standard}`);
    const rest = [...unread.map(({ word }) => word), ...invalid].filter((word) => word !== "").join(" ");
    checkMissing();
    const { number, text, receivedNumber, receivedText } = exchange.next(words.exchanges);
    return [
      shared("CALL", words.call),
      shared("QSO_DATE", date),
      shared("TIME_ON", time),
      shared("BAND", band),
      shared("FREQ", megahertz),
      shared("MODE", mode?.mode),
      shared("SUBMODE", mode?.submode),
      shared("RST_SENT", reports.length > 0 ? reports[0] : standard),
      shared("RST_RCVD", reports.length > 1 ? reports[1] : standard),
      shared("STX", number),
      shared("STX_STRING", text),
      shared("SRX", receivedNumber),
      shared("SRX_STRING", receivedText),
      shared("NAME", words.name),
      ...[
        ...(words.locator === undefined ? [] : locatorFields(words.locator, "")),
        ...referenceFields(words.references, false),
      ].map(({ name, value }) => shared(name, value)),
      shared("COMMENT", words.comment),
      shared("QSLMSG", words.message),
      shared(UNREAD_FIELD, rest),
    ].filter((field) => field !== undefined);
  }

  function checkMissing(): void {
    for (const [name, value] of Object.entries({ date, band, mode })) {
      if (value !== undefined) missing.delete(name);
      else if (!missing.has(name)) {
        missing.add(name);
        report(
          name === "date" ? "date" : "line",
          `the QSO has no ${name}, as those after it until one is stated`,
        );
      }
    }
  }

  return {
    apply,
    qsoFields,
    get isSet() {
      return isSet;
    },
    get date() {
      return date;
    },
    get time() {
      return time;
    },
  };
}

/** @returns `undefined` beyond the year 9999. */
function dayAfter(date: string, days: number): string | undefined {
  const [year, month, day] = [date.slice(0, 4), date.slice(4, 6), date.slice(6)].map(Number);
  const later = new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, (day ?? 0) + days)).toISOString();
  return later.startsWith("+") ? undefined : later.slice(0, 10).replaceAll("-", "");
}

/** A function for fields; one that is equal to the one before of its name is that object, which saves memory. */
function createSharedFields(): (name: string, value: string | undefined) => LogField | undefined {
  const last = new Map<string, LogField>();
  return (name, value = "") => {
    if (value === "") return undefined;
    const before = last.get(name);
    if (before?.value === value) return before;
    const field = name === UNREAD_FIELD ? { name, value, type: "S" } : { name, value };
    last.set(name, field);
    return field;
  };
}
