/** The network to PostgreSQL loses every packet for 28 seconds. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { startBlackHole } from "../test-system/black-hole.js";
import { postgresDatabases, type TestDatabase } from "../test/databases.js";
import { adminClient, type AdminClient } from "../test-system/reliability/admin-client.js";
import { startService, type ServiceProcess } from "../test-system/service-process.js";
import { startLossyNetwork } from "./namespace-hole.js";

const HOLE_MS = 28_000;
/** How long it may take to work again once the network is back. */
const HEAL_MS = 5000;
/** No request may be answered later than this. */
const MAX_ANSWER_MS = 15_000;

interface Answer {
  readonly kind: string;
  readonly status: number;
  /** When it was asked and answered. */
  readonly from: number;
  readonly to: number;
}

interface Network {
  readonly url: string;
  lose(): void;
  restore(): void;
  remove(): void;
}

describe("the service without PostgreSQL for 28 seconds", () => {
  let place: TestDatabase;
  let folder: string;
  let network: Network | undefined;
  let service: ServiceProcess | undefined;
  beforeEach(async () => {
    place = await postgresDatabases.create();
    folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
  });
  afterEach(async () => {
    await service?.stop();
    network?.remove();
    await place.remove();
    await rm(folder, { recursive: true, force: true });
  });

  const networks: readonly [string, () => Promise<Network>][] = [
    ["packets are lost in a network namespace", () => startLossyNetwork(place.url)],
    [
      "connections from before stay dead",
      async () => {
        const hole = await startBlackHole(place.url);
        return {
          url: hole.through(place.url),
          lose: () => hole.open(),
          restore: () => hole.close(),
          remove: () => hole.remove(),
        };
      },
    ],
  ];

  it.each(networks)(
    "answers within seconds all the time, and works within 5 s after it (%s)",
    async (_name, make) => {
      network = await make();
      service = await startService({ databaseUrl: network.url, folder });
      const client = await adminClient(service.url);
      const answers: Answer[] = [];
      const end = new AbortController();
      const clients = Array.from({ length: 12 }, (_, at) =>
        askOn(client, { at, answers, signal: end.signal }),
      );
      await delay(2000);
      const lostAt = performance.now();
      network.lose();
      await delay(HOLE_MS);
      network.restore();
      const restoredAt = performance.now();
      await delay(12_000);
      end.abort();
      await Promise.all(clients);

      expect(answers.filter(({ to }) => to < lostAt).every(({ status }) => status < 300)).toBe(true);
      const slowest = Math.max(...answers.map(({ from, to }) => to - from));
      const failures = answers.filter(({ status }) => status >= 400);
      const last = Math.max(...failures.map(({ to }) => to));
      process.stdout.write(
        `${answers.length} answers, ${failures.length} failed, slowest ${Math.round(slowest)} ms, healed after ${Math.round(last - restoredAt)} ms\n`,
      );
      expect(new Set(failures.map(({ status }) => status))).toEqual(new Set([503]));
      expect(slowest).toBeLessThan(MAX_ANSWER_MS);
      expect(last - restoredAt).toBeLessThan(HEAL_MS);
      for (const kind of ["read", "write", "ready"])
        expect(
          answers.some((answer) => answer.kind === kind && answer.status < 300 && answer.from > restoredAt),
        ).toBe(true);
    },
  );
});

interface Asking {
  readonly at: number;
  readonly answers: Answer[];
  readonly signal: AbortSignal;
}

/** Asks one thing after the other. */
async function askOn(client: AdminClient, { at, answers, signal }: Asking): Promise<void> {
  for (let count = 0; !signal.aborted; count++) {
    const kind = ["read", "write", "ready"][(at + count) % 3] ?? "";
    const from = performance.now();
    const { status } = await askFor(client, kind);
    answers.push({ kind, status, from, to: performance.now() });
    await delay(50);
  }
}

function askFor(client: AdminClient, kind: string): Promise<{ readonly status: number }> {
  if (kind === "read") return client.ask("GET", "/v3/regions");
  return kind === "write" ? client.ask("POST", "/v3/regions", { region: {} }) : client.ask("GET", "/readyz");
}
