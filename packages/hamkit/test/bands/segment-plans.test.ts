import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ADIF_BANDS, bandEdges, type AdifName } from "../../src/bands/band-edges.js";
import { REGIONS } from "../../src/bands/iaru-region.js";
import { SEGMENT_PLANS, USES, type Plan } from "../../src/bands/segment-plans.js";

/** Bands on which the plans leave stretches open, or have none. */
const WITHOUT_FULL_PLAN: ReadonlySet<AdifName> = new Set(["60m", "2m", "70cm"]);

const plans = ADIF_BANDS.flatMap((band) =>
  REGIONS.map((region) => ({
    name: `${band.adif} in region ${region}`,
    adif: band.adif,
    edges: bandEdges(band, region),
    plan: SEGMENT_PLANS[band.adif]?.[region] ?? [],
  })),
).filter(({ plan }) => plan.length > 0);

describe("the segment plans", () => {
  it("cover the bands from 2190 m to 6 m that have one, 2 m and 70 cm", () => {
    expect(Object.keys(SEGMENT_PLANS)).toEqual(
      "2190m 630m 160m 80m 60m 40m 30m 20m 17m 15m 12m 10m 6m 2m 70cm".split(" "),
    );
  });

  it.each(plans)("ascend without overlap: $name", ({ plan }) => {
    for (const [from, to] of plan) expect(from).toBeLessThan(to);
    for (const [upper, lower] of neighbors(plan)) expect(upper[0]).toBeGreaterThanOrEqual(lower[1]);
  });

  it.each(plans)("stay within the region's allocation: $name", ({ plan, edges }) => {
    expect(plan.at(0)?.[0]).toBeGreaterThanOrEqual(edges?.[0] ?? Infinity);
    expect(plan.at(-1)?.[1]).toBeLessThanOrEqual(edges?.[1] ?? -Infinity);
  });

  it.each(plans.filter(({ adif }) => !WITHOUT_FULL_PLAN.has(adif)))(
    "fill the region's allocation from edge to edge: $name",
    ({ plan, edges }) => {
      expect([plan.at(0)?.[0], plan.at(-1)?.[1]]).toEqual(edges);
      for (const [upper, lower] of neighbors(plan)) expect(upper[0]).toBe(lower[1]);
    },
  );

  it("give 30 m to CW and digital modes alone", () => {
    const uses = REGIONS.flatMap((region) => (SEGMENT_PLANS["30m"]?.[region] ?? []).map(([, , use]) => use));
    expect(new Set(uses)).toEqual(new Set(["CW", "NB", "DIGI"]));
  });
});

describe("docs/band-plan.md", () => {
  const page = readFileSync(new URL("../../../../docs/band-plan.md", import.meta.url), "utf8").replaceAll(
    / +/g,
    " ",
  );

  it.each(ADIF_BANDS)("has the edges of $adif", (band) => {
    const { adif, itu, lower, upper } = band;
    const regional = REGIONS.map((region) => {
      const edges = bandEdges(band, region);
      if (edges === undefined) return "none";
      return edges[0] === lower && edges[1] === upper ? "same" : edges.join("-");
    });
    expect(page).toContain(`| ${[adif, band.band, itu, `${lower}-${upper}`, ...regional].join(" | ")} |\n`);
  });

  it.each(Object.entries(SEGMENT_PLANS))("has the segments of %s", (name, byRegion) => {
    const lines = REGIONS.map((region) => {
      const segments = byRegion[region].map(([from, to, use]) => `${from}-${to} ${use}`);
      return segments.join(", ") || "no segments";
    });
    const shared = new Set(lines).size === 1 ? `- Regions 1, 2 and 3: ${lines[0]}` : undefined;
    const list = shared ?? lines.map((line, index) => `- Region ${index + 1}: ${line}`).join("\n");
    expect(page).toContain(`### ${name}\n\n${list}\n`);
  });

  it.each(Object.entries(USES))("has what %s means", (use, mode) => {
    const rows = page.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
    const meanings = rows.filter((cells) => cells[1]?.split(", ").includes(use)).map((cells) => cells[3]);
    expect(meanings).toEqual([mode === "phone" ? "`LSB` or `USB`" : `\`${mode}\``]);
  });
});

/** Each segment with the one below it. */
function neighbors(plan: Plan): [Plan[number], Plan[number]][] {
  return plan.slice(1).flatMap((upper, index) => {
    const lower = plan[index];
    return lower === undefined ? [] : [[upper, lower]];
  });
}
