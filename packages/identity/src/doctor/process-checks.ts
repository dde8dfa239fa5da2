/** Checks the processes of the service, as their heartbeats have them: those that ended without notice, their releases and impairments. */
import { listReplicas, SILENT_MS, type Replica } from "../console/overview/replica-store.js";
import { migrations } from "../migrations/migrations.js";
import type { Clock } from "../platform/clock.js";
import type { Database } from "../platform/database/database.js";
import { missingSteps, stepsTaken } from "../platform/database/migrate.js";
import { ok, warning, type Finding } from "./finding.js";

export async function examineProcesses(database: Database, clock: Clock): Promise<Finding[]> {
  // Former releases have other columns.
  if (missingSteps(await stepsTaken(database), migrations).length > 0) return [];
  const now = clock.now();
  const all = await listReplicas(database);
  const alive = all.filter(({ seenAt }) => now - seenAt <= SILENT_MS);
  const versions = new Set(alive.map(({ version }) => version));
  return [
    ...(versions.size > 1
      ? [warning("processes", `they run several releases: ${[...versions].toSorted(byText).join(", ")}`)]
      : []),
    ...all.flatMap((replica) => findingsOf(replica, now)),
  ];
}

const byText = (one: string, other: string): number => one.localeCompare(other, "en", { numeric: true });

function findingsOf({ host, worker, version, seenAt, impairments }: Replica, now: number): Finding[] {
  const name = worker === 0 ? host : `${host}, worker ${worker}`;
  const seconds = Math.max(0, Math.round((now - seenAt) / 1000));
  if (now - seenAt > SILENT_MS)
    return [
      warning("processes", `${name}: the last heartbeat was ${seconds} s ago: it ended without notice`),
    ];
  if (impairments === null || impairments.length === 0)
    return [ok("processes", `${name}: ${version}, heartbeat ${seconds} s ago`)];
  return impairments.map((sentence) => warning("processes", `${name}: ${sentence}`));
}
