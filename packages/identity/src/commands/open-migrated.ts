/** Opens the database for commands that work on it directly. */
import { existsSync } from "node:fs";

import { migrations } from "../migrations/migrations.js";
import type { Database } from "../platform/database/database.js";
import {
  missingSteps,
  NewerDatabaseError,
  requiredSteps,
  stepsTaken,
  unknownSteps,
} from "../platform/database/migrate.js";
import { openDatabase } from "../platform/database/open-database.js";
import type { PostgresOptions } from "../platform/database/postgres/postgres.js";

/** The path of a SQLite file; `undefined` for another kind of database. */
export function sqlitePath(databaseUrl: string): string | undefined {
  return databaseUrl.startsWith("sqlite:") ? databaseUrl.slice("sqlite:".length) : undefined;
}

/**
 * Opens a fully migrated database. Creates and migrates nothing.
 *
 * @throws {DatabaseUnavailable} {@link NewerDatabaseError}
 */
export function openMigrated(databaseUrl: string, options: PostgresOptions = {}): Promise<Database> {
  return openChecked(databaseUrl, checkRelease, options);
}

/**
 * Opens a database that has at least one given migration step: for commands that work before a migration.
 *
 * @throws {DatabaseUnavailable} {@link NewerDatabaseError}
 */
export function openWithStep(databaseUrl: string, step: string): Promise<Database> {
  return openChecked(databaseUrl, async (database) => {
    const taken = await knownSteps(database);
    if (!taken.includes(step))
      throw new Error("The database does not exist yet: run hamkit-identity migrate");
  });
}

async function openChecked(
  databaseUrl: string,
  check: (database: Database) => Promise<void>,
  options: PostgresOptions = {},
): Promise<Database> {
  const path = sqlitePath(databaseUrl);
  if (path !== undefined && !existsSync(path)) throw new Error(`The database ${path} does not exist yet`);
  const database = openDatabase(databaseUrl, options);
  try {
    await check(database);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function checkRelease(database: Database): Promise<void> {
  const taken = await knownSteps(database);
  if (missingSteps(taken, migrations).length > 0)
    throw new Error("The database lacks migrations of this release: run hamkit-identity migrate");
}

/** The applied steps. @throws {NewerDatabaseError} One is unknown to this release. */
async function knownSteps(database: Database): Promise<string[]> {
  const unknown = unknownSteps(await requiredSteps(database), migrations);
  if (unknown.length > 0) throw new NewerDatabaseError(unknown);
  return stepsTaken(database);
}
