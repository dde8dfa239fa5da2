/** What the console needs of a process of the service: its pages, its heartbeats, and its part of the audit trail. */
import type { Area, Platform } from "../area.js";
import type { HttpServer } from "../platform/http/http-server.js";
import type { AuditSink } from "../policy/audit.js";
import { addAllowedRoutes } from "./allowed-routes.js";
import { addAuditApi, addAuditRoutes, type AuditRoutesDeps } from "./audit/audit-routes.js";
import { createAuditTrail } from "./audit/audit-trail.js";
import { addCloudRoutes, type CloudLooks } from "./cloud-looks.js";
import { addConsoleNotice, findConsoleFiles, addConsoleFiles, type ConsoleFiles } from "./console-files.js";
import { addConsoleLoginRoutes, type ConsoleLoginRoutesDeps } from "./console-login-routes.js";
import { addConsoleSessionRoutes, type ConsoleSessionRoutesDeps } from "./console-session-routes.js";
import { addDoctorRoutes, type Examine } from "./overview/doctor-routes.js";
import { createHeartbeat, type HeartbeatDeps } from "./overview/heartbeat.js";
import { addOverviewRoutes, type OverviewRoutesDeps } from "./overview/overview-routes.js";
import type { WebConsole } from "./web-console.js";

export interface ConsoleProcess extends Area {
  /** Where users find the console; `undefined` where they don't. */
  readonly url: string | undefined;
  readonly auditSinks: readonly AuditSink[];
}

/** What the pages use of other areas, and of the process. */
export interface ConsoleUses extends Omit<
  ConsoleRoutesDeps,
  "webConsole" | "consoleOptions" | keyof Platform
> {
  /** Why it can't be used, where it can't; `undefined` where it is off. */
  readonly webConsole: WebConsole | { readonly fault: string } | undefined;
  /** The folder of the built pages; that of the installation, if left out. */
  readonly consoleFolder?: string | undefined;
  readonly worker?: { readonly id: number } | undefined;
  readonly version: string;
  readonly impairments: () => Promise<readonly string[]>;
  readonly masterKeyState: OverviewRoutesDeps["masterKeyState"];
  readonly masterKeys: HeartbeatDeps["masterKeys"];
  readonly listProblems: OverviewRoutesDeps["listProblems"];
  readonly countRecent: OverviewRoutesDeps["countRecent"];
  /** `hamkit-identity doctor`; without it, the console does not offer it. */
  readonly examine?: Examine | undefined;
}

export function createConsoleProcess(platform: Platform, uses: ConsoleUses): ConsoleProcess {
  const { webConsole, consoleFolder, worker, version, impairments, masterKeys } = uses;
  const { auditTrailDays, auditTrailEvents, cloudName, contact, logo } = platform.config.console;
  const isOff = webConsole === undefined;
  const sessions = webConsole !== undefined && "sessions" in webConsole ? webConsole.sessions : undefined;
  const files = isOff ? undefined : findConsoleFiles(consoleFolder);
  const heartbeat = createHeartbeat({
    ...platform,
    version,
    impairments,
    masterKeys,
    worker: worker?.id ?? 0,
  });
  // Kept without a console too: another replica may have one.
  const auditTrail =
    auditTrailDays === 0
      ? undefined
      : createAuditTrail({ ...platform, days: auditTrailDays, maxEvents: auditTrailEvents });
  return {
    url:
      webConsole !== undefined && "address" in webConsole && files !== undefined
        ? webConsole.address.url
        : undefined,
    auditSinks: [
      ...(isOff ? [] : [heartbeat.record]),
      ...(auditTrail === undefined ? [] : [auditTrail.record]),
    ],
    purgeTasks: [
      ...(auditTrail === undefined ? [] : [{ name: "audit trail", purge: () => auditTrail.purge() }]),
      ...(sessions === undefined ? [] : [{ name: "sessions of the console", purge: () => sessions.purge() }]),
    ],
    addRoutes(server) {
      addAuditApi(server, { ...platform, auditTrail });
      if (webConsole === undefined) return;
      if ("fault" in webConsole) addConsoleNotice(server, webConsole.fault);
      else
        addConsoleRoutes(server, {
          ...platform,
          ...uses,
          webConsole,
          consoleOptions: {
            files,
            cloud: { name: cloudName, contact, logo },
            auditTrail,
            replicaId: heartbeat.id,
            version,
            impairments,
            masterKeyState: uses.masterKeyState,
            listProblems: uses.listProblems,
            countRecent: uses.countRecent,
            examine: uses.examine,
            keyRotationDays: platform.config.token.keyRotationDays,
            auditTrailDays,
          },
        });
    },
    async start({ log }) {
      const stopHeartbeat = isOff ? undefined : await heartbeat.start(log);
      const stopTrail = auditTrail?.start(log);
      return async () => {
        await stopTrail?.();
        await stopHeartbeat?.();
      };
    },
  };
}

/** What the console shows of the process. */
export interface ConsoleRoutesOptions
  extends AuditRoutesDeps, Omit<OverviewRoutesDeps, "database" | "clock"> {
  /** `undefined` where the console's pages were not built. */
  readonly files: ConsoleFiles | undefined;
  readonly cloud: CloudLooks;
  readonly examine: Examine | undefined;
}

interface ConsoleRoutesDeps
  extends
    Omit<ConsoleSessionRoutesDeps, "webConsole">,
    Omit<ConsoleLoginRoutesDeps, "webConsole" | "database">,
    Pick<OverviewRoutesDeps, "database" | "clock"> {
  readonly webConsole: WebConsole;
  readonly consoleOptions: ConsoleRoutesOptions;
}

const NOT_BUILT = "This installation has no console: its pages were not built.";

/** Adds everything below `/console`. */
function addConsoleRoutes(server: HttpServer, { consoleOptions, ...deps }: ConsoleRoutesDeps): void {
  const { files } = consoleOptions;
  addAllowedRoutes(server);
  addCloudRoutes(server, consoleOptions.cloud);
  addConsoleSessionRoutes(server, deps);
  addConsoleLoginRoutes(server, deps);
  addOverviewRoutes(server, { ...deps, ...consoleOptions });
  addDoctorRoutes(server, { ...deps, ...consoleOptions });
  addAuditRoutes(server, consoleOptions);
  const { address } = deps.webConsole;
  if (files === undefined) addConsoleNotice(server, NOT_BUILT);
  else addConsoleFiles(server, { address, files });
}
