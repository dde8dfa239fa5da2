/**
 * How long the steps of a migration take on a database: measured there, on the first rows of each table, and extrapolated. The rates
 * of machines differ by more than a factor of ten.
 */
import { sql, type Kysely } from "kysely";

import type { Database } from "../platform/database/database.js";
import { indexStatement, type MigrationIndex } from "../platform/database/migrate.js";

/** Rows that are measured. A tenth of them is too: it shows what does not depend on the number of rows. */
const SAMPLE = 20_000;
/** Less takes no time that matters. */
const MIN_ROWS = 2000;
/** The temporary copy. */
const COPY = "hamkit_sample";

/** Work on a table. */
export interface TableWork {
  readonly rows: number;
  readonly seconds: number;
}

/** Measures on temporary copies: changes nothing, and locks nothing that requests need. */
export interface MigrationTimes {
  /** Creates an index. */
  index(index: MigrationIndex): Promise<TableWork>;
  /** Copies or changes all rows of a table, with its indexes. */
  copy(table: string): Promise<TableWork>;
}

export function createMigrationTimes(database: Database): MigrationTimes {
  const { kind } = database;
  const measured = (table: string, measure: (queries: Kysely<unknown>, rows: number) => Promise<number>) =>
    aside(database, async (queries): Promise<TableWork> => {
      // An earlier step creates it.
      if ((await columnsOf(queries, kind, table)).length === 0) return { rows: 0, seconds: 0 };
      const { rows, seconds: reading } = await scan(queries, kind, table);
      if (rows < MIN_ROWS) return { rows, seconds: 0 };
      const large = Math.min(rows, SAMPLE);
      const small = Math.floor(large / 10);
      // Once more than is counted: the first one loads what the others find in memory.
      await measure(queries, small);
      const samples: TableWork[] = [];
      for (const count of [small, large])
        samples.push({ rows: count, seconds: await measure(queries, count) });
      return { rows, seconds: reading + extrapolate(samples, rows) };
    });
  return {
    index: (index) => measured(index.table, (queries, rows) => timeIndex(queries, kind, { index, rows })),
    copy: (table) => measured(table, (queries, rows) => timeCopy(queries, kind, { table, rows })),
  };
}

/**
 * @param samples A small and a large one.
 * @returns The seconds for any number of rows: an index takes n log n, and what is in memory in a sample may be on disk then.
 */
export function extrapolate([small, large]: readonly TableWork[], rows: number): number {
  if (small === undefined || large === undefined || large.rows <= small.rows) return large?.seconds ?? 0;
  const perRow = Math.max(0, (large.seconds - small.seconds) / (large.rows - small.rows));
  const fixed = Math.max(0, large.seconds - perRow * large.rows);
  return fixed + (perRow * rows * Math.log(rows)) / Math.log(large.rows);
}

/** The rows of a table, and how long it takes to read them all as a migration does: not by an index. */
async function scan(queries: Kysely<unknown>, kind: Database["kind"], table: string): Promise<TableWork> {
  if (kind === "postgres")
    for (const plan of ["indexscan", "indexonlyscan", "bitmapscan"])
      await sql`set local ${sql.raw(`enable_${plan}`)} = off`.execute(queries);
  const how = kind === "sqlite" ? sql`not indexed` : sql``;
  let rows = 0;
  const seconds = await timed(async () => {
    const counted = await sql<{
      count: unknown;
    }>`select count(*) as count from ${sql.table(table)} ${how}`.execute(queries);
    rows = Number(counted.rows[0]?.count ?? 0);
  });
  return { rows, seconds };
}

interface IndexSample {
  readonly index: MigrationIndex;
  readonly rows: number;
}

async function timeIndex(
  queries: Kysely<unknown>,
  kind: Database["kind"],
  { index, rows }: IndexSample,
): Promise<number> {
  const known = await columnsOf(queries, kind, index.table);
  // The step itself may add a column, which is empty then.
  const columns = index.columns.map((column) =>
    known.includes(column) ? sql.ref(column) : sql`null as ${sql.ref(column)}`,
  );
  await sql`create temp table ${sql.table(COPY)} as
    select ${sql.join(columns)} from ${sql.table(index.table)} limit ${sql.lit(rows)}`.execute(queries);
  const created = indexStatement({ ...index, name: `${COPY}_index`, table: COPY });
  const seconds = await timed(() => created.execute(queries));
  await dropCopy(queries);
  return seconds;
}

/** None if the table does not exist. */
async function columnsOf(
  queries: Kysely<unknown>,
  kind: Database["kind"],
  table: string,
): Promise<readonly string[]> {
  const query =
    kind === "sqlite"
      ? sql<{ name: string }>`select name from pragma_table_info(${table})`
      : sql<{ name: string }>`select attname as name from pg_attribute
          where attrelid = to_regclass(quote_ident(${table})) and attnum > 0 and not attisdropped`;
  return (await query.execute(queries)).rows.map(({ name }) => name);
}

interface Sample {
  readonly table: string;
  readonly rows: number;
}

async function timeCopy(
  queries: Kysely<unknown>,
  kind: Database["kind"],
  { table, rows }: Sample,
): Promise<number> {
  if (kind === "postgres")
    await sql`create temp table ${sql.table(COPY)} (like ${sql.table(table)} including all)`.execute(queries);
  else {
    await sql`create temp table ${sql.table(COPY)} as select * from ${sql.table(table)} limit 0`.execute(
      queries,
    );
    for (const [at, columns] of (await sqliteIndexes(queries, table)).entries())
      await indexStatement({ name: `${COPY}_${at}`, table: COPY, columns }).execute(queries);
  }
  const copied = sql`insert into ${sql.table(COPY)} select * from ${sql.table(table)} limit ${sql.lit(rows)}`;
  const seconds = await timed(() => copied.execute(queries));
  await dropCopy(queries);
  return seconds;
}

/** The columns of each index of a table, without expressions. */
async function sqliteIndexes(queries: Kysely<unknown>, table: string): Promise<string[][]> {
  const { rows } = await sql<{ columns: string }>`select json_group_array(info.name) as columns
    from pragma_index_list(${table}) list join pragma_index_info(list.name) info
    where info.name is not null group by list.name`.execute(queries);
  return rows.map(({ columns }) => JSON.parse(columns) as string[]);
}

async function dropCopy(queries: Kysely<unknown>): Promise<void> {
  await sql`drop table ${sql.table(COPY)}`.execute(queries);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1000;
}

/** Ends a transaction without its changes. */
class RolledBack extends Error {
  constructor(readonly work: unknown) {
    super("rolled back");
  }
}

/** Runs work with temporary tables: on PostgreSQL in a transaction, for they belong to its connection; on SQLite without one, which would delay writes. */
async function aside<Result>(
  database: Database,
  work: (queries: Kysely<unknown>) => Promise<Result>,
): Promise<Result> {
  if (database.kind === "sqlite") return work(database.tables());
  try {
    await database.alone(
      async (transaction) => {
        throw new RolledBack(await work(transaction.tables()));
      },
      { changes: [], isMigration: true },
    );
  } catch (error) {
    if (error instanceof RolledBack) return error.work as Result;
    throw error;
  }
  throw new Error("the transaction was not rolled back");
}
