import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { TableSource } from "../src/lookup/source.js";
import { loadEmbeddedCountryFile } from "../src/country-file/country-file.js";
import { copyIntoKvstore } from "../src/kvstore/kvstore-copy.js";
import { createKvstore } from "../src/kvstore/kvstore.js";
import { smallLogXml } from "../test/kvstore/kvstore-contract.js";
import { startRedis, type RedisServer } from "./redis-servers.js";

type PythonRecord = Readonly<Record<string, string | number | boolean>>;

/** What read-store.py finds: records by section and key, entities by code. */
type PythonStore = Readonly<Record<string, Readonly<Record<string, PythonRecord[]>>>> & {
  readonly entities: Readonly<Record<string, PythonRecord>>;
};

let server: RedisServer;
let client: Redis;
beforeAll(async () => {
  server = await startRedis();
  client = new Redis(server.url);
});
afterAll(async () => {
  client.disconnect();
  await server.stop();
});

/** What a script of this folder prints, run by Debian's Python, which has Debian's redis package. */
function python(script: string, prefix: string): string {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const { status, stdout, stderr } = spawnSync("/usr/bin/python3", [path, String(server.port), prefix], {
    encoding: "utf8",
    maxBuffer: 1e9,
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

async function readByPython(table: TableSource, kvPrefix: string): Promise<PythonStore> {
  await copyIntoKvstore(table, { kvInstance: client, kvPrefix });
  return JSON.parse(python("read-store.py", kvPrefix)) as PythonStore;
}

describe("a store shared with Python", () => {
  it("has data written here, as Python spells it, letter for letter: country file", async () => {
    const table = await loadEmbeddedCountryFile();
    const found = await readByPython(table, "CF");
    const { calls, prefixes, entities } = table.content();
    const [call_ex, prefix] = [[...calls], [...prefixes]];
    expect(Object.keys(found.entities).length).toBe([...entities].length);
    for (const [section, entries] of Object.entries({ call_ex, prefix })) {
      expect(Object.keys(found[section] ?? {}).length).toBe(entries.length);
      for (const { key, value } of entries) {
        const [record] = found[section]?.[key] ?? [];
        // Python's -0.0 is JSON's -0.
        const longitude = Number(record?.["longitude"]) + 0;
        expect({ ...record, longitude, id: undefined }).toEqual({ ...value, id: undefined });
      }
    }
    expect(found["inv_op"]).toEqual({});
  });

  it("has data written here, as Python spells it, letter for letter: log XML", async () => {
    const found = await readByPython(smallLogXml(), "CL");
    expect(found["call_ex"]?.["3B8/OK1X"]).toMatchObject([
      { id: 7, adif: 4, start: "2020-05-01T00:00:00", end: "2020-05-31T23:59:59" },
    ]);
    expect(found["zone_ex"]?.["VE8EV"]).toMatchObject([{ cqz: 2 }]);
    expect(found["inv_op"]?.["VE1PIRATE"]).toEqual([{ id: 12 }]);
    expect(found.entities["174"]).toMatchObject({ whitelist: true, whitelist_start: "1980-01-01T00:00:00" });
    expect(found.entities["218"]).toMatchObject({ deleted: true, end: "1992-12-31T23:59:59" });
  });

  it("has data written by Python, which is read here", async () => {
    python("write-store.py", "PY");
    const warnings: string[] = [];
    const kvstore = createKvstore({
      kvInstance: client,
      kvPrefix: "PY",
      warn: (message) => warnings.push(message),
    });
    const in1992 = Date.UTC(1992, 11, 31, 23, 59, 59);
    expect(await kvstore.prefix("OK", in1992)).toMatchObject({ adif: 218, longitude: 14.5 });
    expect(await kvstore.prefix("OK", in1992 + 1000)).toMatchObject({ adif: 503 });
    expect(await kvstore.prefix("TU", in1992)).toEqual({
      country: "Côte d'Ivoire",
      adif: 428,
      cqz: 14,
      continent: "EU",
      latitude: 0.00001,
      longitude: 0,
    });
    expect(await kvstore.exact("OK1X/P", Date.UTC(2020, 1, 1))).toMatchObject({ country: "MALTA" });
    expect(await kvstore.exact("OK1X/P", Date.UTC(2020, 1, 2))).toBeUndefined();
    expect(await kvstore.isInvalidOperation("OK9BAD", in1992)).toBe(true);
    expect(await kvstore.identify("OK9BAD", in1992)).toEqual({ kind: "invalid-operation" });
    expect(await kvstore.identify("OK1ABC", in1992)).toMatchObject({
      record: { country: "CZECHOSLOVAKIA", cqz: 40 },
      needsEntry: true,
    });
    expect(await kvstore.entity(218)).toMatchObject({ deleted: true, prefix: "OK" });
    expect(await kvstore.entity(503)).toMatchObject({ deleted: false });
    expect(warnings).toEqual([]);
  });
});
