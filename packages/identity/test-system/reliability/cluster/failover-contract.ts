/** Three replicas write to a Patroni cluster whose primary goes away. */
import { setTimeout as delay } from "node:timers/promises";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { adminClient, type AdminClient } from "../admin-client.js";
import { halfWritten } from "../half-written.js";
import { emptyLedger, lostIn, startWriters, type Ledger } from "../writers.js";
import { failOver, type Fault } from "./faults.js";
import { startPatroniCluster, type PatroniCluster } from "./patroni-cluster.js";
import { probeSecurity, SECURITY_SETTINGS } from "./security-probes.js";
import { startReplicas, type Replicas } from "./replicas.js";

/** How long after the new primary no request may fail any more. */
const MAX_HEAL_MS = 3000;
/** How long requests are observed after the new primary. */
const OBSERVED_MS = 4000;
const WRITERS = 2;
/** How long a replica may take to answer before the primary goes away. */
const SETTLE_MS = 5000;

interface Probe {
  readonly status: number;
  readonly to: number;
}

interface Started {
  readonly cluster: PatroniCluster;
  readonly replicas: Replicas;
  readonly roleId: string;
}

/** @param rounds Failovers of each kind. */
export function failoverContract({ rounds }: { readonly rounds: number }): void {
  describe("three replicas on a synchronous Patroni cluster of three nodes", () => {
    const started = startOnce({ isSynchronous: true });

    const cases = everyRound(rounds).flatMap((round) =>
      (["switched over", "cut off"] as const).map((fault) => [fault, round] as const),
    );
    it.each(cases)(
      "lose no acknowledged write, and answer within 3 s of the new primary, when it is %s (round %i)",
      async (fault, round) => {
        const name = `${fault.replace(" ", "-")}-${round}-`;
        const written = await writeThrough(started(), fault, name);
        expect(await outcomeOf(started(), written, fault)).toEqual(NOTHING_LOST);
      },
      180_000,
    );

    it.each(everyRound(rounds))(
      "do so too when it is killed, keep out replays, guesses and revoked tokens meanwhile, and rotate keys (round %i)",
      async (round) => {
        let written: Written | undefined;
        await probeSecurity({
          ...started(),
          round,
          failOver: async () => (written = await writeThrough(started(), "killed", `killed-${round}-`)),
        });
        expect(await outcomeOf(started(), written as Written, "killed")).toEqual(NOTHING_LOST);
      },
      180_000,
    );
  });
}

const NOTHING_LOST = {
  lost: [],
  unexpected: [],
  halfWritten: [],
  lastProbes: [201, 201, 201],
  hasWritten: true,
  hasHealed: true,
};

async function outcomeOf({ cluster, replicas }: Started, written: Written, fault: Fault) {
  const { ledger, healedMs, probes } = written;
  const lost = await lostIn(await firstClient(replicas), ledger);
  report(`synchronous, ${fault}`, { ...written, lost });
  return {
    lost,
    unexpected: ledger.unexpected,
    halfWritten: await halfWritten(cluster.url),
    lastProbes: probes.map((each) => each.at(-1)?.status),
    hasWritten: (ledger.counts.get(201) ?? 0) > 20,
    hasHealed: Math.max(...healedMs) < MAX_HEAL_MS,
  };
}

/** What is lost without synchronous replication: measured for docs/identity/postgresql.md. */
export function asynchronousContract({ rounds }: { readonly rounds: number }): void {
  describe("three replicas on an asynchronous Patroni cluster of three nodes", () => {
    const started = startOnce({ isSynchronous: false });

    it.each(everyRound(rounds))(
      "lose whole writes of the last moments alone when it is killed (round %i)",
      async (round) => {
        const stallMs = round % 2 === 0 ? 0 : STALL_MS;
        const written = await writeThrough(started(), "killed", `killed-${round}-`, stallMs);
        const { cluster, replicas } = started();
        const { ledger, healedMs, tookMs } = written;
        const lost = await lostIn(await firstClient(replicas), ledger);
        report(`asynchronous, killed, replication stalled for ${stallMs} ms`, {
          ledger,
          lost,
          healedMs,
          tookMs,
        });
        expect(await halfWritten(cluster.url)).toEqual([]);
        expect(ledger.unexpected).toEqual([]);
        expect(lost.length).toBeLessThan(ledger.present.size / 2);
      },
      180_000,
    );
  });
}

/** For how long the standbys get nothing before the primary is killed. */
const STALL_MS = 500;

/** Starts cluster and replicas before the tests of a suite, and removes them after. */
function startOnce(options: { readonly isSynchronous: boolean }): () => Started {
  const removals: (() => Promise<void>)[] = [];
  let started: Started | undefined;
  beforeAll(async () => {
    const cluster = await startPatroniCluster(options);
    removals.push(() => cluster.remove());
    const replicas = await startReplicas(cluster, SECURITY_SETTINGS);
    removals.unshift(() => replicas.close());
    const { body } = await (await firstClient(replicas)).ask("GET", "/v3/roles?name=member");
    started = { cluster, replicas, roleId: String(body.roles[0].id) };
  }, 180_000);
  afterAll(async () => {
    for (const remove of removals) await remove();
  });
  return () => {
    if (started === undefined) throw new Error("the cluster was not started");
    return started;
  };
}

interface Written {
  readonly ledger: Ledger;
  readonly probes: readonly (readonly Probe[])[];
  /** For each replica: the time from the new primary to the last failed request; negative if none failed after. */
  readonly healedMs: readonly number[];
  /** How long there was no primary. */
  readonly tookMs: number;
}

/** Writes at all replicas while the primary goes away. @param prefix Of names. */
async function writeThrough(
  { cluster, replicas, roleId }: Started,
  fault: Fault,
  prefix: string,
  stallMs = 0,
): Promise<Written> {
  const ledger = emptyLedger();
  // Tokens of earlier rounds ended with the rotations of their keys.
  const clients = await Promise.all(replicas.all.map(({ url }) => settledClient(url)));
  const writers = clients.map((client, at) =>
    startWriters({ client, ledger, roleId, prefix: `w${prefix}${at}`, writers: WRITERS }),
  );
  const end = new AbortController();
  const probing = clients.map((client) => probeWrites(client, end.signal));
  await delay(1000);
  if (stallMs > 0) {
    (await cluster.primary()).stallReplication();
    await delay(stallMs);
  }
  const failover = await failOver(cluster, fault);
  await delay(OBSERVED_MS);
  end.abort();
  const probes = await Promise.all(probing);
  await Promise.all(writers.map((each) => each.stop()));
  const healedMs = probes.map((each) => lastFailure(each) - failover.promotedAt);
  await failover.repair();
  return { ledger, healedMs, probes, tookMs: failover.tookMs };
}

/** After a start HAProxy may take the primary out for a moment, where Patroni is too busy to answer its check. */
async function settledClient(url: string): Promise<AdminClient> {
  const deadline = performance.now() + SETTLE_MS;
  for (;;) {
    try {
      return await adminClient(url);
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await delay(200);
    }
  }
}

function firstClient({ all: [replica] }: Replicas): Promise<AdminClient> {
  return adminClient(replica?.url ?? "");
}

function everyRound(rounds: number): number[] {
  return Array.from({ length: rounds }, (_, round) => round);
}

/** Writes every 50 ms until the end. */
async function probeWrites(client: AdminClient, signal: AbortSignal): Promise<Probe[]> {
  const probes: Probe[] = [];
  while (!signal.aborted) {
    const { status } = await client.ask("POST", "/v3/regions", { region: {} });
    probes.push({ status, to: performance.now() });
    await delay(50);
  }
  return probes;
}

function lastFailure(probes: readonly Probe[]): number {
  return Math.max(0, ...probes.filter(({ status }) => status !== 201).map(({ to }) => to));
}

interface Measured extends Omit<Written, "probes"> {
  readonly lost: readonly string[];
}

function report(title: string, { ledger, lost, healedMs, tookMs }: Measured): void {
  const acknowledged = [...ledger.counts].filter(([status]) => status >= 200 && status < 300);
  const count = acknowledged.reduce((sum, [, each]) => sum + each, 0);
  const healed = healedMs.map((ms) => Math.round(Math.max(0, ms))).join(", ");
  const example = lost.length === 0 ? "" : ` (such as ${lost[0]})`;
  process.stdout.write(
    `${title}: ${count} acknowledged writes, ${lost.length} lost${example}; new primary after ${Math.round(tookMs)} ms, last failure ${healed} ms after it\n`,
  );
}
