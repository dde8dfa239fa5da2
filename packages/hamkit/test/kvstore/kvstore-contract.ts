/** What holds for every key/value store, whichever client it is asked through. */
import { readFileSync } from "node:fs";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { identifyAt } from "../../src/lookup/identify.js";
import type { Identification, TableSource } from "../../src/lookup/source.js";
import { copyIntoKvstore } from "../../src/kvstore/kvstore-copy.js";
import { createKvstore, type Kvstore } from "../../src/kvstore/kvstore.js";
import { createLogXml } from "../../src/log-xml/log-xml.js";
import { smallTable } from "../fixtures/small-table.js";

/** A store that is asked by a client under test, and changed and looked into in another way. */
export interface StoreUnderTest {
  readonly client: object;
  put(key: string, text: string): Promise<void>;
  add(key: string, ...members: string[]): Promise<void>;
  /** The keys that begin with a text, sorted. */
  keys(start: string): Promise<string[]>;
  close(): Promise<void>;
}

const AT = Date.UTC(2026, 0, 1);
const IN_1980 = Date.UTC(1980, 0, 1);
const CALLS = [
  "DH1TW",
  "dl1abc/p",
  "W1AW/6",
  "KL7FQR",
  "KL7FQR/B",
  "KG4AA",
  "KG4AAA",
  "3D2/R/DL1ABC",
  "RT9V/W2PE",
  "DH1TW/MM",
  "VE0MM",
  "VE0ABC/P",
  "EL0AB",
  "VK9XO",
  "SWL",
  "1Z9I/B",
  "OK1ABC",
  "OK5TWO",
  "3B8/OK1X",
  "VE8EV",
  "VE1PIRATE",
  "OK9BAD",
  "KH4AB",
  "XE1ABC",
  "no call",
  "",
];

export function smallLogXml(): TableSource {
  return createLogXml(readFileSync(new URL("../fixtures/small-log.xml", import.meta.url)));
}

/** An answer without the name of the source that gave it. */
export function withoutSource(answer: Identification): object {
  return { ...answer, source: undefined };
}

/**
 * @param prefixOf Makes the prefix of a data set of a name; for clusters one with a hash tag.
 */
export function describeKvstore(
  name: string,
  open: () => Promise<StoreUnderTest>,
  prefixOf: (dataSet: string) => string = (dataSet) => dataSet,
): void {
  describe(`a kvstore behind ${name}`, () => {
    let store: StoreUnderTest;
    let country: TableSource;
    let log: TableSource;
    const warnings: string[] = [];
    const copy = (table: TableSource, kvPrefix: string): Promise<void> =>
      copyIntoKvstore(table, { kvInstance: store.client, kvPrefix });
    const asked = (kvPrefix: string): Kvstore =>
      createKvstore({ kvInstance: store.client, kvPrefix, warn: (message) => warnings.push(message) });

    beforeAll(async () => {
      store = await open();
      country = await smallTable();
      log = smallLogXml();
    });
    afterAll(() => store.close());

    it("answers as the copied table does, at any time", async () => {
      for (const [prefix, table] of [
        ["CF", country],
        ["CL", log],
      ] as const) {
        await copy(table, prefixOf(prefix));
        const kvstore = asked(prefixOf(prefix));
        const queries = CALLS.flatMap((callsign) => [AT, IN_1980].map((at) => ({ callsign, at })));
        const answers = await Promise.all(queries.map(({ callsign, at }) => kvstore.identify(callsign, at)));
        const inMemory = queries.map(({ callsign, at }) => identifyAt(callsign, table, at));
        expect(answers.map(withoutSource)).toEqual(inMemory.map(withoutSource));
        expect((await kvstore.identifyMany(queries)).map(withoutSource)).toEqual(inMemory.map(withoutSource));
        expect(new Set(answers.map(({ kind }) => kind)).size).toBeGreaterThan(1);
      }
    });

    it("answers single questions as the copied table does", async () => {
      await copy(log, prefixOf("Q"));
      const kvstore = asked(prefixOf("Q"));
      expect(await kvstore.exact("3B8/OK1X", Date.UTC(2020, 4, 31, 23, 59, 59))).toMatchObject({ adif: 4 });
      expect(await kvstore.exact("3B8/OK1X", Date.UTC(2020, 5, 1))).toBeUndefined();
      expect(await kvstore.prefix("OK", IN_1980)).toMatchObject({ adif: 218 });
      expect(await kvstore.prefix("OK1ABC", IN_1980)).toBeUndefined();
      expect(await kvstore.entity(174)).toEqual(log.entity(174));
      expect(await kvstore.entity(999)).toBeUndefined();
      expect(await kvstore.entity(1.5)).toBeUndefined();
      expect(await kvstore.isInvalidOperation("VE1PIRATE", AT)).toBe(true);
      expect(await kvstore.isInvalidOperation("OK9BAD", IN_1980)).toBe(false);
      expect(await kvstore.zoneException("VE8EV", AT)).toBe(2);
      expect(await kvstore.zoneException("VE8AB", AT)).toBeUndefined();
    });

    it("reports calls that are not on a whitelist, also of data that pyhamtools copied", async () => {
      await store.put(
        `${prefixOf("W")}_prefix_7`,
        '{"country": "MIDWAY ISLAND", "adif": "174", "cqz": "31", "continent": "OC", "longitude": "-177.4", "latitude": "28.2"}',
      );
      await store.add(`${prefixOf("W")}_prefix_index_KH4`, "7");
      await store.put(
        `${prefixOf("W")}_entity_174`,
        '{"country": "MIDWAY ISLAND", "prefix": "KH4", "deleted": "False", "cqz": "31", "continent": "OC", ' +
          '"longitude": "-177.4", "latitude": "28.2", "whitelist": "True", "whitelist_start": "1980-01-0100:00:00"}',
      );
      const kvstore = asked(prefixOf("W"));
      expect(await kvstore.identify("KH4AB", IN_1980)).toMatchObject({ needsEntry: true });
      expect(await kvstore.identify("KH4AB", IN_1980 - 1)).not.toHaveProperty("needsEntry");
    });

    it("has no key of old data after a copy (copies-leave-nothing-behind)", async () => {
      const prefix = prefixOf("R");
      await copy(log, prefix);
      const before = await store.keys(`${prefix}_`);
      await store.put(`${prefix}_call_ex_99999`, "{}");
      await store.add(`${prefix}_prefix_index_GONE`, "1");
      await store.put(`${prefix}_entity_777`, "{}");
      await copy(country, prefix);
      const now = await store.keys(`${prefix}_`);
      expect(now).not.toEqual(before);
      expect(now.filter((key) => /inv_op|zone_ex|99999|GONE|777/.test(key))).toEqual([]);
      expect(await asked(prefix).identify("W6AA", AT)).toMatchObject({ record: { cqz: 3 } });
      await copy(log, prefix);
      const withoutNumbers = (keys: readonly string[]): string[] =>
        keys.map((key) => key.replace(/_\d+$/, "")).sort();
      expect(withoutNumbers(await store.keys(`${prefix}_`))).toEqual(withoutNumbers(before));
    });

    it("keeps other data sets and foreign keys with similar names", async () => {
      const prefix = prefixOf("N*[x]?\\");
      const strangers = [
        prefix,
        `${prefix}_`,
        `${prefix}_2_prefix_index_DL`,
        `${prefix}_prefix_index_prefix_index_DL`,
        `${prefix}_prefix_index_X_call_ex_7`,
        `${prefix}_call_ex_12a`,
        `${prefix}_entity_`,
        `${prefix}_generations`,
        `${prefixOf("Nothing x")}_prefix_index_DL`,
      ];
      for (const key of strangers) await store.put(key, "theirs");
      await store.add(`${prefix}_prefix_index_GONE`, "1");
      await copy(country, prefix);
      const keys = new Set([...(await store.keys(prefix)), ...(await store.keys(prefixOf("Nothing")))]);
      expect(strangers.filter((key) => !keys.has(key))).toEqual([]);
      expect(keys.has(`${prefix}_prefix_index_GONE`)).toBe(false);
    });

    it("skips unreadable records, with one warning each (missing-records-are-passed-over)", async () => {
      const prefix = prefixOf("B");
      const good =
        '{"country": "Test", "adif": "230", "cqz": "14", "continent": "EU", "longitude": "10.0", "latitude": "51.0"}';
      const bad = {
        1: "no JSON",
        2: "[]",
        3: good.replace("51.0", "1e400"),
        4: good.replace('"230"', '"two"'),
        5: good.replace("EU", "ZZ"),
        6: good.replace("}", ', "start": "2014-02-3000:00:00"}'),
        7: '{"country": "Test"}',
        8: good.replace("Test", "T".repeat(20_000)),
        9: good.replace('"51.0"', '["51.0"]'),
      };
      for (const [id, text] of Object.entries(bad)) await store.put(`${prefix}_prefix_${id}`, text);
      await store.put(`${prefix}_prefix_20`, good);
      await store.put(`${prefix}_prefix_index_DL1`, "a text in place of a set");
      await store.add(`${prefix}_prefix_index_DL`, "20", "21x", "x", "index_DL1", "", ...Object.keys(bad));
      warnings.length = 0;
      const kvstore = asked(prefix);
      for (let time = 0; time < 2; time++) {
        expect(await kvstore.identify("DL1ABC", AT)).toMatchObject({
          match: "DL",
          record: { country: "Test" },
        });
      }
      expect(warnings.length).toBe(Object.keys(bad).length + 4);
      expect(warnings).toContainEqual(
        expect.stringContaining(
          `${prefix}_prefix_4: expected adif, a whole number from 0 to 999, found "two"`,
        ),
      );
    });

    it("rejects a lookup that needs an evicted record (missing-is-not-unknown)", async () => {
      const prefix = prefixOf("E");
      const record = (land: string): string =>
        `{"country": "${land}", "adif": "281", "cqz": "14", "continent": "EU", "longitude": "-3.7", "latitude": "40.3"}`;
      await store.put(`${prefix}_prefix_1`, record("Spain"));
      await store.add(`${prefix}_prefix_index_EA`, "1");
      await store.add(`${prefix}_prefix_index_EA8`, "2");
      const kvstore = asked(prefix);
      expect(await kvstore.identify("EA1ABC", AT)).toMatchObject({ record: { country: "Spain" } });
      await expect(kvstore.identify("EA8ABC", AT)).rejects.toThrow(
        `a record that ${prefix}_prefix_index_EA8 names is missing`,
      );
      await store.put(`${prefix}_prefix_2`, record("Canary Islands"));
      expect(await kvstore.identify("EA8ABC", AT)).toMatchObject({ record: { country: "Canary Islands" } });
    });

    it("uses the lowest number of several valid records (lowest-number-counts)", async () => {
      const prefix = prefixOf("L");
      const record = (land: string, end = ""): string =>
        `{"country": "${land}", "adif": "1", "cqz": "1", "continent": "EU", "longitude": "0.0", "latitude": "0.0"${end}}`;
      await store.put(`${prefix}_prefix_10`, record("Ten"));
      await store.put(`${prefix}_prefix_9`, record("Nine"));
      await store.put(`${prefix}_prefix_8`, record("Old", ', "end": "1999-12-3123:59:59"'));
      await store.add(`${prefix}_prefix_index_DL`, "10", "9", "8");
      const kvstore = asked(prefix);
      expect(await kvstore.prefix("DL", AT)).toMatchObject({ country: "Nine" });
      expect(await kvstore.prefix("DL", IN_1980)).toMatchObject({ country: "Old" });
    });

    it("skips sets that are too large", async () => {
      const prefix = prefixOf("H");
      await store.add(`${prefix}_prefix_index_DL`, ...Array.from({ length: 2000 }, (_, id) => String(id)));
      warnings.length = 0;
      expect(await asked(prefix).identify("DL1ABC", AT)).toEqual({ kind: "unknown" });
      expect(warnings).toEqual([expect.stringContaining("2000 records are too many")]);
    });

    it("finds main prefixes that pyhamtools stores with a small letter (small-letters-in-keys)", async () => {
      const prefix = prefixOf("S");
      await store.put(
        `${prefix}_prefix_5`,
        '{"country": "ROTUMA", "adif": "460", "cqz": "32", "continent": "OC", "longitude": "177.1", "latitude": "-12.5"}',
      );
      await store.add(`${prefix}_prefix_index_3D2/r`, "5");
      expect(await asked(prefix).identify("3D2/R/DL1ABC", AT)).toMatchObject({ match: "3D2/R" });
      expect(await asked(prefix).prefix("3D2/R", AT)).toMatchObject({ adif: 460 });
    });

    it("keeps one of several concurrent copies, complete", async () => {
      const prefix = prefixOf("M");
      await Promise.all([copy(country, prefix), copy(log, prefix), copy(country, prefix), copy(log, prefix)]);
      const keys = await store.keys(`${prefix}_`);
      await copy(country, prefixOf("M2"));
      await copy(log, prefixOf("M3"));
      const sizes = [await store.keys(`${prefixOf("M2")}_`), await store.keys(`${prefixOf("M3")}_`)];
      expect(sizes.map(({ length }) => length)).toContain(keys.length);
    });

    it("rejects lookups under a prefix without data (missing-is-not-unknown)", async () => {
      const kvstore = asked(prefixOf("nothing"));
      const reason = `no data set has been copied to keys that begin with ${prefixOf("nothing")}_`;
      await expect(kvstore.identify("DH1TW", AT)).rejects.toThrow(reason);
      await expect(kvstore.entity(230)).rejects.toThrow(reason);
      await copy(country, prefixOf("nothing"));
      expect(await kvstore.identify("QQ0QQ", AT)).toEqual({ kind: "unknown" });
      expect(await kvstore.entity(999)).toBeUndefined();
    });
  });
}
