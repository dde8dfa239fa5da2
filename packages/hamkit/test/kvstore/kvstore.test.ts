import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";

import { describe, expect, it } from "vitest";

import { IOError, TimeoutError, ValueError } from "../../src/errors.js";
import { identifyAt } from "../../src/lookup/identify.js";
import type { TableSource } from "../../src/lookup/source.js";
import { createCountryFile } from "../../src/country-file/country-file.js";
import type { StoreClient } from "../../src/kvstore/store-client.js";
import { copyIntoKvstore } from "../../src/kvstore/kvstore-copy.js";
import type { KeyValueStore } from "../../src/kvstore/key-value-store.js";
import { createKvstore } from "../../src/kvstore/kvstore.js";
import { createLogXml } from "../../src/log-xml/log-xml.js";
import { createMapStore, type StoreMap } from "../../src/kvstore/store-client.js";
import { smallTable } from "../fixtures/small-table.js";
import { dataPath, goldenRows, hasGolden } from "../golden.js";
import { describeKvstore, smallLogXml, withoutSource, type StoreUnderTest } from "./kvstore-contract.js";

const AT = Date.UTC(2026, 0, 1);

function mapUnderTest(): StoreUnderTest {
  const map: StoreMap = new Map();
  return {
    client: map,
    put: async (key, text) => void map.set(key, text),
    add: async (key, ...members) => void map.set(key, new Set(members)),
    keys: async (start) => [...map.keys()].filter((key) => key.startsWith(start)).sort(),
    close: async () => map.clear(),
  };
}

/** A map as a store of another kind: with some methods exchanged. */
function otherStore(map: StoreMap, methods: Partial<KeyValueStore>): KeyValueStore {
  return { ...createMapStore(map), name: "another store", ...methods };
}

describeKvstore("a Map", async () => mapUnderTest());

describeKvstore("methods of a program's own", async () => {
  const map = mapUnderTest();
  return { ...map, client: otherStore(map.client as StoreMap, {}) };
});

describe("a kvstore", () => {
  it.each([
    [undefined, "undefined"],
    [null, "null"],
    [{}, "an object"],
    ["redis://127.0.0.1", '"redis://127.0.0.1"'],
    [{ get: () => undefined }, "an object"],
  ])("refuses what is no store, and says what is one: %o", async (kvInstance, shown) => {
    const make = (): unknown => createKvstore({ kvInstance: kvInstance as StoreClient, kvPrefix: "CF" });
    expect(make).toThrow(ValueError);
    expect(make).toThrow(
      `kvInstance: ${shown} is not a key/value store: a client or cluster client of ioredis`,
    );
    const copying = copyIntoKvstore(await smallTable(), {
      kvInstance: kvInstance as StoreClient,
      kvPrefix: "CF",
    });
    await expect(copying).rejects.toBeInstanceOf(ValueError);
  });

  it("refuses a prefix that is no string", async () => {
    const make = (): unknown => createKvstore({ kvInstance: new Map(), kvPrefix: undefined });
    expect(make).toThrow('kvPrefix: undefined is not a string, such as "CF"');
    const options = { kvInstance: new Map(), kvPrefix: 5 as unknown as string };
    await expect(copyIntoKvstore(await smallTable(), options)).rejects.toBeInstanceOf(ValueError);
  });

  it("takes the empty prefix, as pyhamtools does", async () => {
    const kvInstance: StoreMap = new Map();
    await copyIntoKvstore(await smallTable(), { kvInstance, kvPrefix: "" });
    expect([...kvInstance.keys()].every((key) => /^_(?:call_ex|prefix|entity|generation)/.test(key))).toBe(
      true,
    );
    const kvstore = createKvstore({ kvInstance, kvPrefix: "" });
    expect(await kvstore.identify("W6AA", AT)).toMatchObject({ record: { cqz: 3 } });
  });

  it("reads again after a copy between index and records", async () => {
    const map: StoreMap = new Map();
    await copyIntoKvstore(smallLogXml(), { kvInstance: map, kvPrefix: "P" });
    const country = await smallTable();
    let copies = 0;
    const kvInstance = otherStore(map, {
      async sets(keys) {
        const sets = await createMapStore(map).sets(keys);
        if (copies++ === 0) await copyIntoKvstore(country, { kvInstance: map, kvPrefix: "P" });
        return sets;
      },
    });
    const answer = await createKvstore({ kvInstance, kvPrefix: "P" }).identify("KL7FQR", AT);
    expect(withoutSource(answer)).toEqual(withoutSource(identifyAt("KL7FQR", country, AT)));
    expect(copies).toBeGreaterThan(1);
  });

  it("fails after several concurrent copies", async () => {
    const map: StoreMap = new Map();
    const country = await smallTable();
    await copyIntoKvstore(country, { kvInstance: map, kvPrefix: "P" });
    const kvInstance = otherStore(map, {
      async sets(keys) {
        await copyIntoKvstore(country, { kvInstance: map, kvPrefix: "P" });
        return createMapStore(map).sets(keys);
      },
    });
    const asking = createKvstore({ kvInstance, kvPrefix: "P" }).identify("W6AA", AT);
    await expect(asking).rejects.toThrow("another store: concurrent copies kept changing the data set");
  });

  it("reads the whitelists again after a copy", async () => {
    const kvInstance: StoreMap = new Map();
    const kvstore = createKvstore({ kvInstance, kvPrefix: "P" });
    await copyIntoKvstore(await smallTable(), { kvInstance, kvPrefix: "P" });
    expect(await kvstore.identify("KH4AB", AT)).not.toHaveProperty("needsEntry");
    await copyIntoKvstore(smallLogXml(), { kvInstance, kvPrefix: "P" });
    expect(await kvstore.identify("KH4AB", AT)).toMatchObject({ needsEntry: true });
  });

  it("reads many callsigns in few requests", async () => {
    const map: StoreMap = new Map();
    await copyIntoKvstore(await smallTable(), { kvInstance: map, kvPrefix: "P" });
    let questions = 0;
    const kvInstance = otherStore(map, {
      async sets(keys) {
        questions++;
        expect(keys.length).toBeLessThan(300);
        return createMapStore(map).sets(keys);
      },
    });
    const kvstore = createKvstore({ kvInstance, kvPrefix: "P" });
    const queries = Array.from({ length: 500 }, (_, index) => ({ callsign: `W6A${index}`, at: AT }));
    const answers = await kvstore.identifyMany(queries);
    expect(answers.every((answer) => answer.kind === "identified" && answer.record.cqz === 3)).toBe(true);
    expect(questions).toBeLessThan(30);
  });

  it("names the failed store, and works again afterwards", async () => {
    const map: StoreMap = new Map();
    await copyIntoKvstore(await smallTable(), { kvInstance: map, kvPrefix: "P" });
    const cause = new Error("connection lost");
    let isBroken = true;
    const kvInstance = otherStore(map, {
      texts: async (keys) => (isBroken ? Promise.reject(cause) : createMapStore(map).texts(keys)),
    });
    const kvstore = createKvstore({ kvInstance, kvPrefix: "P" });
    const asking = kvstore.identify("W6AA", AT);
    await expect(asking).rejects.toMatchObject({
      code: "io/failed",
      resource: "another store",
      message: "another store: the store failed: connection lost",
      cause,
    });
    await expect(kvstore.entity(230)).rejects.toBeInstanceOf(IOError);
    isBroken = false;
    expect(await kvstore.identify("W6AA", AT)).toMatchObject({ record: { cqz: 3 } });
    expect(await kvstore.entity(230)).toMatchObject({ prefix: "DL" });
  });

  it("has a time limit", async () => {
    const silent = otherStore(new Map(), { texts: () => new Promise(() => undefined) });
    const kvstore = createKvstore({ kvInstance: silent, kvPrefix: "P", timeoutMs: 20 });
    await expect(kvstore.identify("W6AA", AT)).rejects.toBeInstanceOf(TimeoutError);
    await expect(kvstore.entity(230)).rejects.toThrow("another store: no answer for 20 ms");
  });

  it("aborts a copy after its time limit", async () => {
    let told: AbortSignal | undefined;
    const silent = otherStore(new Map(), {
      replace(_, signal) {
        told = signal;
        return new Promise(() => undefined);
      },
    });
    const options = { kvInstance: silent, kvPrefix: "P", timeoutMs: 20 };
    await expect(copyIntoKvstore(await smallTable(), options)).rejects.toBeInstanceOf(TimeoutError);
    expect(told?.aborted).toBe(true);
  });

  it("returns frozen records", async () => {
    const kvInstance: StoreMap = new Map();
    await copyIntoKvstore(await smallTable(), { kvInstance, kvPrefix: "P" });
    const kvstore = createKvstore({ kvInstance, kvPrefix: "P" });
    expect(Object.isFrozen(await kvstore.prefix("DL", AT))).toBe(true);
    expect(Object.isFrozen(await kvstore.entity(230))).toBe(true);
  });
});

describe.runIf(hasGolden)("recorded callsigns", () => {
  async function differing(table: TableSource, queries: readonly { callsign: string; at: number }[]) {
    const kvInstance = new Map();
    await copyIntoKvstore(table, { kvInstance, kvPrefix: "P" });
    const answers = await createKvstore({ kvInstance, kvPrefix: "P" }).identifyMany(queries);
    return queries.filter(({ callsign, at }, index) => {
      const [answer, inMemory] = [answers[index], identifyAt(callsign, table, at)];
      return !answer || !isDeepStrictEqual(withoutSource(answer), withoutSource(inMemory));
    });
  }

  it("are answered from a store as from memory: country file", async () => {
    const table = await createCountryFile(readFileSync(dataPath("cty-2023-05.plist")));
    const rows = goldenRows<{ call?: string | null }>("callinfo");
    const queries = rows.flatMap(({ call }) =>
      typeof call !== "string" ? [] : [{ callsign: call, at: AT }],
    );
    expect(queries.length).toBeGreaterThan(88_000);
    expect(await differing(table, queries)).toEqual([]);
  });

  it("are answered from a store as from memory: log XML", async () => {
    const table = createLogXml(readFileSync(dataPath("clublog-cty-2014-04-12.xml")));
    const rows = goldenRows<{ call?: string | null; ts?: string }>("clublogxml");
    const queries = rows.flatMap(({ call, ts }) =>
      typeof call !== "string" || ts === undefined ? [] : [{ callsign: call, at: Date.parse(ts) }],
    );
    expect(queries.length).toBeGreaterThan(2500);
    expect(await differing(table, queries)).toEqual([]);
  });
});
