/** Lays out tables and cards; cells are made printable, and columns align with and without colors. */
import { toPrintable, type Ink } from "./terminal.js";
import type { CallsignDatabase } from "../databases/callsign-database.js";
import type { Session } from "../session.js";

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => string;
  readonly align?: "right";
  /** Columns to omit on a narrow terminal; the lowest number first. */
  readonly dispensable?: number;
  /** The width in a table whose rows come one by one, at least that of the title; a longer cell moves the rest of its line. */
  readonly usualWidth?: number;
}

export interface TextTableOptions {
  readonly ink: Ink;
  /** In characters; default: unlimited. */
  readonly width?: number | undefined;
}

/** A row of cells, or a first cell and a remark. */
export type TableRow<Row> = { readonly row: Row } | { readonly first: string; readonly remark: string };

export interface Table {
  readonly lines: readonly string[];
  /** Titles of the columns that did not fit. */
  readonly omitted: readonly string[];
}

/** Longer cells are truncated: one hostile line must not widen all others. */
const MAX_CELL_LENGTH = 40;
const MAX_REMARK_LENGTH = 160;

const GAP = "  ";

/** A header line and one line per row. Columns that don't fit the width are omitted. */
export function layOutTable<Row>(
  rows: readonly TableRow<Row>[],
  columns: readonly Column<Row>[],
  { ink, width = Infinity }: TextTableOptions,
): Table {
  const all = columns.map((column, index) => measure(column, index, rows));
  const shown = fit(all, width);
  const head = shown.map((one) => pad(one.column.title, one.width, one.column.align));
  const body = rows.map((row, index) => {
    const cells = shown.map((one) => pad(one.texts[index] ?? "", one.width, one.column.align));
    return "remark" in row
      ? `${cells[0]}${GAP}${ink("yellow", printable(row.remark, MAX_REMARK_LENGTH))}`
      : cells.join(GAP).trimEnd();
  });
  return {
    lines: [ink("bold", head.join(GAP).trimEnd()), ...body],
    omitted: omittedTitles(all, shown),
  };
}

function omittedTitles<Row>(all: readonly Measured<Row>[], shown: readonly Measured<Row>[]): string[] {
  return all.filter((one) => !shown.includes(one)).map(({ column }) => column.title);
}

/** A table whose rows are not known yet. */
export interface OpenTable<Row> {
  readonly head: string;
  readonly omitted: readonly string[];
  row(row: TableRow<Row>): string;
}

/** A table whose rows are laid out one by one, in columns of their usual widths. */
export function openTextTable<Row>(
  columns: readonly Column<Row>[],
  { ink, width = Infinity }: TextTableOptions,
): OpenTable<Row> {
  const all = columns.map((column) => ({
    column,
    texts: [],
    width: Math.max(column.title.length, column.usualWidth ?? 0),
  }));
  const shown = fit(all, width);
  const line = (text: (column: Column<Row>) => string): string =>
    shown
      .map((one) => pad(text(one.column), one.width, one.column.align))
      .join(GAP)
      .trimEnd();
  return {
    head: ink(
      "bold",
      line(({ title }) => title),
    ),
    omitted: omittedTitles(all, shown),
    row(row) {
      if ("row" in row) return line((column) => printable(column.cell(row.row)));
      const first = pad(printable(row.first), shown[0]?.width ?? 0, undefined);
      return `${first}${GAP}${ink("yellow", printable(row.remark, MAX_REMARK_LENGTH))}`;
    },
  };
}

/** One line per label with aligned values; indented below a heading. */
export function layOutCard(
  heading: string | undefined,
  entries: readonly (readonly [label: string, value: string])[],
  ink: Ink,
): string[] {
  const width = Math.max(...entries.map(([label]) => label.length));
  const lines = entries.map(
    ([label, value]) => `${ink("dim", label.padEnd(width))}${GAP}${printable(value, MAX_REMARK_LENGTH)}`,
  );
  return heading === undefined
    ? lines
    : [ink("bold", printable(heading)), ...lines.map((line) => GAP + line)];
}

/** The text of a cell: printable and truncated. */
export function printable(text: string, maxLength = MAX_CELL_LENGTH): string {
  const characters = Array.from(toPrintable(text));
  return characters.length > maxLength
    ? `${characters.slice(0, maxLength - 3).join("")}...`
    : characters.join("");
}

interface Measured<Row> {
  readonly column: Column<Row>;
  /** One per row. */
  readonly texts: readonly string[];
  readonly width: number;
}

function measure<Row>(column: Column<Row>, index: number, rows: readonly TableRow<Row>[]): Measured<Row> {
  const texts = rows.map((row) => {
    if ("row" in row) return printable(column.cell(row.row));
    return index === 0 ? printable(row.first) : "";
  });
  return {
    column,
    texts,
    width: texts.reduce((max, text) => Math.max(max, lengthOf(text)), column.title.length),
  };
}

function fit<Row>(columns: readonly Measured<Row>[], width: number): readonly Measured<Row>[] {
  let shown = columns;
  while (totalWidth(shown) > width) {
    const dispensable = shown
      .filter(({ column }) => column.dispensable !== undefined)
      .sort((a, b) => (a.column.dispensable ?? 0) - (b.column.dispensable ?? 0));
    const [least] = dispensable;
    if (least === undefined) break;
    shown = shown.filter((one) => one !== least);
  }
  return shown;
}

function totalWidth(columns: readonly Measured<never>[]): number {
  return columns.reduce((sum, { width }) => sum + width, GAP.length * (columns.length - 1));
}

function pad(text: string, width: number, align: "right" | undefined): string {
  const blanks = " ".repeat(Math.max(0, width - lengthOf(text)));
  return align === "right" ? blanks + text : text + blanks;
}

function lengthOf(text: string): number {
  return Array.from(text).length;
}

/** "Data: cty.dat VER20240101 of 2024-01-01" */
export function dataText({ name, date }: Pick<CallsignDatabase, "name" | "date">): string {
  return `Data: ${printable(name, 200)}${date === undefined ? "" : ` of ${date}`}`;
}

/** The longest line where the terminal's width is not known. */
const WIDTH = 80;
const INDENT = "  ";

/** A label and words, on lines of the terminal's width that are indented below the label. */
export function wrapped(label: string, text: string, { io }: Session): string[] {
  const width = Math.max(40, io.stdout.columns ?? WIDTH);
  const indent = " ".repeat((/^ */.exec(label)?.[0].length ?? 0) + (label === "" ? 0 : INDENT.length));
  const lines: string[] = [];
  let line = label;
  for (const word of text.split(" ")) {
    if (word === "") continue;
    if (line.trim() !== "" && line.length + word.length + 1 > width) {
      lines.push(line);
      line = indent + word;
    } else line += line.trim() === "" ? word : ` ${word}`;
  }
  return [...lines, line];
}
