import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

import { describe, expect, it } from "vitest";

import { readCountryData } from "../src/index.js";

interface SourceEntity {
  name: string;
  dxccCode: number;
  continent: string;
  cqZone: number;
  ituZone: number;
  lat: number;
  lon: number;
  isWAE?: boolean;
}
type SourceKeys = Record<string, { p: string; c?: number; i?: number }>;
interface Source {
  entities: Record<string, SourceEntity>;
  prefix: SourceKeys;
  exact: SourceKeys;
  prefixWAE: SourceKeys;
  exactWAE: SourceKeys;
}

const folder = join(dirname(createRequire(import.meta.url).resolve("@ham2k/lib-country-files")), "..");
const source = JSON.parse(readFileSync(join(folder, "src/data/bigcty.json"), "utf8")) as Source;

/** What the source says of each key, the WAE list before the DXCC list. */
function fromSource(dxcc: SourceKeys, wae: SourceKeys): Map<string, unknown> {
  const keys = Object.entries({ ...dxcc, ...wae });
  return new Map(
    keys.map(([key, { p, c, i }]) => {
      const { name, dxccCode, continent, cqZone, ituZone, lat, lon } = source.entities[p] as SourceEntity;
      return [key, [name, dxccCode, continent, c ?? cqZone, i ?? ituZone, lat, lon === 0 ? 0 : -lon]];
    }),
  );
}

/** What the embedded data says of each key. */
function fromData(column: 3 | 4): Map<string, unknown> {
  const { entities, groups } = readCountryData();
  return new Map(
    groups.flatMap((group) => {
      const [, name, adif, continent, , , latitude, longitude] = entities[group[0]] ?? [];
      const record = [name, adif, continent, group[1], group[2], latitude, longitude];
      return group[column] === ""
        ? []
        : group[column].split(" ").map((key): [string, unknown] => [key, record]);
    }),
  );
}

describe("the embedded country data", () => {
  it("says of every prefix what its source says", () => {
    expect(fromData(3)).toEqual(fromSource(source.prefix, source.prefixWAE));
  });

  it("says of every call what its source says", () => {
    expect(fromData(4)).toEqual(fromSource(source.exact, source.exactWAE));
  });

  it("dates itself as its source does", () => {
    const { release, date } = readCountryData();
    expect(source.exact).toHaveProperty(release);
    expect(`VER${date.replaceAll("-", "")}`).toBe(release);
  });

  it("credits the author of the country files", () => {
    expect(readCountryData().credit).toContain("Jim Reisert AD1C");
  });

  it("is parsed anew for each caller", () => {
    expect(readCountryData()).not.toBe(readCountryData());
  });
});
