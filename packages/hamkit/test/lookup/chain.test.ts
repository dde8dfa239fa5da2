import { describe, expect, it } from "vitest";

import { IOError, KeyError } from "../../src/errors.js";
import { createChain } from "../../src/lookup/chain.js";
import type { Identification, ServiceSource, TableSource } from "../../src/lookup/source.js";
import type { CallsignRecord } from "../../src/lookup/record.js";
import { createListTable, createTable } from "../../src/lookup/table.js";
import { Callinfo } from "../../src/callinfo.js";

const AT = Date.UTC(2024, 0, 1);

function record(country: string): CallsignRecord {
  return Object.freeze({ country, adif: 1, continent: "EU", latitude: 0, longitude: 0, cqz: 14 });
}

function dated(): TableSource {
  const builder = createListTable({ entities: new Map() });
  builder.addPrefix("OK", { value: record("CZECHOSLOVAKIA"), end: Date.UTC(1992, 11, 31) });
  builder.addExact("DL1ABC", { value: record("LISTED"), id: 1 });
  builder.addInvalidOperation("F0BAD", { value: true });
  builder.addZoneException("DL1ABC", { value: 40 });
  return { ...builder.table, name: "dated", date: undefined };
}

function current(): TableSource {
  const entity = {
    deleted: false,
    country: "Germany",
    longitude: 10,
    latitude: 51,
    cqz: 14,
    prefix: "DL",
    continent: "EU",
  } as const;
  const builder = createTable({ entities: new Map([[230, { adif: 230, record: entity }]]) });
  for (const prefix of ["DL", "F", "OK"]) builder.setPrefix(prefix, record(`of ${prefix}`));
  return { ...builder.table, name: "current", date: undefined };
}

function failing(failure: Error): ServiceSource {
  const fail = async (): Promise<never> => {
    throw failure;
  };
  return { kind: "service", name: "broken", identify: fail, exact: fail };
}

function chainOf(...sources: (TableSource | ServiceSource)[]) {
  const warnings: string[] = [];
  const chain = createChain(sources, { warn: (message) => warnings.push(message) });
  return { chain, warnings };
}

function shown(answer: Identification): string {
  return answer.kind === "identified" ? `${answer.record.country} (${answer.source})` : answer.kind;
}

describe("createChain", () => {
  const { chain } = chainOf(dated(), current());

  it.each([
    ["DL1ABC", AT, "LISTED (dated)"],
    ["DL2ABC", AT, "of DL (current)"],
    ["OK1ABC", AT, "of OK (current)"],
    ["OK1ABC", Date.UTC(1980, 0, 1), "CZECHOSLOVAKIA (dated)"],
    ["F0BAD", AT, "invalid-operation"],
    ["QQ", AT, "unknown"],
  ])("takes the first answer for %s at %d, and says whose it is", async (callsign, at, expected) => {
    expect(shown(await chain.identify(callsign, at))).toBe(expected);
  });

  it("answers at once where all its sources are tables", () => {
    expect(chain.identify("DL2ABC", AT)).not.toBeInstanceOf(Promise);
  });

  it("has the questions that one of its sources has", async () => {
    expect(await chain.exact?.("DL1ABC", AT)).toMatchObject({ country: "LISTED" });
    expect(await chain.prefix?.("F", AT)).toMatchObject({ country: "of F" });
    expect(await chain.entity?.(230)).toMatchObject({ country: "Germany" });
    expect(await chain.isInvalidOperation?.("F0BAD", AT)).toBe(true);
    expect(await chain.isInvalidOperation?.("DL1ABC", AT)).toBe(false);
    expect(await chain.zoneException?.("DL1ABC", AT)).toBe(40);
    expect("zoneException" in chainOf(current()).chain).toBe(false);
  });

  it("passes over a source that fails for the network's sake, with a warning", async () => {
    const { chain: broken, warnings } = chainOf(failing(new IOError("store", "gone")), current());
    expect(shown(await broken.identify("DL2ABC", AT))).toBe("of DL (current)");
    expect(warnings).toEqual(["broken is skipped. store: gone"]);
  });

  it("fails where no other source answers", async () => {
    const { chain: broken } = chainOf(failing(new IOError("store", "gone")), current());
    await expect(broken.identify("QQ", AT)).rejects.toThrow("store: gone");
    await expect(broken.exact?.("QQ", AT)).rejects.toBeInstanceOf(IOError);
  });

  it("hides no failure that another source can't make good", async () => {
    const { chain: broken } = chainOf(failing(new Error("a defect")), current());
    await expect(broken.identify("DL2ABC", AT)).rejects.toThrow("a defect");
  });

  it("asks each source in one batch for all callsigns that those before it don't know", async () => {
    const asked: string[][] = [];
    const service: ServiceSource = {
      kind: "service",
      name: "batch",
      identify: () => expect.fail("asked one by one"),
      async identifyMany(queries) {
        asked.push(queries.map(({ callsign }) => callsign));
        return queries.map(() => ({ kind: "unknown" }));
      },
    };
    const queries = ["DL2ABC", "DL1ABC", "QQ", "F0BAD", "F1XYZ"].map((callsign) => ({ callsign, at: AT }));
    const answers = await chainOf(dated(), service, current()).chain.identifyMany?.(queries);
    expect(answers?.map(shown)).toEqual([
      "of DL (current)",
      "LISTED (dated)",
      "unknown",
      "invalid-operation",
      "of F (current)",
    ]);
    expect(asked).toEqual([["DL2ABC", "QQ", "F1XYZ"]]);
    expect(await chainOf(service, current()).chain.identifyMany?.([])).toEqual([]);
  });

  it("passes over a failing source for many callsigns too, and fails where one of them stays unknown", async () => {
    const { chain: broken, warnings } = chainOf(failing(new IOError("store", "gone")), current());
    const ask = (...calls: string[]) =>
      broken.identifyMany?.(calls.map((callsign) => ({ callsign, at: AT })));
    expect((await ask("DL2ABC", "F1XYZ"))?.map(shown)).toEqual(["of DL (current)", "of F (current)"]);
    expect(warnings).toEqual(["broken is skipped. store: gone"]);
    await expect(ask("DL2ABC", "QQ")).rejects.toThrow("store: gone");
  });

  it("serves Callinfo", async () => {
    const info = new Callinfo({ source: async () => chain });
    expect(await info.getCountryName("OK1ABC", new Date(AT))).toBe("of OK");
    await expect(info.getAll("F0BAD")).rejects.toBeInstanceOf(KeyError);
  });
});
