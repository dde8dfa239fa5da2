import { readFileSync } from "node:fs";

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { EntityEntry, TableEntry, TableSource } from "../../src/lookup/source.js";
import type { CallsignRecord } from "../../src/lookup/record.js";
import { createCountryFile } from "../../src/country-file/country-file.js";
import { dataSetOf } from "../../src/kvstore/kvstore-copy.js";
import { keyNamesOf } from "../../src/kvstore/kvstore-layout.js";
import {
  readEntity,
  readRecord,
  readZoneException,
  writeEntity,
  writeRecord,
  writeZoneException,
} from "../../src/kvstore/kvstore-record.js";
import { createLogXml } from "../../src/log-xml/log-xml.js";
import { smallTable } from "../fixtures/small-table.js";
import { dataPath, goldenRows, hasGolden } from "../golden.js";
import { smallLogXml } from "./kvstore-contract.js";

const names = keyNamesOf("P");

const numbers = fc.record({
  adif: fc.integer({ min: 0, max: 999 }),
  cqz: fc.integer({ min: 0, max: 40 }),
  continent: fc.constantFrom("EU", "NA", "SA", "AS", "AF", "OC", "AN"),
  // -0 comes back as 0.
  latitude: fc.double({ min: -90, max: 90, noNaN: true }).map((value) => value + 0),
  longitude: fc.double({ min: -180, max: 180, noNaN: true }).map((value) => value + 0),
  country: fc.string({ minLength: 1, unit: "binary" }).filter((text) => text.trim() !== ""),
});
const seconds = fc
  .integer({ min: Date.UTC(1900, 0) / 1000, max: Date.UTC(9999, 0) / 1000 })
  .map((value) => value * 1000);
const periods = fc.record({ start: seconds, end: seconds }, { requiredKeys: [] });

describe("records of a store", () => {
  it("are read as they were written", () => {
    fc.assert(
      fc.property(
        numbers,
        periods,
        fc.option(fc.integer({ min: 0, max: 90 }), { nil: undefined }),
        (facts, period, ituz) => {
          const value = { ...facts, ...(ituz !== undefined && { ituz }) } as CallsignRecord;
          expect(readRecord(writeRecord({ value, ...period }))).toEqual({ value, ...period });
        },
      ),
    );
    fc.assert(
      fc.property(
        numbers,
        periods,
        fc.option(periods, { nil: undefined }),
        fc.boolean(),
        (facts, period, whitelist, deleted) => {
          const { adif, ...others } = facts;
          const record = { ...others, deleted, prefix: "P1" } as EntityEntry["record"];
          const entry = { record, ...period, ...(whitelist && { whitelist }) };
          expect(readEntity(writeEntity({ adif, ...entry }))).toEqual(entry);
        },
      ),
    );
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40 }), periods, (value, period) => {
        expect(readZoneException(writeZoneException({ value, ...period }))).toEqual({ value, ...period });
      }),
    );
  });

  it("are never a crash, whatever is in them", () => {
    const values = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.constant(null),
      fc.constant("True"),
      fc.constant([]),
    );
    const keys = fc.constantFrom(
      "country",
      "adif",
      "cqz",
      "ituz",
      "latitude",
      "start",
      "whitelist",
      "__proto__",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.dictionary(keys, values).map((o) => JSON.stringify(o)),
        ),
        (text) => {
          for (const read of [readRecord, readEntity, readZoneException])
            expect(read(text)).toBeTypeOf("object");
        },
      ),
    );
  });
});

describe("a data set", () => {
  it("of a country file counts its records from 0, calls and prefixes apart", async () => {
    const { texts, sets } = dataSetOf(await smallTable(), names);
    const ids = (section: string): number[] =>
      [...texts.keys()]
        .filter((key) => key.startsWith(`P_${section}_`))
        .map((key) => Number(key.replace(`P_${section}_`, "")));
    expect(ids("call_ex")).toEqual(ids("call_ex").map((_, index) => index));
    expect(ids("prefix")).toEqual(ids("prefix").map((_, index) => index));
    expect([...texts.keys()].some((key) => /inv_op|zone_ex/.test(key))).toBe(false);
    expect(texts.get(`P_prefix_${sets.get("P_prefix_index_DL")?.[0]}`)).toBe(
      '{"country": "Fed. Rep. of Germany", "adif": "230", "cqz": "14", "ituz": "28", "continent": "EU", ' +
        '"latitude": "51.0", "longitude": "10.0"}',
    );
    expect(texts.get("P_entity_230")).toBe(
      '{"country": "Fed. Rep. of Germany", "prefix": "DL", "deleted": "False", "cqz": "14", "continent": "EU", ' +
        '"longitude": "10.0", "latitude": "51.0"}',
    );
  });

  it("of log XML has the record numbers of the file", () => {
    const { texts, sets } = dataSetOf(smallLogXml(), names);
    expect(sets.get("P_call_ex_index_3B8/OK1X")).toEqual(["7"]);
    expect(texts.get("P_call_ex_7")).toBe(
      '{"country": "AGALEGA & ST BRANDON ISLANDS", "adif": "4", "cqz": "39", "continent": "AF", "longitude": "56.6", ' +
        '"latitude": "-10.4", "start": "2020-05-0100:00:00", "end": "2020-05-3123:59:59"}',
    );
    expect(texts.get("P_entity_174")).toBe(
      '{"country": "MIDWAY ISLAND", "prefix": "KH4", "deleted": "False", "cqz": "31", "continent": "OC", ' +
        '"longitude": "-177.4", "latitude": "28.2", "start": "1945-11-1500:00:00", "whitelist": "True", ' +
        '"whitelist_start": "1980-01-0100:00:00"}',
    );
    expect([...texts].filter(([key]) => key.includes("inv_op"))).not.toEqual([]);
  });

  it("gives entries without a number, or with that of another, the numbers behind the highest", () => {
    const value: CallsignRecord = {
      country: "X",
      adif: 1,
      continent: "EU",
      latitude: 0,
      longitude: 0,
      cqz: 1,
    };
    const entries: TableEntry<CallsignRecord>[] = [
      { key: "A", value, id: 7 },
      { key: "B", value },
      { key: "C", value, id: 7 },
      { key: "D", value, id: 2 },
    ];
    const content = { calls: entries, prefixes: [], entities: [] };
    const table = { content: () => content } as unknown as TableSource;
    const { sets } = dataSetOf(table, names);
    expect([...sets.values()].flat()).toEqual(["7", "8", "9", "2"]);
    expect([...dataSetOf(table, names).numberedFrom(20).sets.values()].flat()).toEqual([
      "7",
      "20",
      "21",
      "2",
    ]);
  });

  it("names its keys so that none can be another data set's", () => {
    const { owns, idOf } = keyNamesOf("CF");
    const own = [
      "CF_call_ex_index_W1AW/6",
      "CF_prefix_0",
      "CF_inv_op_index_",
      "CF_zone_ex_12",
      "CF_entity_230",
    ];
    expect([...own, "CF_generation"].filter((key) => !owns(key))).toEqual([]);
    const others = [
      "CF",
      "CF_",
      "CF_2_prefix_1",
      "CF_prefix_index_prefix_1",
      "CF_prefix_x",
      "XCF_prefix_1",
      "CF_copying",
    ];
    expect(others.filter((key) => owns(key))).toEqual([]);
    expect(own.map((key) => idOf(key))).toEqual([undefined, 0, undefined, 12, undefined]);
  });
});

interface SampleRow {
  readonly key: string;
  readonly type: "string" | "set";
  readonly value: string | string[];
}

describe.runIf(hasGolden)("the peer's recorded store", () => {
  const rows = hasGolden ? goldenRows<SampleRow>("redis_sample") : [];

  it("has the same keys and values for log XML, letter for letter", () => {
    const { texts, sets } = dataSetOf(
      createLogXml(readFileSync(dataPath("clublog-cty-2014-04-12.xml"))),
      keyNamesOf("CL"),
    );
    const ours = ({ key, type }: SampleRow): unknown =>
      type === "string" ? texts.get(key) : [...(sets.get(key) ?? [])].sort();
    const recorded = rows.filter(({ key }) => key.startsWith("CL_"));
    expect(recorded.length).toBeGreaterThan(60);
    expect(recorded.filter((row) => JSON.stringify(ours(row)) !== JSON.stringify(row.value))).toEqual([]);
  });

  it("has the same records for the country file; prefixes are numbered in another order", async () => {
    const { texts, sets } = dataSetOf(
      await createCountryFile(readFileSync(dataPath("cty-2023-05.plist"))),
      keyNamesOf("CF"),
    );
    const all = new Set(texts.values());
    const isSame = ({ key, value }: SampleRow): boolean => {
      if (key.startsWith("CF_call_ex_index_")) return String(sets.get(key)) === String(value);
      if (key.startsWith("CF_call_ex_")) return texts.get(key) === value;
      return key.startsWith("CF_prefix_index_")
        ? sets.get(key)?.length === value.length
        : all.has(String(value));
    };
    const recorded = rows.filter(({ key }) => key.startsWith("CF_"));
    expect(recorded.length).toBeGreaterThan(15);
    expect(recorded.filter((row) => !isSame(row))).toEqual([]);
  });
});
