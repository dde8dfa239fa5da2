/** The database of a command that works beside the service. */
import { existsSync } from "node:fs";

import { migrations } from "../migrations/migrations.js";
import type { Database } from "../platform/database/database.js";
import { stepsTaken, unknownSteps, NewerDatabaseError } from "../platform/database/migrations.js";
import { openDatabase } from "../platform/database/open-database.js";

/** The path of a SQLite file; `undefined` for another kind of database. */
export function sqlitePath(databaseUrl: string): string | undefined {
  return databaseUrl.startsWith("sqlite:") ? databaseUrl.slice("sqlite:".length) : undefined;
}

/**
 * Opens a database that is that of this release. None is made, and none is changed.
 *
 * @throws {DatabaseUnavailable} {@link NewerDatabaseError}
 */
export function openMigrated(databaseUrl: string): Promise<Database> {
  return openChecked(databaseUrl, checkRelease);
}

/**
 * Opens a database of this release or an older one, for a command that needs no more than the tables of one step.
 *
 * @throws {DatabaseUnavailable} {@link NewerDatabaseError}
 */
export function openWithStep(databaseUrl: string, step: string): Promise<Database> {
  return openChecked(databaseUrl, async (database) => {
    const taken = await knownSteps(database);
    if (!taken.includes(step))
      throw new Error("The database has not been made yet: run hamkit-identity migrate");
  });
}

async function openChecked(
  databaseUrl: string,
  check: (database: Database) => Promise<void>,
): Promise<Database> {
  const path = sqlitePath(databaseUrl);
  if (path !== undefined && !existsSync(path)) throw new Error(`There is no database at ${path} yet`);
  const database = openDatabase(databaseUrl);
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
  if (taken.length < migrations.length)
    throw new Error("The database is not that of this release: run hamkit-identity migrate");
}

/** The steps that the database has taken, none of which is newer than this release. */
async function knownSteps(database: Database): Promise<string[]> {
  const taken = await stepsTaken(database);
  const unknown = unknownSteps(taken, migrations);
  if (unknown.length > 0) throw new NewerDatabaseError(unknown);
  return taken;
}
