import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

import { ArgumentTypeError, IOError, KeyError, UnsupportedLookupError, ValueError } from "../src/errors.js";
import { LookupLib, type LookupType } from "../src/lookuplib.js";
import { SMALL_FILE } from "./fixtures/small-table.js";

const filename = fileURLToPath(SMALL_FILE);

function small(): LookupLib {
  return new LookupLib({ filename });
}

describe("LookupLib", () => {
  it("is for country files unless told otherwise, and does no work when constructed", () => {
    expect(new LookupLib().lookuptype).toBe("countryfile");
    expect(() => new LookupLib({ filename: "/no/such/file" })).not.toThrow();
  });

  it("refuses a lookuptype it does not know, and names those it does", () => {
    const make = (): LookupLib => new LookupLib({ lookuptype: "clublog" as LookupType });
    expect(make).toThrow(ValueError);
    expect(make).toThrow('lookuptype: "clublog" is not a lookuptype of this version: countryfile');
    expect(() => new LookupLib({ lookuptype: "toString" as LookupType })).toThrow(ValueError);
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

  it("looks up entities", async () => {
    const lookup = small();
    expect(await lookup.lookupEntity(230)).toMatchObject({
      country: "Fed. Rep. of Germany",
      prefix: "DL",
      deleted: false,
    });
    await expect(lookup.lookupEntity(9999)).rejects.toBeInstanceOf(KeyError);
    await expect(lookup.lookupEntity(Number.NaN)).rejects.toBeInstanceOf(KeyError);
    await expect(lookup.lookupEntity("230" as unknown as number)).rejects.toBeInstanceOf(ArgumentTypeError);
  });

  it("hands out records of the caller's own", async () => {
    const lookup = small();
    const record = (await lookup.lookupPrefix("DL")) as { cqz: number };
    record.cqz = 99;
    expect(await lookup.lookupPrefix("DL")).toMatchObject({ cqz: 14 });
    const entity = (await lookup.lookupEntity(230)) as { cqz: number };
    entity.cqz = 99;
    expect(await lookup.lookupEntity(230)).toMatchObject({ cqz: 14 });
  });

  it.each([
    ["isInvalidOperation", (lookup: LookupLib) => lookup.isInvalidOperation("DH1TW")],
    ["lookupZoneException", (lookup: LookupLib) => lookup.lookupZoneException("DH1TW")],
    ["copyDataInKvstore", (lookup: LookupLib) => lookup.copyDataInKvstore("cty", {})],
  ])("rejects what a country file does not offer, naming method and type: %s", async (method, ask) => {
    await expect(ask(small())).rejects.toMatchObject({
      code: "lookup/unsupported",
      method,
      lookuptype: "countryfile",
      message: expect.stringContaining(`${method} is not offered by lookuptype "countryfile"`),
    });
    await expect(ask(small())).rejects.toBeInstanceOf(UnsupportedLookupError);
  });

  it("refuses callsigns that are no string, and timestamps that are no date", async () => {
    const lookup = small();
    await expect(lookup.lookupCallsign(5 as unknown as string)).rejects.toBeInstanceOf(TypeError);
    await expect(lookup.lookupPrefix(null as unknown as string)).rejects.toBeInstanceOf(TypeError);
    await expect(lookup.lookupCallsign("DH1TW", new Date("never"))).rejects.toBeInstanceOf(ValueError);
    await expect(lookup.lookupPrefix("DL", "2024" as unknown as Date)).rejects.toBeInstanceOf(ValueError);
  });
});
