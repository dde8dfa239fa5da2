/** Brings a database to the tables that this release expects. */
import type { Kysely } from "kysely";

import type { ColumnTypes, Database, Queries } from "./database.js";

/** One step, the same on both databases. There is no way down: a release that is taken back keeps the newer tables. */
export interface Migration {
  /** Lasting and unique, such as `0003-limits`. */
  readonly name: string;
  up(schema: Kysely<unknown>, types: ColumnTypes): Promise<void>;
}

interface MigrationTables {
  readonly schema_migration: { name: string; position: number };
}

/** The database has steps that this release does not know. */
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
 * Takes the steps that have not been taken, in the order of the list, all or none. Processes that start at once wait for each
 * other.
 *
 * @returns The names of the steps taken now.
 * @throws {NewerDatabaseError} Nothing was changed.
 */
export function migrate(database: Database, migrations: readonly Migration[]): Promise<string[]> {
  return database.alone(async (transaction) => {
    const taken = await takenSteps(transaction, database.columnTypes);
    const unknown = taken.filter((name) => migrations.every((migration) => migration.name !== name));
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

async function takenSteps(transaction: Queries, types: ColumnTypes): Promise<string[]> {
  const tables = transaction.tables<MigrationTables>();
  await tables.schema
    .createTable("schema_migration")
    .ifNotExists()
    .addColumn("name", types.text, (column) => column.primaryKey())
    .addColumn("position", types.integer, (column) => column.notNull())
    .execute();
  const rows = await tables.selectFrom("schema_migration").select("name").orderBy("position").execute();
  return rows.map(({ name }) => name);
}
