/** Debian's Keystone beside this service on one cluster, both through HAProxy: when each writes again after the primary went away. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { openDatabase } from "../../identity/src/platform/database/open-database.js";
import { makePeer, type KeystonePeer } from "../test-system/export/keystone-peer.js";
import { freePort } from "../../identity/test-system/free-port.js";
import { adminClient } from "../../identity/test-system/reliability/admin-client.js";
import { failOver } from "../../identity/test-system/reliability/cluster/faults.js";
import {
  startPatroniCluster,
  type PatroniCluster,
} from "../../identity/test-system/reliability/cluster/patroni-cluster.js";
import {
  ADMIN_PASSWORD,
  startService,
  type ServiceProcess,
} from "../../identity/test-system/service-process.js";

const ROUNDS = 5;
/** A client gives up after this time, and sends the next request. */
const PATIENCE_MS = 5000;
const BEFORE_MS = 2000;
const AFTER_MS = 15_000;

interface Probe {
  readonly ok: boolean;
  readonly at: number;
}

describe("Debian's Keystone and this service on a synchronous Patroni cluster", () => {
  let folder: string;
  let cluster: PatroniCluster;
  let service: ServiceProcess;
  let keystone: KeystonePeer;
  let urls: { readonly service: string; readonly keystone: string };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "hamkit-keystone-"));
    cluster = await startPatroniCluster({ isSynchronous: true });
    const database = openDatabase(cluster.proxyUrl);
    await sql`create database keystone`.execute(database.tables());
    await database.close();
    const port = await freePort();
    const publicUrl = `http://127.0.0.1:${port}/v3`;
    keystone = await makePeer({
      folder: join(folder, "keystone"),
      connection: cluster.proxyUrl
        .replace(/^postgres:/, "postgresql+psycopg2:")
        .replace(/\/postgres$/, "/keystone"),
      publicUrl,
      methods: ["password", "token"],
    });
    await keystone.run("sync", "keys", "bootstrap", ADMIN_PASSWORD, publicUrl);
    await keystone.start(port);
    service = await startService({ databaseUrl: cluster.proxyUrl, folder });
    urls = { service: service.url, keystone: `http://127.0.0.1:${port}` };
  }, 240_000);
  afterAll(async () => {
    await service?.kill();
    await keystone?.stop();
    await cluster?.remove();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(
    (["switched over", "killed", "cut off"] as const).flatMap((fault) =>
      Array.from({ length: ROUNDS }, (_, round) => [fault, round] as const),
    ),
  )(
    "write again when it is %s (round %i)",
    async (fault) => {
      const end = new AbortController();
      const probing = [urls.service, urls.keystone].map((url) => probeWrites(url, end.signal));
      await delay(BEFORE_MS);
      const harmedAt = performance.now();
      const failover = await failOver(cluster, fault);
      const { promotedAt } = failover;
      await delay(AFTER_MS);
      end.abort();
      const [own = [], peer = []] = await Promise.all(probing);
      await failover.repair();
      const [healed, healedOfKeystone] = [own, peer].map(
        (probes) => lastFailure(probes, harmedAt) - promotedAt,
      );
      process.stdout.write(
        `${fault}: new primary after ${Math.round(promotedAt - harmedAt)} ms; last failure after that: ours ${Math.round(healed ?? 0)}, Keystone's ${Math.round(healedOfKeystone ?? 0)} ms; failed ${failures(own)} of ${own.length}, ${failures(peer)} of ${peer.length}\n`,
      );
      expect(own.at(-1)?.ok).toBe(true);
      expect(healed).toBeLessThan(3000);
      expect(peer.some(({ ok }) => ok)).toBe(true);
    },
    180_000,
  );
});

/** Creates a region every 50 ms. */
async function probeWrites(url: string, signal: AbortSignal): Promise<Probe[]> {
  const { token } = await adminClient(url);
  const probes: Probe[] = [];
  while (!signal.aborted) {
    const ok = await fetch(`${url}/v3/regions`, {
      method: "POST",
      headers: { "x-auth-token": token, "content-type": "application/json" },
      body: JSON.stringify({ region: {} }),
      signal: AbortSignal.timeout(PATIENCE_MS),
    }).then(
      async (answer) => {
        await answer.body?.cancel();
        return answer.status === 201;
      },
      () => false,
    );
    probes.push({ ok, at: performance.now() });
    await delay(50);
  }
  return probes;
}

const failures = (probes: readonly Probe[]) => probes.filter(({ ok }) => !ok).length;

/** When the last request failed; the beginning of the fault if none did. */
function lastFailure(probes: readonly Probe[], harmedAt: number): number {
  return Math.max(harmedAt, ...probes.filter(({ ok }) => !ok).map(({ at }) => at));
}
