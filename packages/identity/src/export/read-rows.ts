/** Reads tables of this service for an export, in parts. */
import { sql } from "kysely";

import type { Database, Queries } from "../platform/database/database.js";
import { quotedName, type TableTransfer, type TargetRow } from "../import/table-transfer.js";

/** Rows in memory at a time. */
const PART_ROWS = 5000;

/** What an export needs of a transfer. */
export type ReturnedTable = Pick<TableTransfer, "from" | "columns" | "newerColumns" | "key" | "to" | "back">;

/** The rows of a table, in a transaction that sees one moment. One table after the other. */
export function readRows(
  transaction: Queries,
  kind: Database["kind"],
  table: ReturnedTable,
): AsyncGenerator<readonly TargetRow[]> {
  return kind === "postgres" ? readByCursor(transaction, table) : readByOffset(transaction, table);
}

async function* readByCursor(
  transaction: Queries,
  table: ReturnedTable,
): AsyncGenerator<readonly TargetRow[]> {
  const tables = transaction.tables();
  await sql`declare exported_rows no scroll cursor for ${sql.raw(queryOf(table))}`.execute(tables);
  for (let isFull = true; isFull;) {
    const { rows } = await sql<TargetRow>`fetch ${sql.lit(PART_ROWS)} from exported_rows`.execute(tables);
    if (rows.length > 0) yield rows;
    isFull = rows.length === PART_ROWS;
  }
  await sql`close exported_rows`.execute(tables);
}

async function* readByOffset(
  transaction: Queries,
  table: ReturnedTable,
): AsyncGenerator<readonly TargetRow[]> {
  const query = sql.raw(queryOf(table, "t.rowid"));
  for (let offset = 0, isFull = true; isFull; offset += PART_ROWS) {
    const { rows } = await sql<TargetRow>`${query} limit ${PART_ROWS} offset ${offset}`.execute(
      transaction.tables(),
    );
    if (rows.length > 0) yield rows;
    isFull = rows.length === PART_ROWS;
  }
}

/** @param standardOrder Of tables in which the order does not matter. */
function queryOf({ to, back }: ReturnedTable, standardOrder?: string): string {
  const { prologue, expressions = {}, joins, where, order = standardOrder } = back;
  const others = Object.entries(expressions).map(([name, text]) => `, ${text} as ${quotedName(name)}`);
  return [
    prologue,
    `select t.*${others.join("")} from ${quotedName(to)} t`,
    joins,
    where && `where ${where}`,
    order && `order by ${order}`,
  ]
    .filter((part) => part !== undefined)
    .join(" ");
}
