/** A cluster of three servers that loses one, with replicas and without. */
import { afterEach, beforeAll, describe, expect, it } from "vitest";

import { IOError } from "../src/errors.js";
import { copyIntoKvstore } from "../src/kvstore/kvstore-copy.js";
import { createKvstore, type Kvstore } from "../src/kvstore/kvstore.js";
import { identifyAt } from "../src/lookup/identify.js";
import type { TableSource } from "../src/lookup/source.js";
import { smallTable } from "../test/fixtures/small-table.js";
import { withoutSource } from "../test/kvstore/kvstore-contract.js";
import { startCluster, type ClusterOptions, type RedisCluster } from "../test-system/redis-servers.js";
import { library, type OpenClient } from "../test-system/store-clients.js";

const AT = Date.UTC(2026, 0, 1);
const CALLS = ["DH1TW", "W6AA", "KL7FQR", "JA1ABC", "EA8AB", "W1AW/6", "3D2/R/DL1ABC", "QQ0QQ"];
const CLIENTS = ["ioredis 6", "ioredis 5", "redis 6"].map((name) => library(name));
/** Without a hash tag the keys are on all servers; with one on a single server. */
const PREFIXES = ["CF", "{cty}CF"];
const TIMEOUT_MS = 2000;

/** A server counts as failed after a second, and its data is on disk after each command. */
const FAST = ["--cluster-node-timeout", "1000"];
const DURABLE = ["--appendonly", "yes", "--appendfsync", "always"];

let table: TableSource;
beforeAll(async () => {
  table = await smallTable();
});

let servers: RedisCluster | undefined;
let opened: OpenClient | undefined;
afterEach(async () => {
  opened?.close();
  await servers?.stop();
});

interface Running {
  readonly cluster: RedisCluster;
  readonly client: object;
  readonly stores: readonly Kvstore[];
}

/** A cluster with the data under both prefixes. */
async function running(name: string, options: ClusterOptions): Promise<Running> {
  const cluster = await startCluster(options);
  servers = cluster;
  opened = await library(name).cluster(cluster.ports);
  const { client } = opened;
  const stores: Kvstore[] = [];
  for (const kvPrefix of PREFIXES) {
    await copyIntoKvstore(table, { kvInstance: client, kvPrefix });
    stores.push(createKvstore({ kvInstance: client, kvPrefix, timeoutMs: TIMEOUT_MS }));
  }
  await cluster.untilReplicated();
  return { cluster, client, stores };
}

interface Outcomes {
  /** Answers as in memory. */
  readonly right: number;
  /** Other answers. */
  readonly wrong: readonly string[];
  readonly failures: readonly unknown[];
  readonly longestMs: number;
}

/** Looks up all calls at once, because a lookup without a server takes as long as its time limit. */
async function lookUpAll(stores: readonly Kvstore[]): Promise<Outcomes> {
  const wrong: string[] = [];
  const failures: unknown[] = [];
  let right = 0;
  const start = performance.now();
  const lookUp = async (store: Kvstore, call: string): Promise<void> => {
    try {
      const answer = JSON.stringify(withoutSource(await store.identify(call, AT)));
      if (answer === JSON.stringify(withoutSource(identifyAt(call, table, AT)))) right++;
      else wrong.push(`${store.name}, ${call}: ${answer}`);
    } catch (failure) {
      failures.push(failure);
    }
  };
  await Promise.all(stores.flatMap((store) => CALLS.map((call) => lookUp(store, call))));
  return { right, wrong, failures, longestMs: performance.now() - start };
}

const ALL = { right: CALLS.length * PREFIXES.length, wrong: [], failures: [] };

/** The right answers once all are there; every answer on the way is right too, or an error. */
async function untilAllRight(stores: readonly Kvstore[]): Promise<void> {
  const wrong: string[] = [];
  const outcome = async () => {
    const outcomes = await lookUpAll(stores);
    wrong.push(...outcomes.wrong);
    return { right: outcomes.right, reasons: [...new Set(outcomes.failures.map(String))] };
  };
  await expect.poll(outcome, { timeout: 40_000, interval: 200 }).toEqual({ right: ALL.right, reasons: [] });
  expect(wrong).toEqual([]);
}

describe.each(CLIENTS)("a cluster that loses a server, with $name", ({ name }) => {
  it("without replicas is an error that names the store, in time, and never another answer; and works again with the server", async () => {
    const { cluster, stores } = await running(name, { options: [...FAST, ...DURABLE] });
    expect(await lookUpAll(stores)).toMatchObject(ALL);
    for (const server of cluster.servers) {
      await server.kill();
      const seen: Outcomes[] = [];
      const failed = async (): Promise<number> => {
        const outcomes = await lookUpAll(stores);
        seen.push(outcomes);
        return outcomes.failures.length;
      };
      // Once the others notice, the cluster refuses all: it has cluster-require-full-coverage.
      await expect.poll(failed, { timeout: 40_000, interval: 200 }).toBe(ALL.right);
      expect(seen.flatMap(({ wrong }) => wrong)).toEqual([]);
      for (const failure of seen.flatMap(({ failures }) => failures)) {
        expect(failure).toBeInstanceOf(IOError);
        expect(String(failure)).toMatch(
          /Redis Cluster .*(?:CLUSTERDOWN|no answer|redirections|[Cc]onnect|closed)/,
        );
      }
      expect(Math.max(...seen.map(({ longestMs }) => longestMs))).toBeLessThan(TIMEOUT_MS + 1500);
      await server.start();
      await untilAllRight(stores);
    }
  });

  it("with a replica of each goes on after its promotion", async () => {
    const { cluster, stores } = await running(name, { replicas: 1, options: FAST });
    expect(await lookUpAll(stores)).toMatchObject(ALL);
    await cluster.servers[0]?.kill();
    await untilAllRight(stores);
    // The promoted one is written to as well.
    await copyIntoKvstore(table, { kvInstance: opened?.client ?? {}, kvPrefix: "CF" });
    await untilAllRight(stores);
  });

  it("that comes back empty is an error that asks for a copy, and whole again after it", async () => {
    const { cluster, client, stores } = await running(name, { options: FAST });
    for (const server of cluster.servers) {
      await server.kill();
      await server.start();
    }
    const reasons = async (): Promise<string[]> => {
      const { failures, right, wrong } = await lookUpAll(stores);
      expect({ right, wrong }).toEqual({ right: 0, wrong: [] });
      return failures.filter((failure) => !/copied|missing/.test(String(failure))).map(String);
    };
    await expect.poll(reasons, { timeout: 40_000, interval: 200 }).toEqual([]);
    for (const kvPrefix of PREFIXES) await copyIntoKvstore(table, { kvInstance: client, kvPrefix });
    await untilAllRight(stores);
  });
});
