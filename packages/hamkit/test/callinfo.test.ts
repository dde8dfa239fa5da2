import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

import { Callinfo } from "../src/callinfo.js";
import { CallsignError, KeyError, ValueError } from "../src/errors.js";
import { LookupLib } from "../src/lookuplib.js";
import type { ServiceSource } from "../src/lookup/source.js";
import { SMALL_FILE } from "./fixtures/small-table.js";

const info = new Callinfo(new LookupLib({ filename: fileURLToPath(SMALL_FILE) }));
const AT = new Date("2024-01-01T00:00:00Z");

/** A source whose records have this continent. Callbooks have whatever their users typed. */
function withContinent(continent: string | undefined): Callinfo<object> {
  const service: ServiceSource<object, object> = {
    kind: "service",
    name: "elsewhere",
    identify: async (match) => ({
      kind: "identified",
      record: { country: "GERMANY", continent },
      matchedBy: "service",
      match,
      source: "elsewhere",
    }),
  };
  return new Callinfo({ source: async () => service });
}

describe("Callinfo", () => {
  it("returns the whole record of the source", async () => {
    expect(await info.getAll("HC2/DH1TW", AT)).toEqual({
      country: "Ecuador",
      adif: 120,
      cqz: 10,
      ituz: 12,
      continent: "SA",
      latitude: -1.4,
      longitude: -78.4,
    });
  });

  it("returns each field", async () => {
    expect(await info.getAdifId("DH1TW")).toBe(230);
    expect(await info.getContinent("DH1TW")).toBe("EU");
    expect(await info.getCountryName("DH1TW")).toBe("Fed. Rep. of Germany");
    expect(await info.getCqz("W1AW/6")).toBe(3);
    expect(await info.getItuz("W1AW/6")).toBe(6);
    expect(await info.getLatLong("DH1TW")).toEqual({ latitude: 51, longitude: 10 });
  });

  it("gives stations at sea and in the air their codes, with zones and the right spelling, as the peer doesn't", async () => {
    const nowhere = { continent: "", latitude: 0, longitude: 0, cqz: 0, ituz: 0 };
    expect(await info.getAll("DH1TW/MM")).toEqual({ ...nowhere, country: "MARITIME MOBILE", adif: 999 });
    expect(await info.getAll("DH1TW/am")).toEqual({ ...nowhere, country: "AIRCRAFT MOBILE", adif: 998 });
    expect(await info.getItuz("DH1TW/MM")).toBe(0);
  });

  it("returns copies of its records (results-are-the-caller-s-own)", async () => {
    for (const callsign of ["DH1TW", "DH1TW/MM", "KL7FQR"]) {
      const before = await info.getAll(callsign);
      const record = { ...before };
      (before as { country: string }).country = "changed";
      expect(await info.getAll(callsign)).toEqual(record);
    }
  });

  it("validates callsigns by the source", async () => {
    expect(await info.isValidCallsign("DH1TW")).toBe(true);
    expect(await info.isValidCallsign("QQ1ABC")).toBe(false);
    expect(await info.isValidCallsign("")).toBe(false);
  });

  it("throws a KeyError for an unknown callsign, and warns the logger", async () => {
    const messages: string[] = [];
    const logging = new Callinfo(new LookupLib({ filename: fileURLToPath(SMALL_FILE) }), {
      warn: (message) => messages.push(message),
    });
    const failure: unknown = await logging.getAll("QQ1ABC").catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(KeyError);
    expect(failure).toMatchObject({ code: "lookup/no-match", key: "QQ1ABC" });
    expect(messages).toEqual(['callsign "QQ1ABC" is not known at that time']);
    await expect(info.getCqz("QQ1ABC")).rejects.toBeInstanceOf(KeyError);
  });

  it.each([
    ["null", null],
    ["a number", 5],
    ["undefined", undefined],
    ["bytes", new Uint8Array([68])],
    ["an array", ["DH1TW"]],
  ])("throws a TypeError for a callsign that is %s", async (_, value: unknown) => {
    const callsign = value as string;
    await expect(info.getAll(callsign)).rejects.toBeInstanceOf(TypeError);
    await expect(info.isValidCallsign(callsign)).rejects.toBeInstanceOf(TypeError);
    expect(() => Callinfo.getHomecall(callsign)).toThrow(TypeError);
  });

  it.each([
    ["an invalid date", new Date("never")],
    ["text", "2024-01-01"],
    ["a number", 0],
  ])("throws a ValueError for a timestamp that is %s", async (_, timestamp) => {
    await expect(info.getAll("DH1TW", timestamp as Date)).rejects.toBeInstanceOf(ValueError);
  });

  it("finds the home call without any data", () => {
    expect(Callinfo.getHomecall("HC2/DH1TW/P")).toBe("DH1TW");
    expect(() => Callinfo.getHomecall("QRZ?")).toThrow(CallsignError);
    expect(() => Callinfo.getHomecall("QRZ?")).toThrow(ValueError);
  });

  it("needs a source", () => {
    expect(() => new Callinfo(undefined as unknown as LookupLib)).toThrow(TypeError);
    expect(() => new Callinfo({} as LookupLib)).toThrow(TypeError);
  });

  it("answers many callsigns in their order, each at its own time or at that of all", async () => {
    const asked: unknown[] = [];
    const service: ServiceSource = {
      kind: "service",
      name: "elsewhere",
      identify: () => expect.fail("asked one by one"),
      async identifyMany(queries) {
        asked.push(...queries.map(({ callsign, at }) => [callsign, new Date(at).toISOString()]));
        return queries.map(() => ({ kind: "unknown" }));
      },
    };
    const remote = new Callinfo({ source: async () => service });
    const timestamp = new Date("1990-05-06T07:08:09Z");
    const queries = new Set(["DH1TW", { callsign: "W1AW", timestamp }, { callsign: "9H1XYZ" }]);
    expect(await remote.identifyMany(queries, AT)).toHaveLength(3);
    expect(asked).toEqual([
      ["DH1TW", "2024-01-01T00:00:00.000Z"],
      ["W1AW", "1990-05-06T07:08:09.000Z"],
      ["9H1XYZ", "2024-01-01T00:00:00.000Z"],
    ]);
  });

  it("answers many callsigns from a table as it does one", async () => {
    const calls = ["HC2/DH1TW", "QQ1ABC", "DH1TW/MM", ""];
    const answers = await info.identifyMany(calls, AT);
    expect(answers).toEqual(await Promise.all(calls.map((call) => info.identify(call, AT))));
    expect(answers.map(({ kind }) => kind)).toEqual(["identified", "unknown", "identified", "unknown"]);
    expect(await info.identifyMany([])).toEqual([]);
  });

  it.each([
    ["a string", "DH1TW"],
    ["null", null],
    ["an object", { callsign: "DH1TW" }],
    ["an array with a number", ["DH1TW", 5]],
    ["an array with null", [null]],
    ["an array with an empty object", [{}]],
  ])("throws a TypeError for many callsigns that are %s", async (_, queries) => {
    await expect(info.identifyMany(queries as string[])).rejects.toBeInstanceOf(TypeError);
  });

  it("throws a ValueError for a wrong timestamp of one of many", async () => {
    const queries = [{ callsign: "DH1TW", timestamp: new Date("never") }];
    await expect(info.identifyMany(queries)).rejects.toThrow("timestamp: an invalid Date");
    await expect(info.identifyMany([], "2024" as unknown as Date)).rejects.toBeInstanceOf(ValueError);
  });

  it("identifies callsigns by a service", async () => {
    const asked: unknown[] = [];
    const service: ServiceSource = {
      kind: "service",
      name: "elsewhere",
      identify: async (callsign, at) => {
        asked.push([callsign, at]);
        return callsign === "BAD1CALL" ? { kind: "invalid-operation" } : { kind: "unknown" };
      },
    };
    const remote = new Callinfo({ source: async () => service });
    await expect(remote.getAll("BAD1CALL", AT)).rejects.toThrow("was an invalid operation");
    await expect(remote.getAll("DH1TW", AT)).rejects.toThrow("is not known");
    expect(asked).toEqual([
      ["BAD1CALL", AT.getTime()],
      ["DH1TW", AT.getTime()],
    ]);
  });

  it.each([
    ["EU", "EU"],
    ["", ""],
  ])("returns the continent %j of a record", async (continent, expected) => {
    expect(await withContinent(continent).getContinent("DH1TW")).toBe(expected);
  });

  it.each(["Europe", "eu", " ", undefined])(
    "throws a KeyError for a continent that is none: %j",
    async (continent) => {
      await expect(withContinent(continent).getContinent("DH1TW")).rejects.toThrow("no continent");
    },
  );

  it("throws a KeyError for ITU zones where the source has none", async () => {
    const record = {
      country: "GERMANY",
      adif: 230,
      continent: "EU",
      latitude: 51,
      longitude: 10,
      cqz: 14,
    } as const;
    const service: ServiceSource = {
      kind: "service",
      name: "elsewhere",
      identify: async () => ({
        kind: "identified",
        record,
        matchedBy: "prefix",
        match: "DL",
        source: "elsewhere",
      }),
    };
    const remote = new Callinfo({ source: async () => service });
    expect(await remote.getCqz("DH1TW")).toBe(14);
    await expect(remote.getItuz("DH1TW")).rejects.toThrow("no ituz");
  });
});
