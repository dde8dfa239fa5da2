/** The service: every part of it, made in one list and mounted on one server. */
import type { FastifyBaseLogger } from "fastify";

import type { Config } from "./config.js";
import { migrations } from "./migrations/migrations.js";
import type { Clock } from "./platform/clock.js";
import type { Database } from "./platform/database/database.js";
import { migrate } from "./platform/database/migrations.js";
import { openDatabase } from "./platform/database/open-database.js";
import { addApiDocumentRoutes } from "./platform/api-document/api-document-routes.js";
import { addDiscoveryRoutes } from "./platform/discovery/discovery-routes.js";
import { addHealthRoutes } from "./platform/health/health-routes.js";
import { createMetrics, measureRequests, type MetricsPeers } from "./platform/health/metrics.js";
import { createHttpServer, type HttpServer } from "./platform/http/http-server.js";
import { createLinks } from "./platform/http/links.js";
import type { NewId } from "./platform/ids.js";
import { logRequests } from "./platform/log.js";
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
  /** Set where this is one of several processes that serve. */
  readonly worker?: MetricsPeers | undefined;
}

/** A service that is ready to listen, or to be asked in process. */
export interface App {
  readonly server: HttpServer;
  readonly database: Database;
  /** From now on the service says that it wants no more requests, and still answers those that come. */
  announceStop(): void;
  /** Answers what has begun, then lets go of everything. */
  close(): Promise<void>;
}

/**
 * Opens the database, brings it to this release, and makes the service.
 *
 * @param config.publicUrl Must be known here: links need it.
 * @throws {DatabaseUnavailable} {@link NewerDatabaseError}
 */
export async function createApp(config: Config & { readonly publicUrl: string }, world: World): Promise<App> {
  const { log } = world;
  const database = openDatabase(config.databaseUrl, {
    onConnectionLost: (error) => log.warn({ err: error }, "connection to the database lost"),
  });
  try {
    const steps = await migrate(database, migrations);
    if (steps.length > 0) log.info({ steps }, "database migrated");
    return await assemble({ config, world, database });
  } catch (error) {
    await database.close();
    throw error;
  }
}

interface Parts {
  readonly config: Config & { readonly publicUrl: string };
  readonly world: World;
  readonly database: Database;
}

async function assemble({ config, world, database }: Parts): Promise<App> {
  let isStopping = false;
  const links = createLinks(config.publicUrl);
  const metrics = createMetrics({ ofProcess: world.isProcess, peers: world.worker });
  const server = createHttpServer({ ...config, ...world, links });
  logRequests(server);
  measureRequests(server, metrics);
  auditRequests(server);

  addApiDocumentRoutes(server, { links });
  addDiscoveryRoutes(server, { links });
  addHealthRoutes(server, {
    ping: () => database.ping(),
    isStopping: () => isStopping,
    metrics: config.hasMetrics ? metrics : undefined,
  });

  await server.ready();
  return {
    server,
    database,
    announceStop() {
      isStopping = true;
    },
    async close() {
      isStopping = true;
      await server.close();
      await database.close();
    },
  };
}
