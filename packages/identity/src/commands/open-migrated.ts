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
export async function openMigrated(databaseUrl: string): Promise<Database> {
  const path = sqlitePath(databaseUrl);
  if (path !== undefined && !existsSync(path)) throw new Error(`There is no database at ${path} yet`);
  const database = openDatabase(databaseUrl);
  try {
    await checkRelease(database);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function checkRelease(database: Database): Promise<void> {
  const taken = await stepsTaken(database);
  const unknown = unknownSteps(taken, migrations);
  if (unknown.length > 0) throw new NewerDatabaseError(unknown);
  if (taken.length < migrations.length)
    throw new Error("The database is not that of this release: run hamkit-identity migrate");
}
