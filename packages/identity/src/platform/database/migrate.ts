/** Migrates a database to the schema of this release. */
import { sql, type Kysely } from "kysely";

import type { ColumnTypes, Database, Queries } from "./database.js";

/** One step, the same on both databases. There are no down migrations: an older release keeps the newer tables. */
export interface Migration {
  /** Lasting and unique, such as `0003-limits`. */
  readonly name: string;
  up(schema: Kysely<unknown>, types: ColumnTypes): Promise<void>;
}

interface MigrationTables {
  readonly schema_migration: { name: string; position: number };
}

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

/**
 * Applies the missing steps in the order of the list, all or none. Processes that start concurrently wait for each other.
 *
 * @returns The names of the applied steps.
 * @throws {NewerDatabaseError} Nothing was changed.
 */
export function migrate(database: Database, migrations: readonly Migration[]): Promise<string[]> {
  return database.alone(async (transaction) => {
    const taken = await takenSteps(transaction, database.columnTypes);
    const unknown = unknownSteps(taken, migrations);
    if (unknown.length > 0) throw new NewerDatabaseError(unknown);

    const missing = migrations.filter(({ name }) => !taken.includes(name));
    for (const migration of missing) {
      await migration.up(transaction.tables(), database.columnTypes);
      await transaction
        .tables<MigrationTables>()
        .insertInto("schema_migration")
        .values({ name: migration.name, position: taken.push(migration.name) })
        .execute();
    }
    return missing.map(({ name }) => name);
  });
}

/** The steps that this release does not know. */
export function unknownSteps(taken: readonly string[], migrations: readonly Migration[]): string[] {
  return taken.filter((name) => migrations.every((migration) => migration.name !== name));
}

/** The steps that were applied to a database; changes nothing, unlike {@link migrate}. */
export async function stepsTaken(database: Database): Promise<string[]> {
  const place =
    database.kind === "sqlite"
      ? sql`select name from sqlite_master where name = 'schema_migration'`
      : sql`select 1 where to_regclass('schema_migration') is not null`;
  const { rows } = await place.execute(database.tables());
  return rows.length === 0 ? [] : listSteps(database);
}

async function listSteps(queries: Queries): Promise<string[]> {
  const tables = queries.tables<MigrationTables>();
  const rows = await tables.selectFrom("schema_migration").select("name").orderBy("position").execute();
  return rows.map(({ name }) => name);
}

async function takenSteps(transaction: Queries, types: ColumnTypes): Promise<string[]> {
  await transaction
    .tables()
    .schema.createTable("schema_migration")
    .ifNotExists()
    .addColumn("name", types.text, (column) => column.primaryKey())
    .addColumn("position", types.integer, (column) => column.notNull())
    .execute();
  return listSteps(transaction);
}
