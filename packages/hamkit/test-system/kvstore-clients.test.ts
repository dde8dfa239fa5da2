import type { Cluster } from "ioredis";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe } from "vitest";

import { describeKvstore, type StoreUnderTest } from "../test/kvstore/kvstore-contract.js";
import {
  connectCluster,
  startCluster,
  startRedis,
  type RedisCluster,
  type RedisServer,
} from "./redis-servers.js";
import { LIBRARIES, type OpenClient } from "./store-clients.js";

/** A client under test on a server, which the test changes and looks into with a client of its own. */
async function underTest({ client, close }: OpenClient, own: Redis | Cluster): Promise<StoreUnderTest> {
  const nodes = (): Redis[] => (own instanceof Redis ? [own] : own.nodes("master"));
  const flush = async (): Promise<void> => {
    await own.ping();
    await Promise.all(nodes().map((node) => node.flushall()));
  };
  await flush();
  return {
    client,
    put: async (key, text) => void (await own.set(key, text)),
    add: async (key, ...members) => void (await own.sadd(key, ...members)),
    async keys(start) {
      const all = (await Promise.all(nodes().map((node) => node.keys("*")))).flat();
      return all.filter((key) => key.startsWith(start)).sort();
    },
    async close() {
      close();
      own.disconnect();
    },
  };
}

describe("on one server", () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.stop());

  for (const { name, single } of LIBRARIES) {
    describeKvstore(name, async () => underTest(await single(server.url), new Redis(server.url)));
  }
});

describe("on a server that takes no scripts", () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis("--user", "ham", "on", ">secret", "~*", "+@all", "-@scripting");
  });
  afterAll(() => server.stop());

  for (const { name, single } of LIBRARIES) {
    describeKvstore(name, async () =>
      underTest(await single(`redis://ham:secret@127.0.0.1:${server.port}`), new Redis(server.url)),
    );
  }
});

describe("on a cluster", () => {
  let servers: RedisCluster;
  beforeAll(async () => {
    servers = await startCluster();
  });
  afterAll(() => servers.stop());

  for (const { name, cluster } of LIBRARIES) {
    const open = async (): Promise<StoreUnderTest> =>
      underTest(await cluster(servers.ports), connectCluster(servers));
    describeKvstore(`${name}, with all keys in one slot`, open, (dataSet) => `{cty}${dataSet}`);
    describeKvstore(`${name}, with keys on all servers`, open);
  }
});
