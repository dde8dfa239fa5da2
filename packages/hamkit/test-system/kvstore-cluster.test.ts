import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { identifyAt } from "../src/lookup/identify.js";
import type { TableSource } from "../src/lookup/source.js";
import { createTable } from "../src/lookup/table.js";
import { copyIntoKvstore } from "../src/kvstore/kvstore-copy.js";
import { createKvstore } from "../src/kvstore/kvstore.js";
import { smallTable } from "../test/fixtures/small-table.js";
import { withoutSource } from "../test/kvstore/kvstore-contract.js";
import { whileRunning } from "./while-running.js";
import { connectCluster, redisCli, startCluster, type RedisCluster } from "./redis-servers.js";
import { LIBRARIES, library } from "./store-clients.js";

const AT = Date.UTC(2026, 0, 1);
/** The libraries whose clients can put a prefix before all keys. */
const WITH_PREFIX = ["ioredis 6", "ioredis 5", "redis 6"].map((name) => library(name));
const CALLS = ["DH1TW", "W6AA", "KL7FQR", "JA1ABC", "EA8AB", "W1AW/6", "3D2/R/DL1ABC", "QQ0QQ"];

let servers: RedisCluster;
let country: TableSource;
beforeAll(async () => {
  servers = await startCluster();
  country = await smallTable();
});
afterAll(() => servers.stop());

/** How many of the callsigns are answered otherwise than in memory. */
async function differing(kvInstance: object, kvPrefix: string): Promise<string[]> {
  const answers = await createKvstore({ kvInstance, kvPrefix }).identifyMany(
    CALLS.map((callsign) => ({ callsign, at: AT })),
  );
  const shown = (answer: unknown): string => JSON.stringify(answer);
  return CALLS.filter((callsign, index) => {
    const answer = answers[index];
    const inMemory = identifyAt(callsign, country, AT);
    return !answer || shown(withoutSource(answer)) !== shown(withoutSource(inMemory));
  });
}

/** Prefixes Z0 to Z499 in an order of its own, so that their records get other numbers than in another table. */
function numberedTable(name: string, step: number): TableSource {
  const { table, addPrefix } = createTable({ entities: new Map() });
  const facts = { country: `${name}land`, continent: "EU", latitude: 0, longitude: 0, cqz: 1 } as const;
  for (let index = 0; index < 500; index++) {
    const adif = (index * step) % 500;
    addPrefix(`Z${adif}`, { value: Object.freeze({ ...facts, adif }) });
    addPrefix(`${name.toUpperCase()}${index}`, { value: Object.freeze({ ...facts, adif }) });
  }
  return { ...table, name, date: undefined };
}

describe("in a cluster", () => {
  it("keys without a hash tag are on all servers, and those with one on one", async () => {
    const own = connectCluster(servers);
    const { client, close } = await library("ioredis 6").cluster(servers.ports);
    for (const kvPrefix of ["CF", "{cty}CF"])
      await copyIntoKvstore(country, { kvInstance: client, kvPrefix });
    const counts = await Promise.all(
      own
        .nodes("master")
        .map(async (node) => [(await node.keys("CF_*")).length, (await node.keys("{cty}CF_*")).length]),
    );
    expect(counts.every(([spread = 0]) => spread > 0)).toBe(true);
    expect(counts.filter(([, tagged = 0]) => tagged > 0).length).toBe(1);
    own.disconnect();
    close();
  });

  it.each(LIBRARIES)("keys are found where they have moved to: $name", async ({ cluster }) => {
    const { client, close } = await cluster(servers.ports);
    const options = { kvInstance: client, kvPrefix: "CF" };
    await copyIntoKvstore(country, options);
    expect(await differing(client, "CF")).toEqual([]);
    const own = connectCluster(servers);
    await own.ping();
    const [from, to] = (await Promise.all(
      own.nodes("master").map((node) => node.call("CLUSTER", "MYID")),
    )) as string[];
    own.disconnect();
    redisCli(
      "--cluster",
      "reshard",
      `127.0.0.1:${servers.ports[0]}`,
      "--cluster-yes",
      ...[
        ["--cluster-from", from ?? ""],
        ["--cluster-to", to ?? ""],
        ["--cluster-slots", "500"],
      ].flat(),
    );
    expect(await differing(client, "CF")).toEqual([]);
    await copyIntoKvstore(country, options);
    expect(await differing(client, "CF")).toEqual([]);
    close();
  });

  it("each key has its old record or its new one while a data set without a hash tag is exchanged", async () => {
    const { client, close } = await library("redis 6").cluster(servers.ports);
    const tables = [numberedTable("One", 1), numberedTable("Two", 7)];
    const copy = (table = tables[0]): Promise<void> =>
      copyIntoKvstore(table as TableSource, { kvInstance: client, kvPrefix: "X" });
    await copy();
    const warnings: string[] = [];
    const warn = (message: string): number => warnings.push(message);
    const kvstore = createKvstore({ kvInstance: client, kvPrefix: "X", warn });
    const seen = await whileRunning(
      async () => {
        for (let time = 1; time <= 20; time++) await copy(tables[time % 2]);
      },
      async () => {
        const keys = ["Z0", "Z77", "Z499"];
        const found = await Promise.all(keys.map((key) => kvstore.prefix(key, AT)));
        return found.map((one, index) =>
          `Z${one?.adif}` === keys[index] ? String(one?.country) : "another",
        );
      },
    );
    expect(seen).toEqual(["Oneland", "Twoland"]);
    expect(warnings).toEqual([]);
    close();
  });

  it.each(WITH_PREFIX)("a prefix of the client goes before all keys: $name", async ({ cluster }) => {
    const { client, close } = await cluster(servers.ports, { keyPrefix: "{app}:" });
    const own = connectCluster(servers);
    await own.set("{app}:CF_prefix_99999", "old");
    await copyIntoKvstore(country, { kvInstance: client, kvPrefix: "CF" });
    expect(await own.exists("{app}:CF_generation")).toBe(1);
    expect(await own.exists("{app}:CF_prefix_99999")).toBe(0);
    expect(await differing(client, "CF")).toEqual([]);
    own.disconnect();
    close();
  });
});
