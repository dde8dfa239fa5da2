/** Reads a program's list piece by piece. */
import { ArgumentTypeError, ReferenceListError, ValueError } from "../errors.js";
import { listOf, type ProgramList, type RowReader } from "./program-lists.js";
import type { Reference, ReferenceProgram } from "./reference.js";

/** How a list is read. */
export interface ReadReferencesOptions {
  /** Name in errors; default: "text". */
  readonly name?: string | undefined;
  /** The day for `active` of summits; default: the current one. */
  readonly now?: Date | undefined;
  /** Receives the number of rows without a valid reference. */
  readonly onSkipped?: ((count: number) => void) | undefined;
}

/** Rows before the header: the title of SOTA's list, the introduction of WWFF's. */
const MAX_ROWS_BEFORE_HEADER = 20;

/** The largest list has 200,000 entries (2024). */
const MAX_REFERENCES = 2_000_000;

/** The longest document of island groups, in characters: the real one has a million. */
const MAX_JSON_LENGTH = 32 * 1024 * 1024;

/** A piece of this length is scanned at a time. */
const PIECE = 65_536;

/**
 * The references of a program's list, one by one, in bounded memory: a list of 24 MB needs no more than a short one.
 *
 * The lists of parks, summits and nature reserves are CSV; columns are found by their names in the header. That of island groups
 * is JSON, and is read as a whole.
 *
 * @param program The program that published the list.
 * @param source The content, or its pieces, such as a stream of a file.
 * @returns The references in the order of the list; rows without a valid reference are skipped.
 * @throws {ValueError} The program is none of the four, or `now` is not a valid date.
 * @throws {ArgumentTypeError} The source is neither text nor bytes nor an iterable of them.
 * @throws {ReferenceListError} The file is not this list: columns are missing, a row is longer than 65,536 characters, or most
 *   rows have no valid reference; a `ValueError`.
 * @example
 * const csv = 'reference,name,active,latitude,longitude\n"US-0001","Acadia National Park","1","44.31","-68.2034"\n';
 * for await (const { reference, name } of readReferences("pota", csv)) console.log(reference, name);
 */
export async function* readReferences(
  program: ReferenceProgram,
  source: string | Uint8Array | AsyncIterable<string | Uint8Array>,
  options: ReadReferencesOptions = {},
): AsyncGenerator<Reference, void, undefined> {
  const list = listOf(program);
  const { name = "text", now = new Date(), onSkipped } = options;
  const today = dayOfDate(now);
  requireSource(source);
  let count = 0;
  let skipped = 0;
  for await (const rows of program === "iota" ? jsonRows(name, list, source) : csvRows(name, list, source)) {
    for (const row of rows) {
      const reference = list.referenceOf(row, today);
      if (list.form.test(reference.reference)) {
        count++;
        yield reference;
      } else skipped++;
    }
    if (count + skipped > MAX_REFERENCES) throw unreadable(name, `at most ${MAX_REFERENCES} entries`, "more");
  }
  if (skipped > count || count === 0)
    throw unreadable(name, list.title, `${skipped} of ${count + skipped} rows without a reference`);
  if (skipped > 0) onSkipped?.(skipped);
}

function dayOfDate(now: Date): string {
  if (now instanceof Date && !Number.isNaN(now.getTime())) return now.toISOString().slice(0, 10);
  throw new ValueError({ argument: "now", value: now, expected: "a valid date" });
}

function requireSource(source: unknown): void {
  if (typeof source === "string") return;
  if (
    typeof source === "object" &&
    source !== null &&
    (Symbol.asyncIterator in source || Symbol.iterator in source)
  )
    return;
  const expected = "text, bytes, or an iterable of them";
  throw new ArgumentTypeError({ argument: "source", value: source, expected });
}

async function* csvRows(
  name: string,
  list: ProgramList,
  source: Parameters<typeof readReferences>[1],
): AsyncGenerator<RowReader[]> {
  const scanner = createCsvScanner(() => {
    throw unreadable(name, list.title, "a row of more than 65536 characters");
  });
  let columns: ReadonlyMap<string, number> | undefined;
  let before = 0;
  for await (const piece of pieces(source)) yield readersOf(scanner.write(piece));
  yield readersOf(scanner.end());
  if (columns === undefined) throw noHeader();

  function readersOf(rows: readonly string[][]): RowReader[] {
    const readers: RowReader[] = [];
    for (const row of rows) {
      if (columns === undefined) {
        columns = headerOf(row, list);
        if (columns === undefined && ++before > MAX_ROWS_BEFORE_HEADER) throw noHeader();
      } else if (row.length > 1) readers.push(readerOf(row, columns));
    }
    return readers;
  }

  function noHeader(): ReferenceListError {
    return unreadable(name, `${list.title} with the columns ${list.columns.join(", ")}`, "no such header");
  }
}

/** The index of each column, if the row is the header. */
function headerOf(row: readonly string[], { columns }: ProgramList): ReadonlyMap<string, number> | undefined {
  const indexes = new Map(row.map((title, index) => [title.trim().toLowerCase(), index]));
  return columns.every((column) => indexes.has(column)) ? indexes : undefined;
}

function readerOf(row: readonly string[], columns: ReadonlyMap<string, number>): RowReader {
  return (column) => row[columns.get(column) ?? -1]?.trim() ?? "";
}

async function* jsonRows(
  name: string,
  { title }: ProgramList,
  source: Parameters<typeof readReferences>[1],
): AsyncGenerator<RowReader[]> {
  let text = "";
  for await (const piece of pieces(source)) {
    text += piece;
    if (text.length > MAX_JSON_LENGTH)
      throw unreadable(name, title, `more than ${MAX_JSON_LENGTH} characters`);
  }
  let groups: unknown;
  try {
    groups = JSON.parse(text);
  } catch (cause) {
    throw new ReferenceListError({ file: name, expected: title, found: "invalid JSON" }, { cause });
  }
  if (!Array.isArray(groups)) throw unreadable(name, title, "no array");
  yield groups.map((group: unknown): RowReader => {
    const values = typeof group === "object" && group !== null ? new Map(Object.entries(group)) : new Map();
    return (column) => {
      const value: unknown = values.get(column);
      return typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
    };
  });
}

/** The source as pieces of text of a limited length, without a byte order mark. */
async function* pieces(source: Parameters<typeof readReferences>[1]): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const parts = typeof source === "string" || source instanceof Uint8Array ? [source] : source;
  for await (const part of parts)
    for (let at = 0; at < part.length; at += PIECE) {
      if (typeof part === "string") yield part.slice(at, at + PIECE);
      else yield decoder.decode(part.subarray(at, at + PIECE), { stream: true });
    }
  yield decoder.decode();
}

function unreadable(file: string, expected: string, found: string): ReferenceListError {
  return new ReferenceListError({ file, expected, found });
}

// Reads comma-separated values (RFC 4180) piece by piece.
//
// A quote is special only at the begin of a field: lists have names such as `Camp "Wildcat"` without quotes around them.

/** Reads the rows of a text that arrives in pieces. */
interface CsvScanner {
  /** The rows that are complete with this piece. */
  write(piece: string): string[][];
  /** The rows that remain when the text ends. */
  end(): string[][];
}

/** Longest row in characters: the longest of the real lists have 10,000. */
const MAX_ROW_LENGTH = 65_536;

/** A scanner; `onLongRow` throws when a row exceeds {@link MAX_ROW_LENGTH}. */
export function createCsvScanner(onLongRow: () => never): CsvScanner {
  let rest = "";
  return {
    write(piece) {
      rest += piece;
      return take(false);
    },
    end: () => take(true),
  };

  function take(isEnd: boolean): string[][] {
    const { rows, end } = readRows(rest, isEnd);
    rest = rest.slice(end);
    if (rest.length > MAX_ROW_LENGTH || rows.some((row) => row.length > MAX_FIELDS)) onLongRow();
    return rows;
  }
}

const MAX_FIELDS = 1000;

const QUOTE = 34;

/** The complete rows, and where the incomplete one begins. */
function readRows(text: string, isEnd: boolean): { rows: string[][]; end: number } {
  const rows: string[][] = [];
  let end = 0;
  let row: string[] = [];
  // Searched once, so that a text without commas is not scanned again for each line.
  let comma = -1;
  let newline = -1;
  for (let at = 0; at < text.length;) {
    const quoted = text.charCodeAt(at) === QUOTE ? closingQuote(text, at + 1, isEnd) : undefined;
    if (quoted === Infinity) break; // incomplete
    const from = quoted ?? at;
    if (comma < from) comma = indexOrEnd(text, ",", from);
    if (newline < from) newline = indexOrEnd(text, "\n", from);
    const stop = Math.min(comma, newline);
    if (stop === text.length && !isEnd) break;
    row.push(quoted === undefined ? text.slice(at, stop) : unquoted(text.slice(at, stop)));
    at = stop + 1;
    const isLastComma = isEnd && at === text.length;
    if (stop === comma && stop < text.length && !isLastComma) continue;
    if (stop === comma && isLastComma) row.push("");
    rows.push(withoutCarriageReturn(row));
    row = [];
    end = at;
  }
  return { rows, end: isEnd ? text.length : end };
}

/** The index after the quote that closes a field; `Infinity` if it may still come. */
function closingQuote(text: string, from: number, isEnd: boolean): number {
  let at = text.indexOf('"', from);
  while (at >= 0 && text.charCodeAt(at + 1) === QUOTE) at = text.indexOf('"', at + 2);
  // A quote at the end of the piece may be the first one of a pair.
  const isOpen = at < 0 || at === text.length - 1;
  if (!isOpen) return at + 1;
  return isEnd ? text.length : Infinity;
}

/** The content of a field between quotes; what follows the closing quote is kept. */
function unquoted(field: string): string {
  const text = field.endsWith("\r") ? field.slice(0, -1) : field;
  const inner = text.endsWith('"') ? text.slice(1, -1) : text.slice(1);
  return inner.replaceAll('""', '"');
}

function withoutCarriageReturn(row: string[]): string[] {
  const last = row.at(-1);
  return last?.endsWith("\r") === true ? [...row.slice(0, -1), last.slice(0, -1)] : row;
}

function indexOrEnd(text: string, character: string, from: number): number {
  const index = text.indexOf(character, from);
  return index < 0 ? text.length : index;
}
