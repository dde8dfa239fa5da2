/** The areas of the service, with their routes and background work, on one HTTP server. */
import { setImmediate as nextTurn } from "node:timers/promises";

import { measureLogins } from "./auth/login-metrics.js";
import { recordFailedLogins } from "./auth/failed-login-reports.js";
import type { Config } from "./config.js";
import { createConsoleProcess } from "./console/console-process.js";
import type { Area, Stop } from "./area.js";
import type { Examine } from "./console/overview/doctor-routes.js";
import { guardConsole } from "./console/console-guard.js";
import { hasReceivers } from "./events/event-log.js";
import { createFederationDocuments } from "./federation-document/federation-document.js";
import { addDocumentRoutes } from "./federation-document/document-routes.js";
import type { ProtocolType } from "./federation/protocols/protocol-type.js";
import type { SamlReader } from "./federation/protocols/saml2/saml-reader.js";
import {
  assembleService,
  initializeService,
  type AssembledService,
  type OpenServiceDeps,
} from "./open-service.js";
import { packageVersion } from "./package-version.js";
import type { Clock } from "./platform/clock.js";
import type { Database } from "./platform/database/database.js";
import { addApiDocumentRoutes } from "./platform/api-document/api-document-routes.js";
import { addDiscoveryRoutes } from "./platform/discovery/discovery-routes.js";
import { watchClock } from "./platform/health/clock-watch.js";
import { watchLog, watchService, type Metrics, type MetricsPeers } from "./platform/health/metrics.js";
import { addHealthRoutes } from "./platform/health/health-routes.js";
import { measureRequests } from "./platform/health/request-metrics.js";
import { messageOf } from "./platform/errors.js";
import { createDraining } from "./platform/http/draining.js";
import { keepRequests } from "./platform/http/current-request.js";
import { createHttpServer, type HttpServer } from "./platform/http/http-server.js";
import type { NewId } from "./platform/ids.js";
import { watchMasterKey } from "./platform/secrets/master-key-watch.js";
import { purgeOnSchedule } from "./platform/purge-schedule.js";
import type { RequestTracer } from "./platform/tracing/otlp-tracer.js";
import { traceRequests } from "./platform/tracing/trace-requests.js";
import { logRequests, type ServiceLog } from "./platform/log.js";
import type { LogHealth } from "./platform/log-output/log-output.js";
import { readServiceSecrets } from "./sealed-secrets.js";
import { auditRequests, refuseUnauditedChanges } from "./policy/audit.js";
import { createShownTokens } from "./auth/token-response.js";
import { guardRoutes } from "./policy/guard.js";
import { addPolicyRuleRoutes } from "./policy/policy-rule-routes.js";
import { reportPolicy, watchPolicy, type PolicyWatchDeps } from "./policy/policy-watch.js";

/** What the process provides to the service. */
export interface AppDeps {
  readonly log: ServiceLog;
  /** Where the log is written; one that never fails, if left out. */
  readonly logOutput?: LogHealth | undefined;
  /** Waits for the master key while its source is away; by default that fails. */
  readonly awaitKey?: OpenServiceDeps["awaitKey"];
  /** Where requests are traced. */
  readonly tracer?: Pick<RequestTracer, "begin"> | undefined;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly newRequestId: NewId;
  /** The base URL for clients. */
  readonly publicUrl: string;
  /** Certificate and key in PEM; `undefined` for plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** Whether the service owns its process; false for several services in one test process. */
  readonly isProcess: boolean;
  /** Parses SAML messages; on the main thread by default. */
  readonly samlReader?: SamlReader | undefined;
  /** Login protocols besides those of the service. */
  readonly protocolTypes?: readonly ProtocolType[] | undefined;
  /** Set in a worker process. */
  readonly worker?: MetricsPeers | undefined;
  /** The console's built pages; those of the installation, if left out. */
  readonly consoleFolder?: string | undefined;
  /** `hamkit-identity doctor`, for the console. */
  readonly examine?: Examine | undefined;
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
  /** Takes the master key in force, if its file has it, at once. */
  reloadMasterKey(): Promise<void>;
  /** Reads the policy files at once. */
  reloadPolicy(): void;
  /** Starts draining: `/readyz` returns 503, responses close their connections, requests are still served. */
  announceStop(): void;
  /** Completes requests in flight, then releases all resources. */
  close(): Promise<void>;
}

/** What is open before the areas are loaded. */
export interface OpenedApp extends Pick<App, "database" | "metrics"> {
  readonly policyFiles: Pick<PolicyWatchDeps, "settings" | "texts" | "policy">;
}

const UNFAILING: LogHealth = { dropped: () => 0, impairments: () => [], isStored: () => true };

/** A service with all of its routes, before it has used its database. */
export interface MountedApp {
  /**
   * Initializes the service in its migrated database, and starts its work beside requests.
   *
   * @throws {MasterKeyError} {@link KeySourceError}
   */
  start(): Promise<App>;
}

/** Mounts the areas, without any query. */
export async function mountApp(
  { database, metrics, policyFiles }: OpenedApp,
  config: Config,
  deps: AppDeps,
): Promise<MountedApp> {
  const service = await assembleService(config, database, deps);
  const { areas, links, masterKey } = service;
  const { console: consoleArea, ...others } = areas;
  const { webConsole } = consoleArea;
  const { log, logOutput = UNFAILING } = deps;
  const { registry } = metrics;
  let isStopping = false;
  const clockWatch = watchClock({ ...deps, database, registry });
  watchLog(registry, logOutput);
  const keyWatch = watchMasterKey({
    database,
    masterKey,
    sources: service.keySources,
    clock: deps.clock,
    readSecrets: () => readServiceSecrets(database, masterKey),
    log,
    registry,
  });
  const policyWatch = watchPolicy({ ...policyFiles, log, registry });
  const { policy } = policyFiles;
  if (policy.current.written.size > 0) reportPolicy(policy.current, log);
  const impairments = async () => [
    ...(await database.impairments()),
    ...clockWatch.impairments(),
    ...keyWatch.impairments(),
    ...policyWatch.impairments(),
    ...logOutput.impairments(),
  ];
  watchService(registry, { version: packageVersion(), impairments, database });
  const console = createConsoleProcess(service.platform, {
    ...consoleArea.uses,
    ...deps,
    webConsole,
    version: packageVersion(),
    impairments,
    masterKeyState: () => keyWatch.state(),
    masterKeys: keyWatch,
  });
  const usableConsole = webConsole !== undefined && "sessions" in webConsole ? webConsole : undefined;
  const server = createHttpServer({ ...config.server, ...deps, links, ownPages: usableConsole?.forwarding });
  const draining = createDraining(server);
  if (deps.tracer !== undefined) traceRequests(server, deps.tracer);
  logRequests(server, log);
  measureRequests(server, metrics);
  auditRequests(server, console.auditSinks);
  if (config.log.requiresAudit) refuseUnauditedChanges(server, () => logOutput.isStored());
  recordFailedLogins(server, {
    record: areas.federation.failedLogins.failedElsewhere,
    findDomain: areas.projects.projects.findDomain,
  });

  measureLogins(server, registry);

  addApiDocumentRoutes(server, { links });
  addDiscoveryRoutes(server, { links });
  addHealthRoutes(server, {
    impairments,
    isStopping: () => isStopping,
    metrics: config.metrics.isServed && config.metrics.port === undefined ? metrics : undefined,
  });
  // The session's token first, which the guard checks.
  if (usableConsole !== undefined) guardConsole(server, usableConsole);
  const { tokens } = areas.tokens;
  guardRoutes(server, {
    authenticate: (text) => tokens.authenticate(text),
    policy,
    showToken: createShownTokens((caller) => tokens.tokenOf(caller)),
  });
  addPolicyRuleRoutes(server, { policy, impairments: () => policyWatch.impairments() });
  if (hasReceivers(config.events)) keepRequests(server);
  const mounted: readonly Area[] = [...Object.values(others), console];
  for (const area of mounted) {
    area.addRoutes?.(server);
    // A migration sends its next statements meanwhile.
    await nextTurn();
  }
  addFederationDocuments(server, service);

  await server.ready();
  return { start };

  async function start(): Promise<App> {
    const { firstPassword } = await initializeService(service, deps);
    clockWatch.start();
    await keyWatch.start();
    policyWatch.start();
    const stopPurge = purgeOnSchedule(
      mounted.flatMap(({ purgeTasks = [] }) => purgeTasks),
      { log },
    );
    const stopAreas: Stop[] = [];
    for (const area of mounted) stopAreas.push((await area.start?.({ log, registry })) ?? (() => {}));
    return {
      server,
      database,
      firstPassword,
      consoleUrl: console.url,
      metrics,
      reloadMasterKey: () => keyWatch.look(),
      reloadPolicy: () => policyWatch.look(),
      announceStop() {
        isStopping = true;
        draining.begin();
      },
      async close() {
        isStopping = true;
        clockWatch.stop();
        keyWatch.stop();
        policyWatch.stop();
        for (const step of [stopPurge, () => draining.finish(), ...stopAreas, () => database.close()]) {
          try {
            await step();
          } catch (error) {
            // The others release their resources all the same.
            log.error({ err: error }, `not completed while stopping: ${messageOf(error)}`);
          }
        }
      },
    };
  }
}

/** Documents change the resources of several areas, all within one transaction. */
function addFederationDocuments(server: HttpServer, { platform, areas, servicesIn }: AssembledService): void {
  const { protocols } = areas.identityProviders;
  const documents = createFederationDocuments({
    ...platform,
    openIn: servicesIn,
    secretNames: new Set(protocols.settings.types.flatMap(({ secrets }) => secrets)),
  });
  const keepsTrail = platform.config.console.auditTrailDays > 0;
  addDocumentRoutes(server, {
    ...platform,
    documents,
    protocols,
    replay: areas.workbench.replay,
    keepsTrail,
  });
}
