/** Loads many rows in one transaction: it may take long, and indexes of a large table are created after its rows. */
import { type Database, type Queries, sql } from "@hamkit/identity/import-support/storage";

interface IndexRow {
  readonly name: string;
  readonly definition: string;
}

/** Rows in memory, in KiB, while SQLite imports: more than the service's own transactions need. */
const SQLITE_CACHE_KIB = 8_192;

/**
 * Runs work without the indexes of a table that has no primary key, and whose rows are unique where they come from: they are created
 * afterwards in a sorted pass, instead of a million insertions each.
 *
 * @throws {UniqueViolation} They were not.
 */
export async function withoutIndexes(
  transaction: Queries,
  { kind, table }: { readonly kind: Database["kind"]; readonly table: string },
  work: () => Promise<void>,
): Promise<void> {
  const tables = transaction.tables();
  const query =
    kind === "sqlite"
      ? sql<IndexRow>`select name, sql as definition from sqlite_master where type = 'index' and tbl_name = ${table} and sql is not null`
      : sql<IndexRow>`select indexname as name, indexdef as definition from pg_indexes where schemaname = current_schema() and tablename = ${table}`;
  const { rows } = await query.execute(tables);
  for (const { name } of rows) await sql`drop index ${sql.ref(name)}`.execute(tables);
  await work();
  for (const { definition } of rows) await sql.raw(definition).execute(tables);
}

/** Statistics of new rows. Without them PostgreSQL plans an update that follows soon, and the first requests, for small tables. */
export async function analyzeTables(
  queries: Queries,
  { kind, tables }: { readonly kind: Database["kind"]; readonly tables: Iterable<string> },
): Promise<void> {
  if (kind === "sqlite") return;
  for (const table of tables) await sql`analyze ${sql.table(table)}`.execute(queries.tables());
}

/** Lets SQLite keep more pages in memory during an import, and sort in files. Before the transaction. */
export async function enlargeCache(queries: Queries, kind: Database["kind"]): Promise<void> {
  if (kind !== "sqlite") return;
  await sql`pragma cache_size = ${sql.lit(-SQLITE_CACHE_KIB)}`.execute(queries.tables());
  await sql`pragma temp_store = file`.execute(queries.tables());
}

/** The service's own transactions take milliseconds, and are limited to seconds. */
export async function allowLongTransaction(transaction: Queries, kind: Database["kind"]): Promise<void> {
  if (kind !== "postgres") return;
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(transaction.tables());
  await sql`set local statement_timeout = 0`.execute(transaction.tables());
}
