import { fileURLToPath } from "node:url";

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { Callinfo } from "../src/callinfo.js";
import { ArgumentTypeError, KeyError } from "../src/errors.js";
import { calculateSunriseSunset, sunPosition } from "../src/locator.js";
import { annotateLog, readLog } from "../src/logs.js";
import {
  copyIntoKvstore,
  createCountryFile,
  identify,
  identifyMany,
  type TableSource,
} from "../src/lookup.js";
import { LookupLib } from "../src/lookuplib.js";
import { drawMap } from "../src/map.js";
import { annotateSpot, decodeSpot } from "../src/spots.js";
import { SMALL_FILE, smallTable } from "./fixtures/small-table.js";

const NOW = new Date("2024-06-30T12:00:00Z");
const lookup = new LookupLib({ filename: fileURLToPath(SMALL_FILE) });
const info = new Callinfo(lookup);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("null for an optional date counts as left out", () => {
  it("in sun times and the position of the sun", () => {
    expect(calculateSunriseSunset("JN48QM", null)).toEqual(calculateSunriseSunset("JN48QM", NOW));
    expect(sunPosition("JN48QM", null)).toEqual(sunPosition("JN48QM", NOW));
  });

  it("in every method of Callinfo", async () => {
    expect(await info.getAll("DH1TW", null)).toEqual(await info.getAll("DH1TW", NOW));
    expect(await info.getAdifId("DH1TW", null)).toBe(230);
    expect(await info.getContinent("DH1TW", null)).toBe("EU");
    expect(await info.getCountryName("DH1TW", null)).toBe("Fed. Rep. of Germany");
    expect(await info.getCqz("DH1TW", null)).toBe(14);
    expect(await info.getItuz("DH1TW", null)).toBe(28);
    expect(await info.getLatLong("DH1TW", null)).toEqual(await info.getLatLong("DH1TW", NOW));
    expect(await info.isValidCallsign("DH1TW", null)).toBe(true);
    expect(await info.identify("DH1TW", null)).toMatchObject({ kind: "identified" });
    // The query's own null is the moment of the whole call, here before the islands had prefixes of their own.
    const past = new Date("2001-06-30");
    const [own] = await info.identifyMany([{ callsign: "VK9NXA", timestamp: null }], past);
    expect(own).toEqual(await info.identify("VK9NXA", past));
    expect(await info.identifyMany(["DH1TW"], null)).toEqual(await info.identifyMany(["DH1TW"], NOW));
  });

  it("in every method of LookupLib", async () => {
    expect((await lookup.lookupPrefix("DL", null)).adif).toBe(230);
    await expect(lookup.lookupCallsign("DH1TW", null)).rejects.toThrow('no entry for callsign "DH1TW"');
    await expect(lookup.isInvalidOperation("DH1TW", null)).rejects.toMatchObject({
      code: "lookup/unsupported",
    });
    await expect(lookup.lookupZoneException("DH1TW", null)).rejects.toMatchObject({
      code: "lookup/unsupported",
    });
  });

  it("in options", async () => {
    const table = await smallTable();
    expect(identify("DH1TW", { table, at: null })).toEqual(identify("DH1TW", { table, at: NOW }));
    expect(identifyMany(["DH1TW"], { table, at: null })).toMatchObject([{ kind: "identified" }]);
    const line = "DX de DH1TW:     14005.3  VK9XX        up 2                           1201Z";
    expect(decodeSpot(line, { now: null })).toEqual(decodeSpot(line, { now: NOW }));
    const log = await readLog("<CALL:4>W1AW<EOR>");
    expect(annotateLog(log, { table, now: null })).toEqual(annotateLog(log, { table, now: NOW }));
    expect(await drawMap({ from: "JN48QM", date: null })).toBe(await drawMap({ from: "JN48QM" }));
  });
});

describe("a lookup that a type does not offer", () => {
  it("is a KeyError without a key", async () => {
    const failure: unknown = await lookup.lookupEntity(230).catch((error: unknown) => error);
    expect(failure).not.toBeInstanceOf(Error);
    const refused: unknown = await lookup.isInvalidOperation("DH1TW").catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(KeyError);
    expect(refused).toMatchObject({ name: "UnsupportedLookupError", key: undefined });
  });
});

describe("a table that was not awaited", () => {
  const promise = createCountryFile("") as unknown as TableSource;
  (promise as unknown as Promise<unknown>).catch(() => {});

  it("is refused with the advice to await it, wherever a table is taken", async () => {
    const log = await readLog("<CALL:4>W1AW<EOR>");
    const spot = decodeSpot("DX de DH1TW:     14005.3  VK9XX        up 2                  1201Z");
    const message =
      "table: an object is not a table, such as a loaded country file; it is a promise: await it";
    for (const use of [
      () => identify("DH1TW", { table: promise }),
      () => identifyMany(["DH1TW"], { table: promise }),
      () => annotateLog(log, { table: promise }),
      () => (spot.kind === "spot" ? annotateSpot(spot, { table: promise }) : undefined),
    ]) {
      expect(use).toThrow(ArgumentTypeError);
      expect(use).toThrow(message);
    }
    await expect(copyIntoKvstore(promise, { kvInstance: new Map(), kvPrefix: "CF" })).rejects.toThrow(
      message,
    );
  });
});
