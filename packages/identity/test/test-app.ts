/** The whole service in process, on a database of the test's own. */
import { createApp, type App, type AppDeps } from "../src/app.js";
import { readConfig } from "../src/config.js";
import type { ProtocolType } from "../src/federation/protocols/protocol-type.js";
import { systemClock, type Clock } from "../src/platform/clock.js";
import type { RequestTracer } from "../src/platform/tracing/otlp-tracer.js";
import { newId, newRequestId } from "../src/platform/ids.js";
import { createLog } from "../src/platform/log.js";
import type { TestDatabases } from "./databases.js";
import { migratedDatabase } from "./migrated-databases.js";
import { PUBLIC_URL } from "./test-server.js";

/** Of the user admin. */
export const ADMIN_PASSWORD = "adminpw";

/** A service for requests by `app.server.inject`. */
export interface TestApp {
  readonly app: App;
  remove(): Promise<void>;
}

/** Several services in process on one database, as replicas are. */
export interface TestReplicas {
  readonly databaseUrl: string;
  readonly apps: readonly App[];
  remove(): Promise<void>;
}

/** Dependencies that a test may replace. */
export interface TestAppDeps {
  readonly clock?: Clock;
  readonly log?: ReturnType<typeof createLog>;
  /** {@link PUBLIC_URL}, if left out. */
  readonly publicUrl?: string;
  readonly consoleFolder?: string;
  readonly tracer?: RequestTracer;
  /** The doctor of the console; none, if left out. */
  readonly examine?: AppDeps["examine"];
  /** The login protocols; those of the service if left out. */
  readonly protocolTypes?: readonly ProtocolType[];
}

/** @param env Settings in addition to those that every test needs. */
export async function testApp(
  databases: TestDatabases,
  env: Record<string, string> = {},
  deps: TestAppDeps = {},
): Promise<TestApp> {
  const replicas = await testReplicas(databases, 1, { env, ...deps });
  return { app: replicas.apps[0] as App, remove: () => replicas.remove() };
}

export interface TestReplicasOptions extends TestAppDeps {
  readonly env?: Record<string, string>;
  /** A clock for each replica instead of one for all. */
  readonly clocks?: readonly Clock[];
}

export async function testReplicas(
  databases: TestDatabases,
  count: number,
  {
    env = {},
    clock = systemClock,
    clocks = [],
    log = createLog("silent", { write: () => {} }),
    publicUrl = PUBLIC_URL,
    consoleFolder,
    examine,
    protocolTypes,
    tracer,
  }: TestReplicasOptions = {},
): Promise<TestReplicas> {
  const place = await migratedDatabase(databases);
  const config = readConfig({
    IDENTITY_DATABASE_URL: place.url,
    IDENTITY_RATE_LIMIT: "off",
    IDENTITY_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
    IDENTITY_ADMIN_PASSWORD: ADMIN_PASSWORD,
    ...env,
  });
  const deps = {
    log,
    publicUrl,
    newId,
    newRequestId,
    isProcess: false,
    consoleFolder,
    examine,
    protocolTypes,
    tracer,
  };
  const apps: App[] = [];
  while (apps.length < count) {
    const each = { ...deps, clock: clocks[apps.length] ?? clock };
    apps.push(await createApp(config, each));
  }
  return {
    databaseUrl: place.url,
    apps,
    async remove() {
      await Promise.all(apps.map((app) => app.close()));
      await place.remove();
    },
  };
}
