/** Assembles the service: database, features, routes and background tasks on one HTTP server. */
import type { FastifyBaseLogger } from "fastify";

import { createConsoleProcess } from "./console/console-process.js";
import { addFeatureRoutes } from "./features/feature-routes.js";
import type { SamlReader } from "./federation/saml/saml-reader.js";
import { deleteUnusedWorkloadsOnSchedule } from "./federation/workload-purge.js";
import { openService, type LinkedConfig, type OpenService } from "./open-service.js";
import { packageVersion } from "./package-version.js";
import type { Clock } from "./platform/clock.js";
import type { Database } from "./platform/database/database.js";
import { standbysIn } from "./platform/database/database-settings.js";
import { addApiDocumentRoutes } from "./platform/api-document/api-document-routes.js";
import { addDiscoveryRoutes } from "./platform/discovery/discovery-routes.js";
import { watchClock } from "./platform/health/clock-watch.js";
import { watchDatabase } from "./platform/health/database-metrics.js";
import { addHealthRoutes } from "./platform/health/health-routes.js";
import {
  createMetrics,
  measureRequests,
  type Metrics,
  type MetricsPeers,
} from "./platform/health/metrics.js";
import { createDraining } from "./platform/http/draining.js";
import { createHttpServer, type HttpServer } from "./platform/http/http-server.js";
import type { NewId } from "./platform/ids.js";
import { purgeOnSchedule } from "./platform/purge-schedule.js";
import { logRequests } from "./platform/log.js";
import { deleteImportedKeysOnSchedule } from "./tokens/imported/imported-tokens.js";
import { rotateOnSchedule } from "./tokens/signing-keys.js";
import { auditRequests } from "./policy/audit.js";

/** What the process provides to the service. */
export interface AppDeps {
  readonly log: FastifyBaseLogger;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly newRequestId: NewId;
  /** Certificate and key in PEM; `undefined` for plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** Whether the service owns its process; false for several services in one test process. */
  readonly isProcess: boolean;
  /** Parses SAML messages; on the main thread by default. */
  readonly samlReader?: SamlReader | undefined;
  /** Set in a worker process. */
  readonly worker?: MetricsPeers | undefined;
  /** The console's built pages; those of the installation, if left out. */
  readonly consoleFolder?: string | undefined;
}

/** A service ready to listen, or for in-process requests. */
export interface App {
  readonly server: HttpServer;
  readonly database: Database;
  /** The administrator's password, if this start generated it. It can't be retrieved later. */
  readonly firstPassword: string | undefined;
  /** Where users find the console; `undefined` where they don't. */
  readonly consoleUrl: string | undefined;
  readonly metrics: Metrics;
  /** Starts draining: `/readyz` returns 503, responses close their connections, requests are still served. */
  announceStop(): void;
  /** Completes requests in flight, then releases all resources. */
  close(): Promise<void>;
}

/**
 * Opens and migrates the database, and creates the service.
 *
 * @throws {DatabaseUnavailable} {@link NewerDatabaseError}
 */
export async function createApp(config: LinkedConfig, deps: AppDeps): Promise<App> {
  const { log } = deps;
  const metrics = createMetrics({ ofProcess: deps.isProcess, peers: deps.worker });
  const events = watchDatabase(metrics.registry, log);
  const service = await openService(config, { ...deps, ...events, standbys: standbysIn(config) });
  const { database, steps } = service;
  if (steps.length > 0) log.info({ steps }, "database migrated");
  try {
    return await mount({ ...service, metrics }, config, deps);
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function mount(
  service: OpenService & Pick<App, "metrics">,
  config: LinkedConfig,
  deps: AppDeps,
): Promise<App> {
  const { database, features, links, firstPassword, metrics } = service;
  const { log } = deps;
  let isStopping = false;
  const { webConsole } = features;
  const ownPages = webConsole !== undefined && "forwarding" in webConsole ? webConsole.forwarding : undefined;
  const clockWatch = watchClock({ ...deps, database, registry: metrics.registry });
  const impairments = async () => [...(await database.impairments()), ...clockWatch.impairments()];
  const version = packageVersion();
  const ofConsole = createConsoleProcess({ ...deps, database, webConsole, version, impairments, config });
  const server = createHttpServer({ ...config, ...deps, links, ownPages });
  const draining = createDraining(server);
  logRequests(server);
  measureRequests(server, metrics);
  auditRequests(server, ofConsole.auditSinks);

  addApiDocumentRoutes(server, { links });
  addDiscoveryRoutes(server, { links });
  addHealthRoutes(server, {
    impairments,
    isStopping: () => isStopping,
    metrics: config.hasMetrics && config.metricsPort === undefined ? metrics : undefined,
  });

  const { listLimit } = config;
  const consoleOptions = ofConsole.routesOptions;
  addFeatureRoutes(server, features, { ...deps, links, database, listLimit, consoleOptions });

  await server.ready();
  const stopSharingLimits = features.loginLimits?.start({ log, registry: metrics.registry });
  const stopRotation = rotateOnSchedule({ ...features, ...deps, everyDays: config.keyRotationDays });
  const stopWorkloadPurge = deleteUnusedWorkloadsOnSchedule({ ...features, log });
  const stopPurge = purgeOnSchedule([...features.purgeTasks, ...ofConsole.purgeTasks], { log });
  const stopConsole = await ofConsole.start(log);
  const stopKeyExpiry = deleteImportedKeysOnSchedule({ ...deps, database });
  return {
    server,
    database,
    firstPassword,
    consoleUrl: ofConsole.url,
    metrics,
    announceStop() {
      isStopping = true;
      draining.begin();
    },
    async close() {
      isStopping = true;
      stopRotation();
      stopKeyExpiry();
      stopWorkloadPurge();
      await stopPurge();
      clockWatch.stop();
      await draining.finish();
      await features.loginRecordings.flush();
      await stopSharingLimits?.();
      await features.loginRecords.close();
      await stopConsole();
      await database.close();
    },
  };
}
