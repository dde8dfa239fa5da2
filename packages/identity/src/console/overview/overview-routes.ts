/** `/console/api/overview`: the service at a glance. */
import { X509Certificate } from "node:crypto";

import { sql } from "kysely";

import type { Platform } from "../../area.js";
import { formatSeconds, formatTimestamp, HOUR_MS, type Moment } from "../../platform/clock.js";
import type { Database } from "../../platform/database/database.js";
import type { HttpServer } from "../../platform/http/http-server.js";
import { LOGIN_REASONS, type LoginReason } from "../../platform/login-reasons.js";
import type { MasterKeyState } from "../../platform/secrets/master-key-watch.js";
import { listSamlKeys } from "../../saml/saml-keys.js";
import { listSigningKeys } from "../../tokens/signing-keys.js";
import { CONSOLE_API_PATH } from "../console-address.js";
import { hourOf, LOGIN_COUNT_LIFE_MS } from "./heartbeat.js";
import { listLoginCounts, listReplicas, type LoginCount, type Replica, SILENT_MS } from "./replica-store.js";

export interface OverviewRoutesDeps extends Pick<Platform, "database" | "clock"> {
  /** Of this process. */
  readonly replicaId: string;
  readonly version: string;
  /** Degraded functions of this process, a sentence each. */
  readonly impairments: () => Promise<readonly string[]>;
  readonly masterKeyState: () => MasterKeyState;
  /** What is known to be wrong with providers. */
  readonly listProblems: () => Promise<readonly ProviderProblem[]>;
  /** How many logins failed in the last milliseconds, by code. */
  readonly countRecent: (ms: number) => Promise<FailureCounts>;
  readonly keyRotationDays: number;
  /** Days for which the audit trail is kept; 0 without one. */
  readonly auditTrailDays: number;
}

type FailureCounts = readonly { readonly code: string; readonly count: number }[];

export interface ProviderProblem {
  readonly idpId: string;
  /** Of the protocol. */
  readonly id: string;
  readonly problems: readonly string[];
}

export function addOverviewRoutes(server: HttpServer, deps: OverviewRoutesDeps): void {
  const { database, clock } = deps;
  server.get(`${CONSOLE_API_PATH}/overview`, { config: { access: "identity:get_overview" } }, async () => {
    const now = clock.now();
    const replicas = await listReplicas(database);
    const counts = await listLoginCounts(database, hourOf(now) - LOGIN_COUNT_LIFE_MS);
    const impairments = await deps.impairments();
    const master = deps.masterKeyState();
    return {
      version: deps.version,
      now: formatTimestamp(now),
      replicas: replicas.map((replica) => replicaView(replica, { now, ownId: deps.replicaId })),
      database: { kind: database.kind, version: await versionOf(database), impairments },
      problems: (await deps.listProblems()).map(({ idpId, id, problems }) => ({
        idp_id: idpId,
        protocol_id: id,
        problems,
      })),
      keys: {
        master: {
          id: master.own,
          in_force_id: master.inForce ?? null,
          is_in_force: !master.isFormer,
          file: master.file ?? null,
          source: sourceView(master.source),
        },
        signing: (await listSigningKeys(database)).map(({ number, createdAt }) => ({
          number,
          created_at: formatSeconds(createdAt),
        })),
        rotation_days: deps.keyRotationDays,
        saml: (await listSamlKeys(database)).map(({ number, createdAt, certificate }) => ({
          number,
          created_at: formatSeconds(createdAt),
          certificate_expires_at: formatSeconds(Date.parse(new X509Certificate(certificate).validTo)),
        })),
      },
      logins: { hours: hoursOf(counts), failed_last_hour: reasonsOf(await deps.countRecent(HOUR_MS)) },
      audit_trail: { days: deps.auditTrailDays },
    };
  });
}

function sourceView({ kind, wrappingKey, answeredAt, fault }: MasterKeyState["source"]) {
  return {
    kind,
    wrapping_key: wrappingKey ?? null,
    answered_at: answeredAt === undefined ? null : formatSeconds(answeredAt),
    fault: fault ?? null,
  };
}

function replicaView(
  { id, host, worker, version, startedAt, seenAt, impairments }: Replica,
  { now, ownId }: { readonly now: Moment; readonly ownId: string },
) {
  return {
    id,
    host,
    worker,
    version,
    started_at: formatSeconds(startedAt),
    seen_at: formatSeconds(seenAt),
    is_alive: seenAt > now - SILENT_MS,
    is_asked: id === ownId,
    impairments: impairments ?? [],
  };
}

async function versionOf(database: Database): Promise<string> {
  const query =
    database.kind === "sqlite"
      ? sql<{ version: string }>`select sqlite_version() as version`
      : sql<{ version: string }>`select current_setting('server_version') as version`;
  return (await query.execute(database.tables())).rows[0]?.version ?? "";
}

/** Codes with their words, the most frequent first. */
function reasonsOf(counts: FailureCounts) {
  return counts.map(({ code, count }) => ({
    code,
    reason: LOGIN_REASONS[code as LoginReason] ?? code,
    count,
  }));
}

/** One entry for each hour with logins. */
function hoursOf(counts: readonly LoginCount[]) {
  const hours = new Map<Moment, Record<LoginCount["outcome"], number>>();
  for (const { hour, outcome, count } of counts) {
    const known = hours.get(hour) ?? { done: 0, refused: 0, failed: 0 };
    hours.set(hour, { ...known, [outcome]: count });
  }
  return [...hours].map(([hour, { done, refused, failed }]) => ({
    hour: formatSeconds(hour),
    done,
    refused,
    failed,
  }));
}
