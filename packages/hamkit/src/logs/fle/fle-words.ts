/** The words of an FLE line by their form. Nothing here depends on other lines. */
import { showValue } from "../../show-value.js";
import { adifDate, hasCallForm } from "../contest-log.js";
import type { LogProblem } from "../log.js";
import { ADIF_BANDS } from "../../bands/band-edges.js";
import {
  exampleOf,
  isLocatorWord,
  modeOfFle,
  programNamed,
  programOfReferences,
  type FleMode,
  type FleProgram,
} from "./fle-tables.js";

/** A word of a contest's exchange: `,337` was sent, `.781` received. */
export interface FleExchange {
  readonly isSent: boolean;
  /** In upper case; "" for a lone comma or dot. */
  readonly text: string;
}

/** A word that has no form of FLE, or is one too many. */
export interface UnreadWord {
  /** "" for a bracket that is missing. */
  readonly word: string;
  readonly kind: LogProblem["kind"];
  readonly message: string;
}

/** Reports what is wrong with a line. */
export type ReportFault = (kind: LogProblem["kind"], message: string) => void;

/** What a line says. */
export interface FleWords {
  /** YYYYMMDD. */
  readonly date?: string;
  /** Days that `day ++` adds. */
  readonly days: number;
  readonly band?: string;
  /** In MHz, as written. */
  readonly megahertz?: string;
  readonly mode?: FleMode;
  /** The digits of the time that are written: `2335`, `40`, `2`. */
  readonly time?: string;
  readonly call?: string;
  /** As written: sent, received. */
  readonly reports: readonly string[];
  readonly exchanges: readonly FleExchange[];
  readonly name?: string;
  readonly locator?: string;
  readonly references: ReadonlyMap<FleProgram, string>;
  readonly comment?: string;
  /** For the QSL card; "" for none in spite of `qslmsg`. */
  readonly message?: string;
  readonly unread: readonly UnreadWord[];
  /** Whether the call is that of a QSO: a line without a time has only words that are understood before it. */
  readonly isQso: boolean;
  /** Whether a date or time is not valid, so that it is not known from here on. */
  readonly hasBadDate: boolean;
  readonly hasBadTime: boolean;
  /** Whether it is rather a note, most of whose words are not understood, and sets nothing. */
  readonly isNote: boolean;
}

type Found = { -readonly [Name in keyof FleWords]: FleWords[Name] } & {
  readonly reports: string[];
  readonly exchanges: FleExchange[];
  readonly references: Map<FleProgram, string>;
  readonly unread: UnreadWord[];
};

/** Reads a line without remarks. */
export function readWords(line: string): FleWords {
  const found: Found = {
    days: 0,
    reports: [],
    exchanges: [],
    references: new Map(),
    unread: [],
    isQso: false,
    hasBadDate: false,
    hasBadTime: false,
    isNote: false,
  };
  const words = takeTexts(found, line)
    .split(/\s+/)
    .filter((word) => word !== "");
  for (let index = 0; index < words.length;)
    index +=
      takeDated(found, words, index) || takeReference(found, words, index) || takeWord(found, words[index]);
  const isSetting = found.isQso || found.hasBadDate || found.hasBadTime;
  found.isNote = !isSetting && found.unread.length * 2 > words.length;
  return found;
}

/** Takes `<comment>` and `[message]`. @returns The rest of the line. */
function takeTexts(found: Found, line: string): string {
  let rest = "";
  let at = 0;
  for (const { index, 0: open } of line.matchAll(/[<[]/g)) {
    if (index < at) continue;
    const end = line.indexOf(open === "<" ? ">" : "]", index);
    const text = line.slice(index + 1, end < 0 ? undefined : end).trim();
    rest += `${line.slice(at, index)} `;
    at = end < 0 ? line.length : end + 1;
    if (open === "<") found.comment = joined(found.comment, text);
    else found.message = joined(found.message, text);
    if (end < 0) {
      const message = `${showValue(open + text)} has no ${open === "<" ? ">" : "]"}, and ends with its line`;
      found.unread.push({ word: "", kind: "line", message });
    }
  }
  return rest + line.slice(at);
}

function joined(before: string | undefined, text: string): string {
  return before === undefined || before === "" ? text : `${before} ${text}`.trimEnd();
}

/** Takes `date 2016-10-30`, `date 16/2/1`, `date 2016 10 30`, a date alone, `day ++`. @returns The words taken. */
function takeDated(found: Found, words: readonly string[], index: number): number {
  const word = words[index] ?? "";
  if (!/^da/i.test(word)) return isDateWord(word) ? setDate(found, word) : 0;
  const [, keyword = "", plus = ""] = /^(date|day)(\+*)$/i.exec(word) ?? [];
  if (keyword === "") return 0;
  const [next = "", ...others] = words.slice(index + 1, index + 4);
  if (keyword.toLowerCase() === "day") {
    const isNext = plus === "" && /^\+{1,9}$/.test(next);
    const signs = isNext ? next : plus;
    if (signs === "" || signs.length > 9)
      return unread(found, word, "line", "expected day and a + for each day");
    found.days += signs.length;
    return isNext ? 2 : 1;
  }
  if (plus === "" && isDateWord(next)) return 1 + setDate(found, next);
  const separate = [next, ...others].join("-");
  if (plus === "" && others.length === 2 && isDateWord(separate)) return 3 + setDate(found, separate);
  found.hasBadDate = true;
  return (
    unread(found, `${word} ${next}`.trim(), "date", "expected a date YYYY-MM-DD") + (next === "" ? 0 : 1)
  );
}

const DATE = /^(\d\d|\d{4})[^\dA-Za-z](\d{1,2})[^\dA-Za-z](\d{1,2})$/;

function isDateWord(word: string): boolean {
  return DATE.test(word);
}

function setDate(found: Found, word: string): number {
  const [, year = "", month = "", day = ""] = DATE.exec(word) ?? [];
  // Logs on paper are older than FLE.
  const century = year.length === 4 ? "" : year < "50" ? "20" : "19";
  const date = adifDate(`${century}${year}-${month}-${day}`);
  found.hasBadDate ||= date === undefined;
  if (date === undefined || found.date !== undefined)
    return unread(found, word, "date", date === undefined ? "is not a date YYYY-MM-DD" : "is a second date");
  found.date = date;
  return 1;
}

/** Takes `gff-0002`, `wwff gff-0002`, `ch-0067,ch-0068`. @returns The words taken. */
function takeReference(found: Found, words: readonly string[], index: number): number {
  const word = words[index]?.toUpperCase() ?? "";
  const wanted = programNamed(word);
  const text = wanted === undefined ? word : (words[index + 1]?.toUpperCase() ?? "");
  const program = text.includes("-") ? programOfReferences(text) : undefined;
  if (wanted !== undefined && program !== wanted) {
    unread(found, `${word} ${text}`.trim(), "line", `expected a reference such as ${exampleOf(wanted)}`);
    return text === "" ? 1 : 2;
  }
  if (program === undefined) return 0;
  const before = found.references.get(program);
  found.references.set(program, before === undefined ? text : `${before},${text}`);
  return wanted === undefined ? 1 : 2;
}

const BANDS: ReadonlyMap<string, string> = new Map(ADIF_BANDS.map(({ adif }) => [adif.toUpperCase(), adif]));

/** Takes any other word. @returns 1. */
function takeWord(found: Found, written = ""): number {
  const word = written.toUpperCase();
  const mark = word.charAt(0);
  if (mark === "," || mark === ".") return takeExchange(found, word);
  if (mark === "@" && word.length > 1 && found.name === undefined)
    return set(found, "name", written.slice(1));
  if (mark === "#") return takeLocator(found, word.slice(1), written);
  const band = BANDS.get(word);
  if (band !== undefined && found.band === undefined) return set(found, "band", band);
  if (/^\d{1,7}\.\d{1,9}$/.test(word) && found.megahertz === undefined) return set(found, "megahertz", word);
  const mode = modeOfFle(word);
  if (mode !== undefined && found.mode === undefined) return set(found, "mode", mode);
  if (/^(?:\d+|[+-]\d\d?)$/.test(word)) return takeNumber(found, word);
  if (found.call === undefined && isCallWord(word)) {
    found.isQso = found.time !== undefined || found.unread.every(({ word: before }) => before === "");
    return set(found, "call", word);
  }
  if (found.call !== undefined && isLocatorWord(word)) return takeLocator(found, word, written);
  return unread(
    found,
    written,
    "line",
    `expected ${EXPECTED[found.call === undefined ? "before" : "behind"]}`,
  );
}

const EXPECTED = {
  before: "a date, time, band, mode, frequency in MHz or callsign",
  behind: "a report, reference, band, mode, frequency in MHz, @name, #locator, <comment> or [message]",
};

function isCallWord(word: string): boolean {
  return /^[A-Z\d]+(?:\/[A-Z\d]+)*$/.test(word) && hasCallForm(word);
}

function set<Name extends "name" | "band" | "megahertz" | "mode" | "call" | "locator">(
  found: Found,
  name: Name,
  value: Found[Name],
): number {
  found[name] = value;
  return 1;
}

function takeLocator(found: Found, word: string, written: string): number {
  const isValid = isLocatorWord(word);
  if (isValid && found.locator === undefined) return set(found, "locator", word);
  return unread(
    found,
    written,
    "locator",
    isValid ? "is a second locator" : "is not a locator such as #JO50",
  );
}

/** A time before the call, and a report behind it. */
function takeNumber(found: Found, word: string): number {
  const isTime = found.call === undefined && /^\d/.test(word);
  if (
    isTime &&
    found.time === undefined &&
    /^(?:\d|[0-5]\d|\d[0-5]\d|(?:[01]\d|2[0-3])[0-5]\d)$/.test(word)
  ) {
    found.time = word;
    return 1;
  }
  if (isTime) {
    found.hasBadTime ||= found.time === undefined;
    return unread(found, word, "date", found.time === undefined ? "is not a time HHMM" : "is a second time");
  }
  if (found.call === undefined) return unread(found, word, "line", "expected a call before a report");
  if (word.length > 3 || found.reports.length === 2)
    return unread(found, word, "line", "expected a report, of which a QSO has two");
  found.reports.push(word);
  return 1;
}

/** `,337`, `.781`, and several of them in one word. */
function takeExchange(found: Found, word: string): number {
  for (const [, mark, text = ""] of word.matchAll(/([.,])([^.,]*)/g))
    found.exchanges.push({ isSent: mark === ",", text });
  return 1;
}

/** @returns 1. */
function unread(found: Found, word: string, kind: LogProblem["kind"], expected: string): number {
  const link = expected.startsWith("is ") ? " " : ": ";
  found.unread.push({ word, kind, message: `${showValue(word)}${link}${expected}` });
  return 1;
}
