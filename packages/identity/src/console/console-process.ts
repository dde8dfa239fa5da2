/** What the console needs of a process of the service: its pages, its signs of life, and its part of the audit trail. */
import type { FastifyBaseLogger } from "fastify";

import type { Clock } from "../platform/clock.js";
import type { Database } from "../platform/database/database.js";
import type { NewId } from "../platform/ids.js";
import type { PurgeTask } from "../platform/purge-schedule.js";
import type { AuditSink } from "../policy/audit.js";
import { createAuditTrail } from "./audit/audit-trail.js";
import { findConsoleFiles } from "./console-files.js";
import type { ConsoleRoutesOptions } from "./console-routes.js";
import { createHeartbeat } from "./overview/heartbeat.js";
import type { WebConsole } from "./web-console.js";

export interface ConsoleProcess {
  /** Where users find the console; `undefined` where they don't. */
  readonly url: string | undefined;
  readonly auditSinks: readonly AuditSink[];
  readonly purgeTasks: readonly PurgeTask[];
  readonly routesOptions: ConsoleRoutesOptions;
  /** @returns A function that writes what is left, and stops. */
  start(log: FastifyBaseLogger): Promise<() => Promise<void>>;
}

export interface ConsoleProcessDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly newId: NewId;
  /** Why it can't be used, where it can't; `undefined` where it is off. */
  readonly webConsole: WebConsole | { readonly fault: string } | undefined;
  /** The folder of the built pages; that of the installation, if left out. */
  readonly consoleFolder?: string | undefined;
  readonly worker?: { readonly id: number } | undefined;
  readonly version: string;
  readonly impairments: () => Promise<readonly string[]>;
  readonly config: {
    readonly auditTrailDays: number;
    readonly auditTrailEvents: number;
    readonly keyRotationDays: number;
  };
}

export function createConsoleProcess(deps: ConsoleProcessDeps): ConsoleProcess {
  const { webConsole, consoleFolder, worker, version, impairments, config } = deps;
  const { auditTrailDays, auditTrailEvents, keyRotationDays } = config;
  const isOff = webConsole === undefined;
  const files = isOff ? undefined : findConsoleFiles(consoleFolder);
  const heartbeat = createHeartbeat({ ...deps, worker: worker?.id ?? 0 });
  // Kept without a console too: another replica may have one.
  const auditTrail =
    auditTrailDays === 0
      ? undefined
      : createAuditTrail({ ...deps, days: auditTrailDays, maxEvents: auditTrailEvents });
  return {
    url:
      webConsole !== undefined && "address" in webConsole && files !== undefined
        ? webConsole.address.url
        : undefined,
    auditSinks: [
      ...(isOff ? [] : [heartbeat.record]),
      ...(auditTrail === undefined ? [] : [auditTrail.record]),
    ],
    purgeTasks: auditTrail === undefined ? [] : [{ name: "audit trail", purge: () => auditTrail.purge() }],
    routesOptions: {
      files,
      auditTrail,
      replicaId: heartbeat.id,
      version,
      impairments,
      keyRotationDays,
      auditTrailDays,
    },
    async start(log) {
      const stopHeartbeat = isOff ? undefined : await heartbeat.start(log);
      const stopTrail = auditTrail?.start(log);
      return async () => {
        await stopTrail?.();
        await stopHeartbeat?.();
      };
    },
  };
}
