/** Creates the service: opens and migrates its database, and mounts its areas. */
import type { Config } from "./config.js";
import { openMigratedDatabase } from "./migrated-database.js";
import type { App, AppDeps, MountedApp } from "./mounted-app.js";
import type { Database } from "./platform/database/database.js";
import { standbysIn } from "./platform/database/database-settings.js";
import { createMetrics, watchDatabase } from "./platform/health/metrics.js";
import { holdPolicy } from "./policy/held-policy.js";
import { policyOf, readTexts, settingsOf } from "./policy/load-policy.js";

export type { App, AppDeps } from "./mounted-app.js";

/**
 * Opens and migrates the database, and creates the service; while a server makes a new schema, the areas are loaded and mounted.
 *
 * @throws {DatabaseUnavailable} {@link NewerDatabaseError} {@link MasterKeyError} {@link KeySourceError}
 */
export async function createApp(config: Config, deps: AppDeps): Promise<App> {
  const { log } = deps;
  // Before the database is migrated.
  const policyFiles = loadPolicyFiles(config);
  const metrics = createMetrics({ ofProcess: deps.isProcess, peers: deps.worker });
  const events = watchDatabase(metrics.registry, log);
  const standbys = standbysIn(config.database);
  let mounted: Promise<MountedApp> | undefined;
  const mount = (on: Database) =>
    (mounted ??= import("./mounted-app.js").then(({ mountApp }) =>
      mountApp({ database: on, metrics, policyFiles }, config, deps),
    ));
  const { database, steps } = await openMigratedDatabase(config, {
    ...deps,
    ...events,
    standbys,
    meanwhile: mount,
  });
  if (steps.length > 0) log.info({ steps }, "database migrated");
  try {
    const app = await mount(database);
    return await app.start();
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** @throws {PolicyFileError} {@link PolicyRefusedError} */
function loadPolicyFiles(config: Config) {
  const settings = settingsOf(config);
  const texts = readTexts(settings);
  return { settings, texts, policy: holdPolicy(policyOf(texts, settings)) };
}
