/**
 * Reads logs in JSON piece by piece: one record at a time, and no more of the text in memory than one record needs.
 *
 * The form is the one that `writeLog` writes: `{ "header": { "text", "fields" }, "types", "qsos": [{ "CALL": … }] }`. The records
 * may also be named `records`, as `parseAdif` returns them, or be the whole document, as an array.
 */
import type { LogField } from "../log.js";
import { fieldsOfObject, type FieldTypes } from "./json-fields.js";

/** Receives what the scanner reads. */
export interface JsonSink {
  header(fields: LogField[], text: string): void;
  /** `line` is that on which the record begins, from 1. */
  record(fields: LogField[], line: number): void;
  /** Damage: a value that is not text, a record that is not an object, an end that is missing. */
  damage(kind: "line" | "end", message: string, line: number): void;
}

/** The longest record or header: 16 MB. */
const MAX_VALUE = 16 * 1024 * 1024;
/** Records are objects of texts; more than this is not a log. */
const MAX_DEPTH = 20;

const QUOTE = 34;
const BACKSLASH = 92;
const LINE_FEED = 10;
const OPENING: ReadonlySet<number> = new Set([123, 91]);
const CLOSING: ReadonlySet<number> = new Set([125, 93]);

/** A scanner of decoded text. */
export function createJsonScanner(sink: JsonSink): { push: (text: string) => void; end: () => void } {
  let text = "";
  let index = 0;
  let depth = 0;
  let line = 1;
  let isText = false;
  /** Index where the current value of interest begins; negative without one. */
  let start = -1;
  let startLine = 1;
  /** Depth at which records begin: 1 in an array, 2 in a member of an object. */
  let recordDepth = -1;
  let isArray = false;
  let key = "";
  let types: FieldTypes = {};
  let failed = false;

  function hasFailed(): boolean {
    return failed;
  }

  function fail(message: string): void {
    failed = true;
    sink.damage("end", message, line);
  }

  function scan(): void {
    while (index < text.length && !hasFailed()) {
      if (isText && !skipText()) return;
      const code = text.charCodeAt(index);
      if (code === LINE_FEED) line++;
      if (isText) endText();
      else if (code === QUOTE) {
        isText = true;
        if (depth === 1 && start < 0 && !isArray) begin();
      } else if (OPENING.has(code)) open();
      else if (CLOSING.has(code)) close();
      index++;
    }
  }

  /** Goes to the quote that ends a text; `false` if it is not there yet. */
  function skipText(): boolean {
    for (let quote = text.indexOf('"', index); quote >= 0; quote = text.indexOf('"', quote + 1)) {
      if (backslashesBefore(quote) % 2 === 1) continue;
      index = quote;
      return true;
    }
    // An escape may be cut by the end of the piece.
    index = text.length - (backslashesBefore(text.length) % 2);
    return false;
  }

  function backslashesBefore(end: number): number {
    let count = 0;
    while (end - count > index && text.charCodeAt(end - count - 1) === BACKSLASH) count++;
    return count;
  }

  function begin(): void {
    start = index;
    startLine = line;
  }

  /** Texts at the first level of an object are its keys; a value that is a text is never one of interest. */
  function endText(): void {
    isText = false;
    if (depth !== 1 || isArray || start < 0) return;
    const name = parsed(text.slice(start, index + 1));
    key = typeof name === "string" ? name : "";
    start = -1;
  }

  function open(): void {
    if (depth === 0) isArray = text.charCodeAt(index) === 91;
    if (depth === 0 && isArray) recordDepth = 1;
    if (depth === 1 && !isArray && text.charCodeAt(index) === 91 && /^(?:qsos|records)$/.test(key))
      recordDepth = 2;
    const isMember = depth === 1 && !isArray && (key === "header" || key === "types");
    if (start < 0 && (depth === recordDepth || isMember)) begin();
    depth++;
    if (depth > MAX_DEPTH) fail(`nested deeper than ${MAX_DEPTH} levels`);
  }

  function close(): void {
    if (depth === 0) {
      fail("a bracket that closes nothing");
      return;
    }
    depth--;
    if (start >= 0 && (depth === recordDepth || (depth === 1 && !isArray))) endValue();
    if (depth < recordDepth) recordDepth = -1;
  }

  function endValue(): void {
    const value = parsed(text.slice(start, index + 1));
    start = -1;
    if (depth === recordDepth) addRecord(value);
    else if (key === "types") types = isObject(value) ? (value as FieldTypes) : {};
    else addHeader(value);
  }

  function addRecord(value: unknown): void {
    if (!isObject(value) || Array.isArray(value)) {
      sink.damage("line", "a record that is not an object of texts", startLine);
      return;
    }
    const fields = fieldsOf(value);
    if (fields.length > 0) sink.record(fields, startLine);
  }

  function addHeader(value: unknown): void {
    if (!isObject(value)) return;
    const { text: free, fields } = value as { text?: unknown; fields?: unknown };
    sink.header(isObject(fields) ? fieldsOf(fields) : [], typeof free === "string" ? free : "");
  }

  function fieldsOf(value: object): LogField[] {
    return fieldsOfObject(value, types, (name) =>
      sink.damage("line", `${JSON.stringify(name.slice(0, 40))}: expected a text`, startLine),
    );
  }

  return {
    push(more: string): void {
      if (failed) return;
      // The read part is dropped, so that memory is bounded by the longest record.
      const kept = start < 0 ? index : start;
      text = text.slice(kept) + more;
      index -= kept;
      if (start >= 0) start = 0;
      scan();
      if (text.length - Math.max(start, 0) > MAX_VALUE && start >= 0) fail("a record of more than 16 MB");
    },
    end(): void {
      if (!failed && (depth > 0 || isText))
        sink.damage("end", "the document ends within a value: it may be truncated", line);
    },
  };
}

/** The value of a piece of JSON; `undefined` if it is malformed. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Whether a text begins like a log in JSON: with an object that has a key, or an array of objects. */
export function isJson(text: string): boolean {
  return /^(?:\uFEFF|\u00EF\u00BB\u00BF)?\s*(?:\{\s*"|\[\s*\{\s*")/.test(text);
}
