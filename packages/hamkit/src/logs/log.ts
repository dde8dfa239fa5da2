/**
 * The data model of a log: QSOs as ordered lists of ADIF fields.
 *
 * Fields, QSOs and logs keep their source text, so that writing the same format preserves every unchanged byte: comments,
 * layout, unknown fields.
 */

/** The input formats. */
export type LogFormat = "adi" | "adx" | "cabrillo" | "edi" | "fle" | "json";

/** A field of a QSO or of a log's header. */
export interface LogField {
  /** In upper case, as ADIF writes names: `CALL`, `APP_LOTW_MODE`. */
  readonly name: string;
  readonly value: string;
  /** ADIF's data type indicator in upper case, if the log has it: `N`, `D`, `S`. */
  readonly type?: string | undefined;
  /** Source text in an .adi file, one character per byte, including the separator before the field. */
  readonly adi?: string | undefined;
  /** Source text in an .adx file. */
  readonly adx?: string | undefined;
}

/** Source text before the first field and after the last field of a QSO. */
export interface QsoFrame {
  readonly before: string;
  readonly after: string;
}

/** A contact. */
export interface Qso {
  /** Line in the file, from 1. */
  readonly line: number;
  readonly fields: readonly LogField[];
  readonly adi?: QsoFrame | undefined;
  readonly adx?: QsoFrame | undefined;
  /** Of a Cabrillo file: around the line of the QSO, which is its `APP_HAMKIT_CABRILLO`. */
  readonly cabrillo?: QsoFrame | undefined;
  /** Of an EDI file: around the record of the QSO, which is its `APP_HAMKIT_EDI`. */
  readonly edi?: QsoFrame | undefined;
}

/** The header of a log. */
export interface LogHeader {
  /** The free text of an .adi file; for Cabrillo, EDI and FLE all lines that aren't QSOs. */
  readonly text: string;
  readonly fields: readonly LogField[];
}

/** A problem at one place of a log. */
export interface LogProblem {
  /** Line in the file, from 1. */
  readonly line: number;
  /** The subject: the length of a field, a missing end, a date or time, a locator, a line. */
  readonly kind: "length" | "end" | "date" | "locator" | "line";
  readonly message: string;
}

/** A log. */
export interface Log {
  readonly format: LogFormat;
  readonly header: LogHeader;
  readonly qsos: readonly Qso[];
  /** The first thousand. */
  readonly problems: readonly LogProblem[];
  /** Number of all problems. */
  readonly problemCount: number;
  /** Source text of an .adi file before the first QSO and after the last. */
  readonly adi?: QsoFrame | undefined;
  /** The same for an .adx file. */
  readonly adx?: QsoFrame | undefined;
  /** The same for a Cabrillo file. */
  readonly cabrillo?: QsoFrame | undefined;
  /** The same for an EDI file. */
  readonly edi?: QsoFrame | undefined;
}

/**
 * The first non-empty value of a field, trimmed.
 *
 * @param name In upper case.
 * @returns `undefined` if the QSO doesn't have it.
 * @example
 * const qso = { line: 1, fields: [{ name: "CALL", value: "DH1TW" }] };
 * fieldValue(qso, "CALL"); // => "DH1TW"
 * fieldValue(qso, "DXCC"); // => undefined
 */
export function fieldValue(qso: { readonly fields: readonly LogField[] }, name: string): string | undefined {
  for (const field of qso.fields) {
    if (field.name !== name) continue;
    const value = field.value.trim();
    if (value !== "") return value;
  }
  return undefined;
}

/** Problems beyond this are only counted. */
const MAX_PROBLEMS = 1000;

/** Problems of a log, with a limit: a hostile file has millions. */
export interface ProblemList {
  readonly problems: LogProblem[];
  problemCount: number;
}

export function noProblems(): ProblemList {
  return { problems: [], problemCount: 0 };
}

/** Whether further problems are only counted. */
export function isFull({ problemCount }: ProblemList): boolean {
  return problemCount >= MAX_PROBLEMS;
}

export function addProblem(list: ProblemList, problem: LogProblem): void {
  if (!isFull(list)) list.problems.push(problem);
  list.problemCount++;
}

/** A frame; the previous QSO's object if it is equal, as nearly all are. */
export function sharedFrame(previous: QsoFrame | undefined, before: string, after: string): QsoFrame {
  return previous?.before === before && previous.after === after ? previous : { before, after };
}
