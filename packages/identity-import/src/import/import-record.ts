/** The record of imported rows: what a later import compares with. */
import { createHash } from "node:crypto";

import type { Queries } from "@hamkit/identity/import-support/storage";

import type { SourceRow } from "./source/keystone-source.js";
import type { TargetRow } from "./table-transfer.js";

export interface ImportedRow {
  readonly table_name: string;
  readonly row_key: string;
  readonly source_digest: string;
  readonly row_digest: string;
  readonly import_number: number;
}

interface Tables {
  readonly imported_row: ImportedRow;
}

/** Keys of one query. */
const MAX_RECORDED_KEYS = 1000;
/** Records that are read at a time. */
const MAX_READ_RECORDS = 2000;

/** The digest of a row of Keystone's, with the rows that belong to it. */
export function sourceDigest(group: readonly SourceRow[]): string {
  return digest(JSON.stringify(group));
}

/** The digest of a row here, without its key and some columns. A column that the import does not set is as one with null. */
export function rowDigest(row: TargetRow, without: readonly string[]): string {
  const entries = Object.entries(row)
    .filter(([column, value]) => value !== null && !without.includes(column))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([column, value]) => [
      column,
      value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value,
    ]);
  return entries.length === 0 ? "" : digest(JSON.stringify(entries));
}

/** 96 bits: enough to tell two versions of one row apart. */
function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 16);
}

/** The number of the last import; 0 before the first. */
export async function lastImport(queries: Queries): Promise<number> {
  const { number } = await queries
    .tables<Tables>()
    .selectFrom("imported_row")
    .select(({ fn }) => fn.max<number | null>("import_number").as("number"))
    .executeTakeFirstOrThrow();
  return number ?? 0;
}

/** The recorded rows of a table by key. */
export async function findRecorded(
  queries: Queries,
  table: string,
  keys: readonly string[],
): Promise<Map<string, ImportedRow>> {
  const found = new Map<string, ImportedRow>();
  for (let start = 0; start < keys.length; start += MAX_RECORDED_KEYS) {
    const rows = await queries
      .tables<Tables>()
      .selectFrom("imported_row")
      .selectAll()
      .where("table_name", "=", table)
      .where("row_key", "in", keys.slice(start, start + MAX_RECORDED_KEYS))
      .execute();
    for (const row of rows) found.set(row.row_key, row);
  }
  return found;
}

export async function recordRow(queries: Queries, row: ImportedRow): Promise<void> {
  const { source_digest, row_digest, import_number } = row;
  await queries
    .tables<Tables>()
    .insertInto("imported_row")
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(["table_name", "row_key"]).doUpdateSet({ source_digest, row_digest, import_number }),
    )
    .execute();
}

export async function countRecorded(queries: Queries, table: string): Promise<number> {
  const { count } = await queries
    .tables<Tables>()
    .selectFrom("imported_row")
    .select(({ fn }) => fn.countAll<number | string>().as("count"))
    .where("table_name", "=", table)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** The recorded rows of a table, some at a time; rows may be deleted between two of them. */
export async function* readRecorded(
  queries: Queries,
  table: string,
): AsyncGenerator<readonly Pick<ImportedRow, "row_key" | "source_digest" | "row_digest">[]> {
  for (let after = "", isFull = true; isFull;) {
    const rows = await queries
      .tables<Tables>()
      .selectFrom("imported_row")
      .select(["row_key", "source_digest", "row_digest"])
      .where("table_name", "=", table)
      .where("row_key", ">", after)
      .orderBy("row_key")
      .limit(MAX_READ_RECORDS)
      .execute();
    if (rows.length > 0) yield rows;
    after = rows.at(-1)?.row_key ?? after;
    isFull = rows.length === MAX_READ_RECORDS;
  }
}

/** Forgets rows that were deleted. */
export async function forgetRows(queries: Queries, table: string, keys: readonly string[]): Promise<void> {
  for (let start = 0; start < keys.length; start += MAX_RECORDED_KEYS)
    await queries
      .tables<Tables>()
      .deleteFrom("imported_row")
      .where("table_name", "=", table)
      .where("row_key", "in", keys.slice(start, start + MAX_RECORDED_KEYS))
      .execute();
}

/** Forgets all imports: no later one can be an update. */
export async function forgetImport(queries: Queries): Promise<void> {
  await queries.tables<Tables>().deleteFrom("imported_row").execute();
}
