import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { distanceKm } from "../../src/geo/great-circle.js";
import { createReferenceList, programOf } from "../../src/references.js";
import { ENTITIES } from "../../src/adif.js";
import { createPositionGrid } from "../../src/references/reference-list.js";
import { presentReference, renamedReference } from "../../src/references/renamed-references.js";
import { ISLANDS, PARKS, SUMMITS } from "./lists.js";

describe("a reference list", () => {
  it("finds references in any case, with blanks, and with the location of a park in several states", async () => {
    const parks = await createReferenceList("pota", PARKS);
    expect(parks.size).toBe(8);
    expect(parks.find(" us-0001 ")?.name).toBe("Acadia National Park");
    expect(parks.find("US-4567@US-NV")?.reference).toBe("US-4567");
    expect(parks.find("US-9999")).toBeUndefined();
    expect(parks.find("__proto__")).toBeUndefined();
    expect((await createReferenceList("sota", SUMMITS)).find("dm/bw-001")?.name).toBe("Feldberg");
    expect((await createReferenceList("iota", ISLANDS)).find("EU-005")?.name).toBe("Great Britain");
  });

  it("finds a park by its reference before March 2024, when prefixes of calls became codes of countries", async () => {
    const parks = await createReferenceList("pota", PARKS);
    expect(parks.find("K-0001")?.reference).toBe("US-0001");
    expect(parks.find("DA-0001")?.reference).toBe("DE-0001");
    expect(parks.find("K-9999")).toBeUndefined();
    expect(parks.find("constructor-0001")).toBeUndefined();
  });

  it("has the nearest in order of distance, with the heading", async () => {
    const parks = await createReferenceList("pota", PARKS);
    const near = parks.nearest("JN48QM", { limit: 2, inactive: true });
    expect(near.map(({ reference }) => reference.reference)).toEqual(["DE-0001", "DE-0002"]);
    // 0.08° north and 0.125° east of the center of JN48QM at 48.52° N: 9 km by hand.
    expect(near[1]?.distanceKm).toBeCloseTo(12.8, 0);
    expect(near[1]?.heading).toBeGreaterThan(30);
    expect(near[1]?.heading).toBeLessThan(60);
  });

  it("leaves out parks that no longer count, unless they are asked for", async () => {
    const parks = await createReferenceList("pota", PARKS);
    const near = parks.nearest({ latitude: 48.6, longitude: 9.5 }, { maxKm: 100 });
    expect(near.map(({ reference }) => reference.reference)).toEqual(["DE-0001"]);
  });

  it("searches across the 180th meridian and around the poles", async () => {
    const parks = await createReferenceList("pota", PARKS);
    const near = parks.nearest({ latitude: -16.8, longitude: 180 }, { maxKm: 50 });
    expect(near.map(({ reference }) => reference.reference).sort()).toEqual(["FJ-0001", "FJ-0002"]);
    expect(parks.nearest({ latitude: -89.9, longitude: 120 }, { limit: 1 })[0]?.reference.reference).toBe(
      "AQ-0001",
    );
  });

  it.each([
    [{ latitude: 91, longitude: 0 }, {}, /latitude: 91/],
    ["JN4", {}, /place: "JN4"/],
    [5, {}, /place: 5/],
    ["JN48", { limit: 0 }, /limit: 0 is not an integer from 1 to 10000/],
    ["JN48", { limit: 1.5 }, /limit/],
    ["JN48", { maxKm: -1 }, /maxKm: -1 is not a number from 0/],
    ["JN48", { maxKm: Number.NaN }, /maxKm/],
    ["JN48", { maxKm: "5" }, /maxKm/],
  ])("rejects the place %j with %j", async (place, options, message) => {
    const parks = await createReferenceList("pota", PARKS);
    expect(() => parks.nearest(place as never, options as never)).toThrow(message);
  });
});

describe("the grid of positions", () => {
  it("finds what comparing all distances finds", () => {
    const position = fc.record({
      latitude: fc.double({ min: -90, max: 90, noNaN: true }),
      longitude: fc.double({ min: -180, max: 180, noNaN: true }),
    });
    const entries = fc.array(
      position.map((one) => ({ position: one })),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(entries, position, fc.integer({ min: 1, max: 5 }), (list, from, limit) => {
        const byDistance = list.map((entry) => distanceKm(from, entry.position)).sort((a, b) => a - b);
        const found = createPositionGrid(list).nearest(from, { limit, maxKm: Infinity, accepts: () => true });
        expect(found.map((placed) => distanceKm(from, placed.position))).toEqual(byDistance.slice(0, limit));
      }),
    );
  });
});

describe("programOf", () => {
  it.each([
    ["US-0001", "pota"],
    ["K-12345", "pota"],
    ["dlff-0001", "wwff"],
    ["KFF-0001", "wwff"],
    ["DM/BW-001", "sota"],
    ["4O/IC-001", "sota"],
    ["EU-005", "iota"],
    ["EU-0005", "pota"],
    ["JN48QM", undefined],
    ["DL1ABC/P", undefined],
    ["", undefined],
  ])("of %s is %s", (reference, program) => {
    expect(programOf(reference)).toBe(program);
  });

  it("rejects other types", () => {
    expect(() => programOf(5 as never)).toThrow("reference: 5 is not a string");
  });
});

describe("references before March 2024", () => {
  it("are those of the entity whose main prefix they have, by the tables of ADIF", () => {
    const isosOf = (prefix: string): unknown[] =>
      ENTITIES.filter(({ prefixes }) => prefixes.includes(prefix)).map(({ iso }) => `${iso}-0001`);
    for (const prefix of "K VE JA EA F I PA ON OE SP VK ZL PY LU SM OK OM HA YO LZ SV HL XE G DL DA CT EI OH LA OZ LY YL UR TA CE".split(
      " ",
    ))
      expect({ prefix, isos: isosOf(prefix) }).toEqual({
        prefix,
        isos: expect.arrayContaining([renamedReference(`${prefix}-0001`)]),
      });
  });

  it("keep their prefix after it where it is the code of another country", () => {
    const isos = new Set(ENTITIES.map(({ iso }) => iso));
    const prefixes = ENTITIES.flatMap((entity) => entity.prefixes);
    for (const prefix of new Set(prefixes)) {
      const before = renamedReference(`${prefix}-0001`) ?? `${prefix}-0001`;
      expect(presentReference(`${prefix}-0001`, 20_240_229)).toBe(before);
      const after = isos.has(prefix) ? `${prefix}-0001` : before;
      expect([20_240_301, 0].map((day) => presentReference(`${prefix}-0001`, day))).toEqual([after, after]);
    }
  });
});
