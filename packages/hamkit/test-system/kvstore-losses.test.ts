import { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { IOError } from "../src/errors.js";
import { copyIntoKvstore } from "../src/kvstore/kvstore-copy.js";
import { createKvstore } from "../src/kvstore/kvstore.js";
import { slotOf } from "../src/kvstore/redis/redis-slots.js";
import { identifyAt } from "../src/lookup/identify.js";
import type { TableSource } from "../src/lookup/source.js";
import { smallTable } from "../test/fixtures/small-table.js";
import { markedTable } from "./marked-table.js";
import { startRedis, type RedisServer } from "./redis-servers.js";
import { library } from "./store-clients.js";

const AT = Date.UTC(2026, 0, 1);

let server: RedisServer;
let own: Redis;
let table: TableSource;
beforeAll(async () => {
  server = await startRedis();
  own = new Redis(server.url);
  table = await smallTable();
});
afterAll(async () => {
  own.disconnect();
  await server.stop();
});
beforeEach(() => own.flushall());

async function withClient(use: (client: object) => Promise<void>): Promise<void> {
  const { client, close } = await library("ioredis 6").single(server.url);
  try {
    await use(client);
  } finally {
    close();
  }
}

function copy(kvInstance: object, source = table): Promise<void> {
  return copyIntoKvstore(source, { kvInstance, kvPrefix: "CF" });
}

describe("a data set of which keys were lost", () => {
  const CALLS = ["EA8ABC", "DH1TW", "W6AA", "KL7FQR", "3D2/R/DL1ABC", "RT9V/W2PE", "QQ0QQ"];
  const asJson = (answer: object): string => JSON.stringify({ ...answer, source: undefined });

  /** Answers that are neither those of the whole data set nor an error that says that it is incomplete. */
  async function wrongAnswers(kvInstance: object): Promise<string[]> {
    const kvstore = createKvstore({ kvInstance, kvPrefix: "CF" });
    const wrong: string[] = [];
    for (const call of CALLS) {
      const answer = await kvstore.identify(call, AT).then(asJson, String);
      const isRefused =
        /hashes of the data set are missing|the server has evicted|no data set has been copied/.test(answer);
      if (!isRefused && answer !== asJson(identifyAt(call, table, AT))) wrong.push(`${call}: ${answer}`);
    }
    return wrong;
  }

  it("is an error or answers as before, never a wrong country or unknown, whichever keys are evicted (missing-is-not-unknown)", () =>
    withClient(async (kvInstance) => {
      const TRIALS = 30;
      for (let trial = 0; trial <= TRIALS; trial++) {
        await copy(kvInstance);
        // Up to three quarters of the keys, the same in each run; the last trial loses all.
        const draw = (key: string): number => slotOf(`${trial} ${key}`) / 16_384;
        const keys = await own.keys("CF_*");
        const lost = keys.filter((key) => trial === TRIALS || draw(key) < (trial / TRIALS) * 0.75);
        if (lost.length > 0) await own.del(...lost);
        expect(await wrongAnswers(kvInstance)).toEqual([]);
      }
    }));

  it("is an error when the server evicts for want of memory, and whole again after a copy", () =>
    withClient(async (kvInstance) => {
      await copy(kvInstance, markedTable(1, 30_000));
      const kvstore = createKvstore({ kvInstance, kvPrefix: "CF" });
      expect(await kvstore.prefix("DL1", AT)).toMatchObject({ adif: 1 });
      await own.config("SET", "maxmemory-policy", "allkeys-random", "maxmemory", "3mb");
      const evicting = async (): Promise<number> => {
        await own.set("stranger", "x".repeat(100_000)).catch(() => undefined);
        return (await own.keys("CF_hash_*")).length;
      };
      await expect.poll(evicting, { timeout: 20_000 }).toBeLessThan(16);
      const later = createKvstore({ kvInstance, kvPrefix: "CF" });
      const failure = await later.prefix("DL1", AT).catch((caught: unknown) => caught);
      await own.config("SET", "maxmemory-policy", "noeviction", "maxmemory", "0");
      expect(failure).toBeInstanceOf(IOError);
      expect(String(failure)).toMatch(
        /(?:hashes of the data set are missing|the server has evicted) .*set maxmemory-policy noeviction/,
      );
      await copy(kvInstance, markedTable(1, 10));
      expect(await kvstore.prefix("DL1", AT)).toMatchObject({ adif: 1 });
    }));

  it("is read from the records of pyhamtools where that has copied over it", () =>
    withClient(async (kvInstance) => {
      await copy(kvInstance, markedTable(1, 10));
      for (const key of await own.keys("CF_prefix_[0-9]*"))
        await own.set(key, String(await own.get(key)).replaceAll("Country 1", "Country 9"));
      const kvstore = createKvstore({ kvInstance, kvPrefix: "CF" });
      expect(await kvstore.prefix("DL1", AT)).toMatchObject({ country: "Country 9" });
    }));
});
