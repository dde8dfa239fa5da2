import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

import { Callinfo } from "../src/callinfo.js";
import {
  APIKeyMissingError,
  ArgumentTypeError,
  IOError,
  KeyError,
  UnsupportedLookupError,
  ValueError,
} from "../src/errors.js";
import { LookupLib, type LookupType } from "../src/lookuplib.js";
import { fails, startFileServer } from "./fixtures/file-server.js";
import { SMALL_FILE } from "./fixtures/small-table.js";
import { sourcesWith } from "../src/sources.js";

const filename = fileURLToPath(SMALL_FILE);
const SMALL_LOG = new URL("fixtures/small-log.xml", import.meta.url);

function small(): LookupLib {
  return new LookupLib({ filename });
}

describe("LookupLib", () => {
  it("takes null for a timestamp that is left out", async () => {
    expect(await new LookupLib({ offline: true }).lookupPrefix("DL", null)).toMatchObject({ adif: 230 });
  });

  it("is for country files unless told otherwise, and does no work when constructed", () => {
    expect(new LookupLib().lookuptype).toBe("countryfile");
    expect(() => new LookupLib({ filename: "/no/such/file" })).not.toThrow();
  });

  it("refuses a lookuptype it does not know, and names those it does", () => {
    const make = (): LookupLib => new LookupLib({ lookuptype: "clublog" as LookupType });
    expect(make).toThrow(ValueError);
    expect(make).toThrow('lookuptype: "clublog" is not a lookuptype of this version: countryfile, logxml');
    expect(() => new LookupLib({ lookuptype: "toString" as LookupType })).toThrow(ValueError);
  });

  it.each([null, 5, "countryfile", [null], [5]])("refuses options that are none: %j", (options) => {
    expect(() => new LookupLib(options as object)).toThrow(ArgumentTypeError);
  });

  it("loads once", async () => {
    const lookup = small();
    await lookup.ready();
    expect(await lookup.source()).toBe(await lookup.source());
  });

  it("fails with the file's name where it can't be read, and tries again with the next question", async () => {
    const lookup = new LookupLib({ filename: "/no/such/file" });
    await expect(lookup.ready()).rejects.toThrow("/no/such/file");
    await expect(lookup.lookupPrefix("DL")).rejects.toBeInstanceOf(IOError);
  });

  it("looks up complete calls, with no prefix tried", async () => {
    const lookup = small();
    expect(await lookup.lookupCallsign(" kl7fqr ")).toMatchObject({ country: "United States", cqz: 4 });
    await expect(lookup.lookupCallsign("DH1TW")).rejects.toBeInstanceOf(KeyError);
    await expect(lookup.lookupCallsign("💥")).rejects.toBeInstanceOf(KeyError);
  });

  it("looks up prefixes as they stand", async () => {
    const lookup = small();
    expect(await lookup.lookupPrefix("w6")).toMatchObject({ country: "United States", cqz: 3 });
    await expect(lookup.lookupPrefix("W6AA")).rejects.toMatchObject({ code: "lookup/no-match", key: "W6AA" });
    await expect(lookup.lookupPrefix("")).rejects.toBeInstanceOf(KeyError);
  });

  it("looks up entities (entities-of-country-files)", async () => {
    const lookup = small();
    expect(await lookup.lookupEntity(230)).toMatchObject({
      country: "Fed. Rep. of Germany",
      prefix: "DL",
      deleted: false,
    });
    await expect(lookup.lookupEntity(9999)).rejects.toBeInstanceOf(KeyError);
    await expect(lookup.lookupEntity(Number.NaN)).rejects.toBeInstanceOf(KeyError);
    expect(await lookup.lookupEntity("230")).toMatchObject({ prefix: "DL" });
    await expect(lookup.lookupEntity("DL" as "230")).rejects.toBeInstanceOf(ArgumentTypeError);
    await expect(lookup.lookupEntity(null as unknown as number)).rejects.toBeInstanceOf(ArgumentTypeError);
  });

  it("answers from log XML by the time, lists included", async () => {
    const lookup = new LookupLib({ lookuptype: "logxml", filename: fileURLToPath(SMALL_LOG) });
    expect(lookup.lookuptype).toBe("logxml");
    const in1980 = new Date("1980-01-01");
    expect(await lookup.lookupPrefix("OK", in1980)).toMatchObject({ country: "CZECHOSLOVAKIA", adif: 218 });
    expect(await lookup.lookupPrefix("OK")).toMatchObject({ country: "CZECH REPUBLIC" });
    expect(await lookup.lookupZoneException("VE8EV")).toBe(2);
    expect(await lookup.isInvalidOperation("ve1pirate")).toBe(true);
    await expect(lookup.isInvalidOperation("OK9BAD", in1980)).rejects.toBeInstanceOf(KeyError);
    await expect(lookup.lookupZoneException("VE8AB")).rejects.toBeInstanceOf(KeyError);
  });

  it("does not repeat a refused key, because the service locks out clients that do", async () => {
    const server = await startFileServer();
    server.answers = [fails(403)];
    const cacheDir = mkdtempSync(join(tmpdir(), "hamkit-lookuplib-"));
    const lookup = new LookupLib({ lookuptype: "logxml", apikey: "WRONG", url: server.url, cacheDir });
    await expect(lookup.lookupPrefix("OK")).rejects.toBeInstanceOf(APIKeyMissingError);
    await expect(lookup.lookupCallsign("OK5TWO")).rejects.toBeInstanceOf(APIKeyMissingError);
    expect(server.requests).toHaveLength(1);
    await server.close();
    rmSync(cacheDir, { recursive: true });
  });

  it("asks several sources in their order, and names the one that answered", async () => {
    const lookup = new LookupLib([
      { lookuptype: "logxml", filename: fileURLToPath(SMALL_LOG) },
      { lookuptype: "countryfile", filename },
    ]);
    expect(lookup.lookuptype).toBe("logxml, countryfile");
    const info = new Callinfo(lookup);
    const old = await info.identify("OK1ABC", new Date("1980-01-01"));
    expect(old).toMatchObject({
      record: { adif: 218 },
      source: expect.stringContaining("small-log.xml") as string,
    });
    const now = await info.identify("KL7ABC");
    expect(now).toMatchObject({
      record: { country: "Alaska" },
      source: expect.stringContaining("cty.dat") as string,
    });
    expect(await lookup.lookupZoneException("VE8EV")).toBe(2);
    await expect(lookup.copyDataInKvstore("P", {})).rejects.toBeInstanceOf(UnsupportedLookupError);
    expect(() => new LookupLib([])).toThrow("options: an array is not a list of one database or more");
  });

  it("copies a source into a store, and answers from the store", async () => {
    const store = new Map();
    const log = new LookupLib({ lookuptype: "logxml", filename: fileURLToPath(SMALL_LOG) });
    expect(await log.copyDataInKvstore("CL", store)).toBe(true);
    const options = { filename, kvInstance: store, kvPrefix: "CF" };
    expect(await new LookupLib(options).copyDataInKvstore()).toBe(true);

    const lookup = new LookupLib({ lookuptype: "kvstore", kvInstance: store, kvPrefix: "CL" });
    const in1980 = new Date("1980-01-01");
    expect(await lookup.lookupPrefix("OK", in1980)).toEqual(await log.lookupPrefix("OK", in1980));
    expect(await lookup.lookupCallsign("ok5two")).toEqual(await log.lookupCallsign("OK5TWO"));
    expect(await lookup.lookupEntity(174)).toEqual(await log.lookupEntity(174));
    expect(await lookup.lookupZoneException("VE8EV")).toBe(2);
    expect(await lookup.isInvalidOperation("ve1pirate")).toBe(true);
    await expect(lookup.isInvalidOperation("OK9BAD", in1980)).rejects.toBeInstanceOf(KeyError);
    await expect(lookup.lookupCallsign("DH1TW")).rejects.toBeInstanceOf(KeyError);
    await expect(lookup.copyDataInKvstore("X", store)).rejects.toMatchObject({
      code: "lookup/unsupported",
      supportedBy: sourcesWith("copyDataInKvstore"),
    });

    const country = new LookupLib({ lookuptype: "kvstore", kvInstance: store, kvPrefix: "CF" });
    expect(await country.lookupEntity(230)).toMatchObject({ country: "Fed. Rep. of Germany", prefix: "DL" });
    const info = new Callinfo(country);
    expect(await info.getCqz("W6AA")).toBe(3);
    expect(await info.getItuz("DH1TW")).toBe(28);
    expect(await info.isValidCallsign("QQ0QQ")).toBe(false);
    expect(await new Callinfo(lookup).getAll("VE8EV")).toMatchObject({ cqz: 2 });
  });

  it("refuses invalid stores and prefixes", async () => {
    const ask = (options: object): Promise<unknown> =>
      new LookupLib({ lookuptype: "kvstore", ...options }).lookupPrefix("DL");
    await expect(ask({ kvPrefix: "CF" })).rejects.toThrow("kvInstance: undefined is not a key/value store");
    await expect(ask({ kvInstance: new Map() })).rejects.toThrow("kvPrefix: undefined is not a string");
    await expect(small().copyDataInKvstore("CF", {})).rejects.toBeInstanceOf(ValueError);
    await expect(small().copyDataInKvstore(undefined, new Map())).rejects.toBeInstanceOf(ValueError);
  });

  it("skips a source that can't be loaded, with a warning, as long as another one loads", async () => {
    const warnings: string[] = [];
    const logger = { warn: (message: string) => warnings.push(message) };
    const lookup = new LookupLib([
      { lookuptype: "logxml", filename: "/no/such/file", logger },
      { lookuptype: "countryfile", filename },
    ]);
    expect(await lookup.lookupPrefix("DL")).toMatchObject({ adif: 230 });
    expect(warnings).toEqual([expect.stringContaining("A source is skipped. /no/such/file: ")]);
  });

  it("asks the sources of a list that have the method, and rejects methods that none has", async () => {
    const lookup = new LookupLib([
      { lookuptype: "countryfile", filename },
      { lookuptype: "logxml", filename: fileURLToPath(SMALL_LOG) },
    ]);
    expect(await lookup.lookupZoneException("VE8EV")).toBe(2);
    const services = new LookupLib([{ lookuptype: "logapi" }, { lookuptype: "callbook" }]);
    await expect(services.lookupPrefix("DL")).rejects.toMatchObject({ lookuptype: "logapi, callbook" });
    await expect(lookup.copyDataInKvstore("cty", new Map())).rejects.toThrow(
      "copyDataInKvstore is not offered by countryfile, logxml together; offered by: countryfile, logxml",
    );
  });

  it("falls back to a country file where the log service is out of reach, also for many callsigns", async () => {
    const warnings: string[] = [];
    const logger = { warn: (message: string) => warnings.push(message) };
    const lookup = new LookupLib([
      { lookuptype: "logapi", apikey: "KEY", url: "http://hamkit.invalid/dxcc", logger },
      { lookuptype: "countryfile", filename },
    ]);
    const info = new Callinfo(lookup);
    expect(await info.getCountryName("DH1TW")).toBe("Fed. Rep. of Germany");
    const answers = await info.identifyMany(["DH1TW", "HC2/DH1TW"]);
    expect(answers).toMatchObject([{ record: { adif: 230 } }, { record: { adif: 120 } }]);
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toContain("Club Log is skipped. http://hamkit.invalid/dxcc: the network failed");
  });

  it("refuses callsigns that are no string, and timestamps that are no date", async () => {
    const lookup = small();
    await expect(lookup.lookupCallsign(5 as unknown as string)).rejects.toBeInstanceOf(TypeError);
    await expect(lookup.lookupPrefix(null as unknown as string)).rejects.toBeInstanceOf(TypeError);
    await expect(lookup.lookupCallsign("DH1TW", new Date("never"))).rejects.toBeInstanceOf(ValueError);
    await expect(lookup.lookupPrefix("DL", "2024" as unknown as Date)).rejects.toBeInstanceOf(ValueError);
  });
});
