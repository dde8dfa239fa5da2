import { describe, expect, it } from "vitest";

import { AWARD_RULES, checkAwardRules, countAwards, createAwardCounter } from "../../src/awards.js";

const counter = createAwardCounter();
const total = (key: string) => counter.needed(key).unworked?.length;

describe("AWARD_RULES", () => {
  it("are valid, and have ids of their own", () => {
    expect(checkAwardRules(AWARD_RULES)).toBe(AWARD_RULES);
    expect(AWARD_RULES.map(({ id }) => id).join(" ")).toBe(
      "dxcc was waz wac wpx vucc ffma iota wae itu usaca pota.activator pota.hunter sota.activator sota.chaser wwff.activator wwff.hunter",
    );
  });

  it("say what was not compared with the sponsor's text", () => {
    for (const { checked } of AWARD_RULES) expect(checked.open.length).toBeGreaterThan(0);
  });

  it("know the numbers of units that the sponsors publish", () => {
    expect(total("dxcc.mixed.current")).toBe(340);
    expect(total("was.mixed")).toBe(50);
    expect(total("waz.mixed")).toBe(40);
    expect(total("wac.mixed")).toBe(6);
    expect(total("ffma")).toBe(488);
    expect(total("wae.current")).toBe(73);
    expect(total("was.fiveBand")).toBe(250);
    expect(total("was.triplePlay")).toBe(150);
    expect(total("waz.fiveBand")).toBe(200);
    expect(total("dxcc.challenge")).toBe(3400);
  });

  it("have the grids of FFMA that the ARRL lists, by field", () => {
    const grids = (counter.needed("ffma").unworked ?? []).map(String);
    const ofField = (field: string) => grids.filter((grid) => grid.startsWith(field)).length;
    // https://www.arrl.org/ffma, "The 488 Required Grid Squares".
    expect(["CM", "CN", "DL", "DM", "DN", "EL", "EM", "EN"].map(ofField)).toEqual([
      12, 27, 5, 90, 90, 27, 100, 80,
    ]);
    expect(grids).toEqual(
      expect.arrayContaining(["CM86", "CM93", "CN70", "DL88", "DM02", "EL58", "EN67", "EN76"]),
    );
    expect(grids).not.toContain("CM92");
  });

  it("count nothing in an empty log", () => {
    for (const count of Object.values(countAwards([])))
      expect(count).toMatchObject({ worked: 0, confirmed: 0, units: [], confirmedUnits: [] });
  });
});
