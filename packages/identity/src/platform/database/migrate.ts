/** Migrates a database to the schema of this release. */
import { sql, type Kysely, type RawBuilder } from "kysely";

import type { ColumnTypes, Database, Queries } from "./database.js";
import { createSchemaScript } from "./postgres/schema-script.js";

/** One step, the same on both databases. There are no down migrations: an older release keeps the newer tables. */
export interface Migration {
  /** Lasting and unique, such as `0003-limits`. */
  readonly name: string;
  /** It only adds to the schema: releases that don't know the step run with it. */
  readonly expands?: boolean;
  /** Tables whose rows it copies or changes, all of them: it takes longer the more they have. */
  readonly reads?: readonly string[];
  /** Indexes that it creates after `up`, unless they exist. */
  readonly indexes?: readonly MigrationIndex[];
  /**
   * `undefined` for a step of the next release, with which this one runs already: it removes what this release no longer uses. In a new
   * database, changes without parameters run together, before the next query: what they return is empty, and they fail later.
   */
  readonly up: ((schema: Kysely<unknown>, types: ColumnTypes) => Promise<void>) | undefined;
}

/** An index that is not unique. */
export interface MigrationIndex {
  readonly name: string;
  readonly table: string;
  readonly columns: readonly string[];
}

interface StepRow {
  name: string;
  position: number;
}

interface MigrationTables {
  /** Steps that a release has to know. */
  readonly schema_migration: StepRow;
  /** Steps that only expand the schema. Releases from before there was this table don't read it, and run. */
  readonly schema_expansion: StepRow;
}

const STEP_TABLES = ["schema_migration", "schema_expansion"] as const;

/** The database was migrated by a newer release. */
export class NewerDatabaseError extends Error {
  override readonly name = "NewerDatabaseError";
  readonly code = "database/newer";
  readonly unknown: readonly string[];

  constructor(unknown: readonly string[]) {
    super(`The database was migrated by a newer release, which also has ${unknown.join(", ")}`);
    this.unknown = unknown;
  }
}

export interface MigrateOptions {
  /**
   * More work of the start. It runs while a server makes a new schema, otherwise before the schema is changed; not at all if that needs no
   * change. If it fails, nothing is changed.
   */
  readonly meanwhile?: ((database: Database) => Promise<unknown>) | undefined;
}

/**
 * Applies the missing steps in the order of the list, all or none. Processes that start concurrently wait for each other.
 *
 * @returns The names of the applied steps.
 * @throws {NewerDatabaseError} Nothing was changed.
 */
export async function migrate(
  database: Database,
  migrations: readonly Migration[],
  { meanwhile }: MigrateOptions = {},
): Promise<string[]> {
  const isNew = !(await hasTable(database, "schema_migration"));
  if (!isNew && (await isCurrent(database, migrations))) return [];
  if (!isNew || database.kind === "sqlite") await meanwhile?.(database);
  const work = async (transaction: Queries) => {
    await createStepTables(transaction, database.columnTypes);
    const unknown = unknownSteps(await listSteps(transaction, "schema_migration"), migrations);
    if (unknown.length > 0) throw new NewerDatabaseError(unknown);

    const taken = await listAllSteps(transaction);
    const missing = missingSteps(taken, migrations);
    // An upgrade locks tables that others use: its statements are few, and nothing else is done in between.
    const script =
      database.kind === "postgres" && taken.length === 0
        ? createSchemaScript(transaction.tables(), async () => meanwhile?.(database))
        : undefined;
    try {
      await applySteps(script?.queries ?? transaction.tables(), database, missing);
      await script?.finish();
    } catch (error) {
      // It uses the database, which is closed next.
      await script?.settled();
      throw error;
    }
    await recordSteps(transaction, missing, taken.length);
    return missing.map(({ name }) => name);
  };
  return database.alone(work, { isMigration: true });
}

async function applySteps(
  schema: Kysely<unknown>,
  { kind, columnTypes }: Database,
  steps: readonly Migration[],
): Promise<void> {
  if (kind === "postgres")
    await dropInvalidIndexes(
      schema,
      steps.flatMap(({ indexes = [] }) => indexes),
    );
  for (const { indexes = [], up } of steps) {
    await up?.(schema, columnTypes);
    for (const index of indexes) await indexStatement(index).execute(schema);
  }
}

async function recordSteps(transaction: Queries, steps: readonly Migration[], before: number): Promise<void> {
  for (const table of STEP_TABLES) {
    const rows = steps.flatMap(({ name, expands = false }, index) =>
      expands === (table === "schema_expansion") ? [{ name, position: before + index + 1 }] : [],
    );
    if (rows.length > 0) await transaction.tables<MigrationTables>().insertInto(table).values(rows).execute();
  }
}

/** Most starts: they need no write lock, which another process may hold, nor a database that takes writes. */
async function isCurrent(database: Database, migrations: readonly Migration[]): Promise<boolean> {
  if (!(await hasTable(database, "schema_expansion"))) return false;
  const unknown = unknownSteps(await listSteps(database, "schema_migration"), migrations);
  return unknown.length === 0 && missingSteps(await listAllSteps(database), migrations).length === 0;
}

/**
 * The statement that creates an index.
 *
 * @param isConcurrent Without a transaction, and without delaying writes; on PostgreSQL.
 */
export function indexStatement(
  { name, table, columns }: MigrationIndex,
  isConcurrent = false,
): RawBuilder<unknown> {
  const list = sql.join(columns.map((column) => sql.ref(column)));
  const kind = isConcurrent ? sql`index concurrently` : sql`index`;
  return sql`create ${kind} if not exists ${sql.ref(name)} on ${sql.table(table)} (${list})`;
}

/** An operator may have created one before. If that was interrupted, PostgreSQL keeps an invalid index, which no query uses. */
async function dropInvalidIndexes(
  transaction: Kysely<unknown>,
  indexes: readonly MigrationIndex[],
): Promise<void> {
  const names = indexes.map(({ name }) => name);
  const invalid = await sql<{ name: string }>`select name from unnest(${names}::text[]) as name
    join pg_index on indexrelid = to_regclass(quote_ident(name)) where not indisvalid`.execute(transaction);
  for (const { name } of invalid.rows) await sql`drop index ${sql.ref(name)}`.execute(transaction);
}

/** Of the steps that a release has to know, those that this one does not. */
export function unknownSteps(required: readonly string[], migrations: readonly Migration[]): string[] {
  return required.filter((name) => migrations.every((migration) => migration.name !== name));
}

/** The steps that are to be applied. */
export function missingSteps(taken: readonly string[], migrations: readonly Migration[]): Migration[] {
  return migrations.filter(({ name, up }) => up !== undefined && !taken.includes(name));
}

/** The steps that were applied to a database; changes nothing, unlike {@link migrate}. */
export async function stepsTaken(database: Database): Promise<string[]> {
  const names: string[] = [];
  for (const table of STEP_TABLES)
    if (await hasTable(database, table)) names.push(...(await listSteps(database, table)));
  return names;
}

/** Those of the applied steps that a release has to know. */
export async function requiredSteps(database: Database): Promise<string[]> {
  return (await hasTable(database, "schema_migration")) ? listSteps(database, "schema_migration") : [];
}

async function hasTable(database: Database, table: (typeof STEP_TABLES)[number]): Promise<boolean> {
  const query =
    database.kind === "sqlite"
      ? sql`select name from sqlite_master where name = ${table}`
      : sql`select 1 where to_regclass(${table}) is not null`;
  return (await query.execute(database.tables())).rows.length > 0;
}

async function listAllSteps(queries: Queries): Promise<string[]> {
  const lists = [];
  for (const table of STEP_TABLES) lists.push(await listSteps(queries, table));
  return lists.flat();
}

async function listSteps(queries: Queries, table: (typeof STEP_TABLES)[number]): Promise<string[]> {
  const tables = queries.tables<MigrationTables>();
  const rows = await tables.selectFrom(table).select("name").orderBy("position").execute();
  return rows.map(({ name }) => name);
}

async function createStepTables(transaction: Queries, types: ColumnTypes): Promise<void> {
  for (const table of STEP_TABLES)
    await transaction
      .tables()
      .schema.createTable(table)
      .ifNotExists()
      .addColumn("name", types.text, (column) => column.primaryKey())
      .addColumn("position", types.integer, (column) => column.notNull())
      .execute();
}
