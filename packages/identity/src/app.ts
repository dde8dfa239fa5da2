/** The service: every part of it, made in one list and mounted on one server. */
import { randomBytes } from "node:crypto";

import type { FastifyBaseLogger } from "fastify";

import { bootstrap, type BootstrapDeps } from "./bootstrap.js";
import type { Config } from "./config.js";
import { addFeatureRoutes } from "./feature-routes.js";
import { createFeatures } from "./features.js";
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
import { loadMasterKey } from "./platform/master-key.js";
import type { MasterKey } from "./platform/sealing.js";
import { rotateOnSchedule } from "./tokens/key-rotation.js";
import { createSigningKeyStore } from "./tokens/signing-key-store.js";
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
  /** The administrator's password, where this start has made it up; nobody is told again. */
  readonly firstPassword: string | undefined;
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
    const masterKey = await openMasterKey(config, database);
    return await assemble({ config, world, database, masterKey });
  } catch (error) {
    await database.close();
    throw error;
  }
}

interface Parts {
  readonly config: Config & { readonly publicUrl: string };
  readonly world: World;
  readonly database: Database;
  readonly masterKey: MasterKey;
}

/** A key is made where nothing has been sealed by one yet. */
async function openMasterKey(config: Config, database: Database): Promise<MasterKey> {
  const { masterKey: text, masterKeyFile: file } = config;
  const sealed = await createSigningKeyStore(database).list();
  return loadMasterKey({ text, file, mayCreate: sealed.length === 0 });
}

async function assemble({ config, world, database, masterKey }: Parts): Promise<App> {
  let isStopping = false;
  const links = createLinks(config.publicUrl);
  const features = createFeatures({ ...world, config, database, links, masterKey });
  // A wrong key is found out now, and not by the first who logs in.
  await features.signingKeys.load();
  const firstPassword = await bootstrapOnce(
    { ...world, ...features, database, publicUrl: config.publicUrl },
    config,
  );
  const stopRotation = rotateOnSchedule({ ...features, ...world, everyDays: config.keyRotationDays });
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

  addFeatureRoutes(server, features, { links, listLimit: config.listLimit, clock: world.clock });

  await server.ready();
  return {
    server,
    database,
    firstPassword,
    announceStop() {
      isStopping = true;
    },
    async close() {
      isStopping = true;
      stopRotation();
      await server.close();
      await database.close();
    },
  };
}

/** @returns The password of the administrator, where it was made up for a first start. */
async function bootstrapOnce(deps: BootstrapDeps, { adminPassword }: Config): Promise<string | undefined> {
  const password = adminPassword ?? randomBytes(18).toString("base64url");
  const isFirst = await bootstrap(deps, password);
  return isFirst && adminPassword === undefined ? password : undefined;
}
