/**
 * Reads logs in JSON piece by piece: one record at a time, and no more of the text in memory than one record needs.
 *
 * The form is the one that `writeLog` writes: `{ "header": { "text", "fields" }, "types", "qsos": [{ "CALL": … }] }`. The records
 * may also be named `records`, as `parseAdif` returns them, or be the whole document, as an array.
 */
import type { LogField } from "../log.js";
import type { AdifSink, Scanner } from "./adif-sink.js";

/** Data type indicators by field name. */
type FieldTypes = Readonly<Record<string, unknown>>;

/** The longest record or header: 16 MB. */
const MAX_VALUE = 16 * 1024 * 1024;
/** Records are objects of texts; more than this is not a log. */
const MAX_DEPTH = 20;

const QUOTE = 34;
const BACKSLASH = 92;
const LINE_FEED = 10;
const BLANK = 32;
const COMMA = 44;
const COLON = 58;
const OPEN_ARRAY = 91;
/** Members that are read, and those that `parseAdif` and `repairAdif` return in addition. */
const READ: ReadonlySet<string> = new Set(["header", "types", "qsos", "records"]);
const LEFT_OUT: ReadonlySet<string> = new Set(["findings", "repairs"]);
const OPENING: ReadonlySet<number> = new Set([123, 91]);
const CLOSING: ReadonlySet<number> = new Set([125, 93]);

const NO_RECORD = "a record that is not an object of texts";

/** A scanner of decoded text. */
export function createJsonScanner(sink: AdifSink): Scanner {
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
  /** Whether the colon behind the key has been read. */
  let isMemberValue = false;
  /** Whether the text between two commas was reported. */
  let isReported = false;
  /** Number of members of the current record. */
  let members = 0;
  let types: FieldTypes = {};
  /** Whether the document's last bracket has been read. */
  let isEnded = false;
  let failed = false;

  function hasFailed(): boolean {
    return failed;
  }

  /** A value that is not text, a record that is not an object, an end that is missing. */
  function damage(rule: "json-cut" | "json-malformed", message: string, at: number): void {
    sink.finding({ level: "error", rule, message, line: at }, "record", 0);
  }

  function fail(message: string): void {
    failed = true;
    reportEnd(message);
  }

  /** Reports the end of what is read, and from where the open record or member is lost. */
  function reportEnd(message: string): void {
    const lost = start >= 0 && startLine < line ? `; what begins in line ${startLine} is left out` : "";
    damage("json-cut", `${message}${lost}`, line);
  }

  function scan(): void {
    while (index < text.length && !hasFailed()) {
      if (isText && !skipText()) return;
      const code = text.charCodeAt(index);
      if (code === LINE_FEED) line++;
      if (isText) endText();
      else if (code === QUOTE) {
        isText = true;
        if (start < 0) beginText();
      } else if (OPENING.has(code)) open();
      else if (CLOSING.has(code)) close();
      else if (code === COLON) readColon();
      else if (start < 0 && code > BLANK) readOther(code);
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
    members = 0;
  }

  /** Texts at the first level of an object are its keys. */
  function beginText(): void {
    if (depth === 1 && !isArray && !isMemberValue) begin();
    else reportOther();
  }

  function endText(): void {
    isText = false;
    if (depth !== 1 || isArray || start < 0) return;
    const name = parsed(text.slice(start, index + 1));
    key = typeof name === "string" ? name : "";
    start = -1;
    if (READ.has(key) || LEFT_OUT.has(key)) return;
    damage(
      "json-malformed",
      `${JSON.stringify(key.slice(0, 40))} is no member of a log: it is left out`,
      line,
    );
  }

  function readColon(): void {
    isMemberValue = true;
    if (depth === recordDepth + 1) members++;
  }

  /** Reads what is no text and no bracket, outside of records and other values that are read. */
  function readOther(code: number): void {
    if (code !== COMMA) {
      reportOther();
      return;
    }
    isReported = false;
    if (depth === 1) isMemberValue = false;
  }

  /** Reports a value that is none of a log, unless its member was reported. */
  function reportOther(): void {
    const isInOther = depth > 0 && !isArray && key !== "" && !READ.has(key);
    // A byte order mark may precede the document.
    const isBefore = depth === 0 && !isEnded;
    if (isReported || isInOther || isBefore) return;
    isReported = true;
    if (depth === 0) damage("json-malformed", "text behind the end of the document", line);
    else if (depth === recordDepth) damage("json-malformed", NO_RECORD, line);
    else damage("json-malformed", `${JSON.stringify(key.slice(0, 40))}: unexpected value`, line);
  }

  function open(): void {
    const isArrayOpened = text.charCodeAt(index) === OPEN_ARRAY;
    if (depth === 0) beginDocument(isArrayOpened);
    if (depth === 1 && !isArray && /^(?:qsos|records)$/.test(key)) {
      if (isArrayOpened) recordDepth = 2;
      else reportOther();
    }
    const isMember = depth === 1 && !isArray && (key === "header" || key === "types");
    if (start < 0 && (depth === recordDepth || isMember)) begin();
    if (start < 0 && depth > recordDepth && depth > 1) reportOther();
    depth++;
    if (depth > MAX_DEPTH) fail(`nested deeper than ${MAX_DEPTH} levels`);
  }

  function beginDocument(isArrayOpened: boolean): void {
    if (isEnded) reportOther();
    isArray = isArrayOpened;
    recordDepth = isArray ? 1 : -1;
    key = "";
    isMemberValue = false;
    isReported = false;
  }

  function close(): void {
    if (depth === 0) {
      fail("a bracket that closes nothing");
      return;
    }
    depth--;
    if (start >= 0 && (depth === recordDepth || (depth === 1 && !isArray))) endValue();
    if (depth < recordDepth) recordDepth = -1;
    if (depth > 0) return;
    isEnded = true;
    isReported = false;
  }

  function endValue(): void {
    const source = text.slice(start, index + 1);
    const value = parsed(source);
    start = -1;
    if (depth === recordDepth) addRecord(value, source);
    else if (!isObject(value)) report(`${JSON.stringify(key)}: expected an object`);
    else if (key === "types") types = value as FieldTypes;
    else addHeader(value);
  }

  function report(message: string): void {
    damage("json-malformed", message, startLine);
  }

  function addRecord(value: unknown, source: string): void {
    if (!isObject(value)) {
      report(NO_RECORD);
      return;
    }
    // JSON takes the last of several members of one name.
    const lost = members - Object.keys(value).length;
    if (lost > 0) report(`${repeatedNames(source)}: occurs twice; the last value is taken`);
    const fields = fieldsOf(value);
    if (fields.length > 0) sink.record(fields, { begin: 0, fieldsEnd: 0, end: 0, line: startLine });
  }

  function addHeader(value: object): void {
    const { text: free = "", fields = {}, ...others } = value as { text?: unknown; fields?: unknown };
    if (typeof free !== "string") report("header.text: expected a text");
    if (!isObject(fields)) report("header.fields: expected an object of texts");
    for (const name of Object.keys(others)) report(`header.${name.slice(0, 40)} is left out`);
    sink.header(isObject(fields) ? fieldsOf(fields) : [], typeof free === "string" ? free : "", 0);
  }

  function fieldsOf(value: object): LogField[] {
    return fieldsOfObject(value, types, (name) =>
      damage("json-malformed", `${JSON.stringify(name.slice(0, 40))}: expected a text`, startLine),
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
    end(last = ""): void {
      this.push(last);
      if (!failed && (depth > 0 || isText))
        reportEnd("the document ends within a value: it may be truncated");
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
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The names that occur more than once in the text of an object. */
function repeatedNames(source: string): string {
  const names = Array.from(source.matchAll(/("(?:[^"\\]|\\.)*")\s*:/g), ([, name = ""]) => name);
  const repeated = names.filter((name, index) => names.indexOf(name) < index).slice(0, 10);
  return [...new Set(repeated)].join(", ").slice(0, 100) || "a name";
}

/**
 * The fields of an object, with their types. Numbers become text, `null` no field.
 *
 * @param onOther Called with the name of a value that is neither.
 */
function fieldsOfObject(object: object, types: FieldTypes, onOther: (name: string) => void): LogField[] {
  const fields: LogField[] = [];
  for (const [key, value] of Object.entries(object) as [string, unknown][]) {
    const name = key.replace(/#\d+$/, "").toUpperCase();
    if (typeof value === "string" || typeof value === "number") {
      const type = Object.hasOwn(types, name) ? types[name] : undefined;
      fields.push({
        name,
        value: String(value),
        ...(typeof type === "string" && { type: type.toUpperCase() }),
      });
    } else if (value !== null) onOther(name);
  }
  return fields;
}
