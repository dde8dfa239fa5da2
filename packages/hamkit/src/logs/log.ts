/**
 * A log as a value: QSOs, each a list of ADIF fields in their order.
 *
 * What was read from an ADIF file remembers how it was written there, so that a log that goes back into the same format
 * keeps every byte that nobody changed: comments, layout, fields that nobody knows.
 */

/** The formats that are read. */
export type LogFormat = "adi" | "adx" | "cabrillo";

/** A field of a QSO or of a log's header. */
export interface LogField {
  /** In upper case, as ADIF writes names: `CALL`, `APP_LOTW_MODE`. */
  readonly name: string;
  readonly value: string;
  /** ADIF's letter for the type of the data, in upper case, where the log has it: `N`, `D`, `S`. */
  readonly type?: string | undefined;
  /** The field as its .adi file has it, a character for each byte, and what stands between it and the field before. */
  readonly adi?: string | undefined;
  /** The same of an .adx file, as text. */
  readonly adx?: string | undefined;
}

/** What is written before the first and behind the last field of a QSO, in its own file. */
export interface QsoFrame {
  readonly before: string;
  readonly after: string;
}

/** A contact. */
export interface Qso {
  /** Where it begins in its file, from 1. */
  readonly line: number;
  readonly fields: readonly LogField[];
  readonly adi?: QsoFrame | undefined;
  readonly adx?: QsoFrame | undefined;
}

/** What precedes the QSOs. */
export interface LogHeader {
  /** The free text of an .adi file; of Cabrillo all lines that aren't QSOs. */
  readonly text: string;
  readonly fields: readonly LogField[];
}

/** What is wrong with a log, or looks wrong, at one place. */
export interface LogProblem {
  /** Where it is, from 1. */
  readonly line: number;
  /** What it is about: the length of a field, an end that is missing, a date or time, a locator, a line. */
  readonly kind: "length" | "end" | "date" | "locator" | "line";
  /** For people. */
  readonly message: string;
}

/** A log. */
export interface Log {
  readonly format: LogFormat;
  readonly header: LogHeader;
  readonly qsos: readonly Qso[];
  /** The first thousand. */
  readonly problems: readonly LogProblem[];
  /** How many there are in all. */
  readonly problemCount: number;
  /** What an .adi file has before the first QSO and behind the last. */
  readonly adi?: QsoFrame | undefined;
  /** The same of an .adx file. */
  readonly adx?: QsoFrame | undefined;
}

/**
 * The first value of a field that is not empty, without the blanks around it.
 *
 * @param name In upper case.
 * @returns `undefined` where the QSO doesn't have it.
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
