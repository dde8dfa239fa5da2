/** Opens the database, and migrates it to the schema of this release. */
import type { Config } from "./config.js";
import { createEventStore } from "./events/event-log.js";
import { migrations } from "./migrations/migrations.js";
import type { Clock } from "./platform/clock.js";
import type { Database } from "./platform/database/database.js";
import { connectionSettingsOf } from "./platform/database/database-settings.js";
import { migrate, type MigrateOptions } from "./platform/database/migrate.js";
import { openDatabase } from "./platform/database/open-database.js";
import type { PostgresOptions } from "./platform/database/postgres/postgres.js";

export interface MigratedDatabase {
  readonly database: Database;
  /** The migrations applied now. */
  readonly steps: readonly string[];
}

export interface OpeningDeps extends Omit<PostgresOptions, "limits" | "eventStore">, MigrateOptions {
  readonly clock: Clock;
}

/** @throws {DatabaseUnavailable} {@link NewerDatabaseError} */
export async function openMigratedDatabase(config: Config, deps: OpeningDeps): Promise<MigratedDatabase> {
  const database = openDatabase(config.database.url, {
    ...deps,
    limits: connectionSettingsOf(config.database),
    eventStore: createEventStore(config, deps.clock),
  });
  try {
    return { database, steps: await migrate(database, migrations, deps) };
  } catch (error) {
    await database.close();
    throw error;
  }
}
