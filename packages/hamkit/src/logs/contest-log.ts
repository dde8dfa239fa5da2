/** What logs in Cabrillo, EDI and FLE share: the header, with values of all QSOs and lines that the caller gives; dates, times and calls; lines. */
import { isFullCall } from "../callsign/form.js";
import { LogError, ValueError } from "../errors.js";
import { fieldValue, type Qso } from "./log.js";

/** Lines by name, as the caller gives them; several lines of one name are separated by line feeds. */
export type HeaderLines = Readonly<Record<string, string>>;

/**
 * The value of a field that all QSOs share, apart from case.
 *
 * @param names The first of these fields that a QSO has.
 * @returns `undefined` if no QSO has it.
 * @throws {LogError} QSOs have different values.
 */
export function sharedValue(
  qsos: readonly Qso[],
  names: readonly string[],
  format: string,
): string | undefined {
  let shared: string | undefined;
  for (const qso of qsos) {
    const value = valueOf(qso, names);
    if (value === undefined || value.toUpperCase() === shared?.toUpperCase()) continue;
    if (shared !== undefined)
      throw new LogError({
        file: "the log",
        expected: `the same ${names[0]} in all QSOs, since a file in ${format} has one`,
        found: `${shared} and ${value}`,
        line: qso.line,
      });
    shared = value;
  }
  return shared;
}

/** The first value of these fields, in upper case and on one line. */
export function firstValue(qso: Qso, names: readonly string[]): string | undefined {
  return valueOf(qso, names)?.toUpperCase();
}

function valueOf(qso: Qso, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = fieldValue(qso, name);
    if (value !== undefined) return value.replaceAll(/\s+/g, " ");
  }
  return undefined;
}

/**
 * Validates given lines.
 *
 * @param form The names that the format allows.
 * @throws {ValueError} A name has another form, or a value has control characters.
 */
export function checkHeader(lines: HeaderLines, form: RegExp, expected: string): void {
  for (const [name, value] of Object.entries(lines)) {
    if (!form.test(name)) throw new ValueError({ argument: "header", value: name, expected });
    // oxlint-disable-next-line no-control-regex -- matches control characters on purpose
    if (typeof value !== "string" || /[\u0000-\u0009\u000b-\u001f]/.test(value))
      throw new ValueError({
        argument: `header.${name}`,
        value,
        expected: "text without control characters",
      });
  }
}

/** The lines with those of the caller: they replace the first line of their name, or follow the last line. */
export function withLines(
  lines: readonly string[],
  given: HeaderLines,
  { separator, nameOf }: { readonly separator: string; readonly nameOf: (line: string) => string },
): string[] {
  const replaced = new Map<string, string[]>();
  for (const [name, value] of Object.entries(given))
    replaced.set(
      name.toUpperCase(),
      value.split("\n").map((part) => `${name}${separator}${part}`),
    );
  const written = new Set<string>();
  const result = lines.flatMap((line) => {
    const name = nameOf(line).toUpperCase();
    const others = replaced.get(name);
    if (others === undefined) return [line];
    if (written.has(name)) return [];
    written.add(name);
    return others;
  });
  for (const [name, others] of replaced) if (!written.has(name)) result.push(...others);
  return result;
}

/** `YYYYMMDD` of a date with the year first: `2024-11-23`, `2024/11/23`, `20241123`; `undefined` for other texts. */
export function adifDate(text: string): string | undefined {
  const [, year = "", , month = "", day = ""] =
    /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})$/.exec(text) ?? /^(\d{4})()(\d\d)(\d\d)$/.exec(text) ?? [];
  const moment = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  // Date.UTC maps 31 April to 1 May. ADIF's dates begin in 1930.
  const exists = moment.getUTCDate() === Number(day) && moment.getUTCMonth() === Number(month) - 1;
  if (year === "" || year < "1930" || !exists) return undefined;
  return year + month.padStart(2, "0") + day.padStart(2, "0");
}

/** `HHMM` or `HHMMSS` of a time such as `2359`, `23:59`, `23:59:30` or `2359Z`; `undefined` for other texts. */
export function adifTime(text: string): string | undefined {
  const [, hour = "", , minute = "", second = ""] = /^(\d\d)(:?)(\d\d)(?:\2(\d\d))?Z?$/i.exec(text) ?? [];
  if (hour === "" || hour > "23" || minute > "59" || second > "59") return undefined;
  return hour + minute + second;
}

/** Whether a word has the form of a call, or a part of it between slashes. */
export function hasCallForm(word: string): boolean {
  return word.toUpperCase().split("/").some(isFullCall);
}

/** A line of a text. */
interface TextLine {
  /** From 1. */
  readonly number: number;
  /** Without its ending. */
  readonly text: string;
  /** CR LF, LF or CR; "" for a last line without one. */
  readonly ending: string;
}

/** The lines of a text; none for an empty one. */
export function* textLines(text: string): Generator<TextLine> {
  let start = 0;
  let number = 1;
  for (const { index, 0: ending } of text.matchAll(/\r\n|\n|\r/g)) {
    yield { number: number++, text: text.slice(start, index), ending };
    start = index + ending.length;
  }
  if (start < text.length) yield { number, text: text.slice(start), ending: "" };
}

/** White space before and after the content of a line. */
export function marginsOf(line: string): readonly [before: string, after: string] {
  return [line.slice(0, line.length - line.trimStart().length), line.slice(line.trimEnd().length)];
}
