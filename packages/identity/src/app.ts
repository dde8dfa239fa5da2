/** The service: every part of it, made in one list and mounted on one server. */
import type { FastifyBaseLogger } from "fastify";

import { addFeatureRoutes } from "./feature-routes.js";
import type { SamlReader } from "./federation/saml/saml-reader.js";
import { openService, type LinkedConfig, type OpenService } from "./open-service.js";
import type { Clock } from "./platform/clock.js";
import type { Database } from "./platform/database/database.js";
import { addApiDocumentRoutes } from "./platform/api-document/api-document-routes.js";
import { addDiscoveryRoutes } from "./platform/discovery/discovery-routes.js";
import { watchClock } from "./platform/health/clock-watch.js";
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
import { logRequests } from "./platform/log.js";
import { rotateOnSchedule } from "./tokens/signing-keys.js";
import { auditRequests } from "./policy/audit.js";

/** The world around the service. */
export interface World {
  readonly log: FastifyBaseLogger;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly newRequestId: NewId;
  /** Certificate and key in PEM, where the service speaks HTTPS. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** Whether this is a process of its own, not one of several services in a test. */
  readonly isProcess: boolean;
  /** Reads messages of SAML; if left out, that is done where everything else is. */
  readonly samlReader?: SamlReader | undefined;
  /** Set where this is one of several processes that serve. */
  readonly worker?: MetricsPeers | undefined;
}

/** A service that is ready to listen, or to be asked in process. */
export interface App {
  readonly server: HttpServer;
  readonly database: Database;
  /** The administrator's password, where this start has made it up; nobody is told again. */
  readonly firstPassword: string | undefined;
  /** What it has counted. */
  readonly metrics: Metrics;
  /** From now on `/readyz` answers 503 and each response ends its connection; requests are still answered. */
  announceStop(): void;
  /** Answers what has begun, then lets go of everything. */
  close(): Promise<void>;
}

/**
 * Opens the database, brings it to this release, and makes the service.
 *
 * @throws {DatabaseUnavailable} {@link NewerDatabaseError}
 */
export async function createApp(config: LinkedConfig, world: World): Promise<App> {
  const { log } = world;
  const onConnectionLost = (error: Error) => log.warn({ err: error }, "connection to the database lost");
  const service = await openService(config, { ...world, onConnectionLost });
  const { database, steps } = service;
  if (steps.length > 0) log.info({ steps }, "database migrated");
  try {
    return await mount(service, config, world);
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Puts all of it on one server. */
async function mount(service: OpenService, config: LinkedConfig, world: World): Promise<App> {
  const { database, features, links, firstPassword } = service;
  const { log } = world;
  let isStopping = false;
  const metrics = createMetrics({ ofProcess: world.isProcess, peers: world.worker });
  const server = createHttpServer({ ...config, ...world, links });
  const draining = createDraining(server);
  logRequests(server);
  measureRequests(server, metrics);
  auditRequests(server);

  addApiDocumentRoutes(server, { links });
  addDiscoveryRoutes(server, { links });
  const clockWatch = watchClock({ ...world, database, registry: metrics.registry });
  addHealthRoutes(server, {
    impairments: async () => [...(await database.impairments()), ...clockWatch.impairments()],
    isStopping: () => isStopping,
    metrics: config.hasMetrics && config.metricsPort === undefined ? metrics : undefined,
  });

  addFeatureRoutes(server, features, { ...world, links, listLimit: config.listLimit });

  await server.ready();
  const stopSharingLimits = features.loginLimits?.start({ log, registry: metrics.registry });
  const stopRotation = rotateOnSchedule({ ...features, ...world, everyDays: config.keyRotationDays });
  return {
    server,
    database,
    firstPassword,
    metrics,
    announceStop() {
      isStopping = true;
      draining.begin();
    },
    async close() {
      isStopping = true;
      stopRotation();
      clockWatch.stop();
      await draining.finish();
      await stopSharingLimits?.();
      await database.close();
    },
  };
}
