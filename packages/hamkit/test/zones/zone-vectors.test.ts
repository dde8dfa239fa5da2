/** The vectors of places with their zones, in the folder next to the checkout that has them. */
import { existsSync, readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { zonesAt } from "../../src/zones.js";
import { sharedPath } from "../golden.js";

interface Row {
  readonly id: number;
  readonly lat: number;
  readonly lon: number;
  readonly place: string;
  readonly cqz: readonly number[] | null;
  readonly ituz: readonly number[] | null;
  readonly polygonCqz: readonly number[];
  readonly polygonItuz: readonly number[];
}

const path = sharedPath("next/geo/zones-vectors.jsonl");
const rows = existsSync(path)
  ? readFileSync(path, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Row)
  : [];

/** Where the original polygons err: docs/differences.md. */
const BY_DEFINITION: Readonly<Record<string, { readonly cqz: number[]; readonly ituz: number[] }>> = {
  "Big Diomede": { cqz: [19], ituz: [26] },
  "South Pole": { cqz: [], ituz: [74] },
  "North Pole": { cqz: [], ituz: [75] },
  "Missouri at 90 W, east": { cqz: [4], ituz: [8] },
};
const MONTANA_WEST_OF_110_W = { lat: 45.5, lon: -110.0001 };

describe.skipIf(rows.length === 0)("zonesAt and the vectors (zones-by-definition)", () => {
  it.each(rows)("agree with the polygons at $place ($id)", (row) => {
    const { cqz, ituz } = zonesAt({ latitude: row.lat, longitude: row.lon });
    expect({ cqz, ituz }).toEqual(expectationOf(row));
  });
});

function expectationOf(row: Row): { cqz: readonly number[]; ituz: readonly number[] } {
  const { lat, lon, place, polygonCqz, polygonItuz } = row;
  if (lat === MONTANA_WEST_OF_110_W.lat && lon === MONTANA_WEST_OF_110_W.lon) return { cqz: [4], ituz: [6] };
  return BY_DEFINITION[place] ?? { cqz: polygonCqz, ituz: polygonItuz };
}
