/** The SQL of an export, after a preparation of the session: it means the same to the databases and to their command-line clients. */
import { quotedName, type ReturnedRow, type ReturnedValue } from "../import/table-transfer.js";
import { ExportError } from "./export-errors.js";
import type { TargetKind } from "./keystone-target.js";

/** Names in double quotes, texts without escapes, values that don't fit rejected; then the transaction. */
export const PREPARATION: Readonly<Record<TargetKind, readonly string[]>> = {
  mysql: [
    "set names utf8mb4",
    "set session sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES'",
    "start transaction",
  ],
  postgres: [
    "set client_encoding = 'UTF8'",
    "set standard_conforming_strings = on",
    "set statement_timeout = 0",
    "set idle_in_transaction_session_timeout = 0",
    "start transaction",
  ],
};

/** Rows and characters of a statement. MySQL's `max_allowed_packet` is at least 16 MiB by default. */
const MAX_ROWS = 500;
const MAX_LENGTH = 1_000_000;

/** Statements that insert rows with the same columns. */
export function* insertTexts(
  kind: TargetKind,
  table: string,
  rows: readonly ReturnedRow[],
): Generator<string> {
  const [first] = rows;
  if (first === undefined) return;
  const columns = Object.keys(first);
  const head = `insert into ${quotedName(table)} (${columns.map(quotedName).join(", ")}) values\n`;
  let values: string[] = [];
  let length = 0;
  for (const row of rows) {
    const literals = columns.map((column) =>
      literal(row[column] ?? null, { kind, place: `${table}.${column}` }),
    );
    const text = `(${literals.join(", ")})`;
    if (values.length === MAX_ROWS || (values.length > 0 && length + text.length > MAX_LENGTH)) {
      yield head + values.join(",\n");
      values = [];
      length = 0;
    }
    values.push(text);
    length += text.length;
  }
  yield head + values.join(",\n");
}

/** The clients of MariaDB and MySQL change CR LF to LF, and have commands that begin with a backslash. */
// oxlint-disable-next-line no-control-regex -- matches control characters on purpose
const CHANGED_BY_CLIENTS = /[\u0000-\u001f\u007f\\]/;

/** @param place In an error: the value may be a secret. @throws {ExportError} */
function literal(
  value: ReturnedValue,
  { kind, place }: { readonly kind: TargetKind; readonly place: string },
): string {
  if (typeof value !== "string") return String(value);
  if (value.includes("\0"))
    throw new ExportError(
      "export/value",
      `A value of ${place} contains the character U+0000, which no database of Keystone's takes`,
    );
  if (kind === "mysql" && CHANGED_BY_CLIENTS.test(value))
    return `_utf8mb4 x'${Buffer.from(value).toString("hex")}'`;
  return `'${value.replaceAll("'", "''")}'`;
}
