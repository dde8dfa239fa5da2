import { existsSync, readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { ENTITIES } from "../../src/adif.js";
import { entitiesAt } from "../../src/places.js";
import { ENTITY_SHAPES } from "../../src/places/generated/entity-areas.js";
import { sharedPath } from "../golden.js";

describe("entitiesAt", () => {
  it.each([
    ["Stuttgart", 48.78, 9.18, [230], "land"],
    ["Anchorage", 61.22, -149.9, [6], "land"],
    ["Honolulu", 21.31, -157.86, [110], "land"],
    ["Edinburgh", 55.95, -3.19, [279], "land"],
    ["Cardiff", 51.48, -3.18, [294], "land"],
    ["London", 51.51, -0.13, [223], "land"],
    ["Penzance", 50.12, -5.54, [223], "land"],
    ["Kendal", 54.33, -2.75, [223], "land"],
    ["Belfast", 54.6, -5.93, [265], "land"],
    ["Ajaccio", 41.93, 8.74, [214], "land"],
    ["Palma", 39.57, 2.65, [21], "land"],
    ["Heraklion", 35.3, 25.13, [40], "land"],
    ["Rhodes", 36.2, 27.95, [45], "land"],
    ["Moscow", 55.75, 37.62, [54], "land"],
    ["Novosibirsk", 55.03, 82.92, [15], "land"],
    ["Anadyr", 64.73, 177.5, [15], "land"],
    ["Provideniya, west of 180°", 64.42, -173.2, [15], "land"],
    ["Kaliningrad", 54.71, 20.51, [126], "land"],
    ["Kuching", 1.55, 110.35, [46], "land"],
    ["Kuala Lumpur", 3.14, 101.69, [299], "land"],
    ["Galápagos", -0.74, -90.32, [71], "land"],
    ["Pristina", 42.66, 21.17, [522], "land"],
    ["McMurdo", -77.85, 166.67, [13], "land"],
    ["South Pole", -90, 0, [13], "land"],
    ["Market Reef", 60.301, 19.131, [167], "island"],
    ["Bouvet", -54.42, 3.38, [24], "island"],
    ["Kure", 28.4, -178.3, [138], "island"],
    ["Crimea", 45.0, 34.1, [54, 288], "disputed"],
    ["Bir Tawil", 21.87, 33.75, [], "disputed"],
    ["Laayoune", 27.15, -13.2, [302, 446], "disputed"],
    ["off Brest, 11 km", 48.4, -4.95, [227], "coast"],
    ["Gulf of Guinea", 0, 0, [], "sea"],
    ["North Pole", 90, 0, [], "sea"],
  ])("is at %s (%d, %d): %j", (_, latitude, longitude, dxcc, basis) => {
    expect(entitiesAt({ latitude, longitude })).toMatchObject({ dxcc, basis });
  });

  it.each([
    ["Basel", 47.56, 7.59, [227, 230, 287]],
    ["Berwick-upon-Tweed", 55.77, -2.0, [223, 279]],
    ["Chepstow", 51.64, -2.68, [223, 294]],
    ["Ufa, at the border of European Russia", 54.74, 54.5, [15, 54]],
    ["the UN in New York", 40.749, -73.968, [289, 291]],
    ["Gibraltar", 36.14, -5.35, [233, 281]],
    ["Ceuta", 35.89, -5.32, [32, 446]],
    ["the Vatican", 41.902, 12.453, [248, 295]],
  ])("has all that are possible at %s", (_, latitude, longitude, dxcc) => {
    expect(entitiesAt({ latitude, longitude }).dxcc.toSorted((a, b) => a - b)).toEqual(dxcc);
  });

  it("has the country before an entity that is only a building or a base in it, and an exclave before its surroundings", () => {
    expect(entitiesAt({ latitude: 40.749, longitude: -73.968 })).toEqual({ dxcc: [291, 289], basis: "land" });
    expect(entitiesAt({ latitude: 46.226, longitude: 6.138 }).dxcc.at(-1)).toBe(117);
    expect(entitiesAt({ latitude: 35.89, longitude: -5.32 }).dxcc[0]).toBe(32);
  });

  it("explains a disputed area", () => {
    expect(entitiesAt({ latitude: 45.0, longitude: 34.1 }).reason).toMatch(/^Crimea: /);
  });

  it("has all entities of which a part is inside a locator, that of its center first", () => {
    expect(entitiesAt("JN48QM")).toEqual({ dxcc: [230], basis: "land" });
    // Switzerland; Austria, Germany, Liechtenstein.
    expect(entitiesAt("JN47").dxcc).toEqual([287, 206, 230, 251]);
    // The Isle of Man in the Irish Sea; England, Northern Ireland, Scotland.
    expect(entitiesAt("IO74").dxcc.toSorted((a, b) => a - b)).toEqual([114, 223, 265, 279]);
    expect(entitiesAt("CQ05")).toEqual({ dxcc: [], basis: "sea" });
    expect(entitiesAt("AL08")).toEqual({ dxcc: [138], basis: "island" });
  });

  it("knows an area of every current entity", () => {
    const known = new Set([
      ...(JSON.parse(ENTITY_SHAPES.regions) as [number][]).map(([entity]) => entity),
      ...ENTITY_SHAPES.islands.map(([entity]) => entity),
      ...ENTITY_SHAPES.subregions.map(({ entity }) => entity),
    ]);
    const current = ENTITIES.filter(({ code, deleted }) => code > 0 && deleted !== true);
    expect(current.length).toBe(340);
    expect(current.filter(({ code }) => !known.has(code))).toEqual([]);
    const codes = new Set(current.map(({ code }) => code));
    expect([...known].filter((code) => code !== undefined && !codes.has(code))).toEqual([]);
  });

  it.each([
    [{ latitude: 91, longitude: 0 }, /latitude: 91/],
    ["JN4", /place: "JN4"/],
    [undefined, /place: undefined is not a position or a locator/],
  ])("rejects %j", (place, message) => {
    expect(() => entitiesAt(place as never)).toThrow(message);
  });
});

const path = sharedPath("next/geo/zones-vectors.jsonl");

describe.skipIf(!existsSync(path))("entitiesAt and the vectors", () => {
  /** Rows, of which the answer is only the entity, and of which it has others too. */
  const count = (basis: RegExp): { rows: number; exact: number; several: number } => {
    const rows = readFileSync(path, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as { lat: number; lon: number; dxcc: number | null; basis: string })
      .filter((row) => basis.test(row.basis));
    const answers = rows.map(({ lat, lon, dxcc }) => ({
      dxcc,
      found: entitiesAt({ latitude: lat, longitude: lon }).dxcc,
    }));
    const isExact = ({ dxcc, found }: (typeof answers)[number]): boolean =>
      dxcc === null ? found.length === 0 : found.length === 1 && found[0] === dxcc;
    const several = answers.filter((one) => !isExact(one) && one.found.includes(one.dxcc ?? -1));
    return { rows: rows.length, exact: answers.filter(isExact).length, several: several.length };
  };

  it("agree at the capitals of subdivisions", () => {
    // The other one, Syktyvkar, is close to the border of Asiatic Russia.
    expect(count(/^ADIF/)).toEqual({ rows: 114, exact: 113, several: 1 });
  });

  it("agree at the places by hand, but for 51° N, 180° E, which is at sea, 30 km from the Aleutians", () => {
    expect(count(/^by hand/)).toEqual({ rows: 42, exact: 36, several: 5 });
  });

  it("agree at the coordinates of the country file, but for rounded ones at sea or in a neighboring country", () => {
    expect(count(/^country file/)).toEqual({ rows: 211, exact: 186, several: 7 });
  });
});
