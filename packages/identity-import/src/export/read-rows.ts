/** Reads tables of this service for an export, in parts. */
import { CompiledQuery, type Database, type Queries, sql } from "@hamkit/identity/import-support/storage";

import { quotedName, type ReturnedTable, type TargetRow } from "../import/table-transfer.js";

/** Rows in memory at a time. */
const PART_ROWS = 5000;

/** The rows of a table, in a transaction that sees one moment. One table after the other. */
export function readRows(
  transaction: Queries,
  kind: Database["kind"],
  table: ReturnedTable,
): AsyncGenerator<readonly TargetRow[]> {
  if (kind === "postgres") return readByCursor(transaction, table);
  return table.back.order === undefined
    ? readByPosition(transaction, table)
    : readByOffset(transaction, table);
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

/** In the order in which SQLite stores them: each part begins where the last one ended, however many rows are before it. */
async function* readByPosition(
  transaction: Queries,
  table: ReturnedTable,
): AsyncGenerator<readonly TargetRow[]> {
  const { expressions, where } = table.back;
  const query = queryOf({
    ...table,
    back: {
      ...table.back,
      expressions: { ...expressions, exported_position: "t.rowid" },
      where: `${where === undefined ? "" : `(${where}) and `}t.rowid > ?`,
      order: `t.rowid limit ${PART_ROWS}`,
    },
  });
  for (let after = 0, isFull = true; isFull;) {
    const { rows } = await transaction.tables().executeQuery<TargetRow>(CompiledQuery.raw(query, [after]));
    if (rows.length > 0) yield rows;
    after = Number(rows.at(-1)?.["exported_position"] ?? after);
    isFull = rows.length === PART_ROWS;
  }
}

/** Small tables with an order of their own. */
async function* readByOffset(
  transaction: Queries,
  table: ReturnedTable,
): AsyncGenerator<readonly TargetRow[]> {
  const query = sql.raw(queryOf(table));
  for (let offset = 0, isFull = true; isFull; offset += PART_ROWS) {
    const { rows } = await sql<TargetRow>`${query} limit ${PART_ROWS} offset ${offset}`.execute(
      transaction.tables(),
    );
    if (rows.length > 0) yield rows;
    isFull = rows.length === PART_ROWS;
  }
}

function queryOf({ to, back }: ReturnedTable): string {
  const { prologue, expressions = {}, joins, where, order } = back;
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
