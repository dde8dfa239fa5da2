import { describe, expect, it } from "vitest";

import { AWARD_RULES, checkAwardRules, countAwards } from "../../src/awards.js";
import { AwardRuleError, isHamkitError } from "../../src/errors.js";

const dok = {
  id: "dok",
  name: "DLD",
  sponsor: "DARC",
  checked: { open: ["everything"] },
  unit: "field",
  fields: ["DARC_DOK"],
  split: ",",
  excludes: [],
  satellites: "together",
  confirm: ["card"],
  facets: [
    { key: "mixed", levels: [100] },
    { key: "band", eachBand: ["80m", "40m"] },
  ],
} as const;

function errorOf(rule: unknown): unknown {
  try {
    return checkAwardRules(rule);
  } catch (error) {
    return error;
  }
}

describe("checkAwardRules", () => {
  it("returns valid rules, one or a list", () => {
    expect(checkAwardRules(dok)).toEqual([dok]);
    expect(checkAwardRules(JSON.parse(JSON.stringify(AWARD_RULES)))).toEqual(AWARD_RULES);
  });

  it.each([
    [
      { ...dok, name: undefined },
      'award rule "dok": name: undefined is not a text of 1 to 400 characters on one line',
    ],
    [null, "award rule 1: null is not an object"],
    [{ id: "a" }, 'award rule "a": name: missing'],
    [
      { ...dok, id: "__proto__" },
      'award rule "__proto__": id: "__proto__" is not a name of letters, digits and dots',
    ],
    [{ ...dok, colour: "red" }, 'award rule "dok": "colour": unknown member, expected id, name'],
    [{ ...dok, unit: "tree" }, 'award rule "dok": unit: "tree" is not one of entity, state'],
    [{ ...dok, confirm: ["lotw", "phone"] }, 'award rule "dok": confirm.1: "phone" is not one of card, lotw'],
    [
      { ...dok, facets: [{ key: "band", eachBand: ["20m", "21m"] }] },
      'award rule "dok": facets.0.eachBand.1: "21m" is not a band of ADIF, such as 20m',
    ],
    [{ ...dok, facets: [{ key: "cw", modes: ["morse"] }] }, 'facets.0.modes.0: "morse" is not phone, cw'],
    [
      { ...dok, facets: [{ key: "a", levels: [5, 3] }] },
      "facets.0.levels: an array is not ascending numbers",
    ],
    [{ ...dok, facets: [] }, "facets: expected at least one"],
    [{ ...dok, from: "1945-13-01" }, 'from: "1945-13-01" is not a date as 1945-11-15'],
    [{ ...dok, fields: undefined }, "fields"],
    [{ ...dok, unit: "grid" }, 'fields: only with unit "field"'],
    [{ ...dok, where: { dxcc: ["1"] } }, 'where."dxcc": the name is not a field name of ADIF in upper case'],
    [{ ...dok, counting: "contacts" }, 'counting: "contacts" needs dupe, and one facet'],
    [
      { ...dok, counting: "activations", dupe: ["CALL"], facets: [{ key: "" }] },
      'min: required with counting "activations"',
    ],
    [
      { ...dok, classes: [{ name: "gold", needs: { gold: 1 } }] },
      'classes: "gold" needs "gold", which is no facet',
    ],
    [{ ...dok, facets: [{ key: "a", slots: "mode" }] }, 'facets: "a": slots "mode" needs modes'],
    [[dok, dok], 'award rule "dok": id: another rule has it too'],
  ])("names the member and what was expected: %#", (rule, message) => {
    const error = errorOf(rule);
    expect(error).toBeInstanceOf(AwardRuleError);
    expect(isHamkitError(error)).toBe(true);
    expect(error).toMatchObject({ code: "award-rule/malformed", message: expect.stringContaining(message) });
  });

  it("counts a rule of a user", () => {
    const records = [
      { CALL: "DL1ABC", DARC_DOK: "p11", BAND: "80m", QSL_RCVD: "Y" },
      { CALL: "DL1ABC", DARC_DOK: "P11,A01", BAND: "40m" },
    ];
    const counts = countAwards(records, { rules: checkAwardRules(dok) });
    expect(Object.keys(counts)).toEqual(["dok.mixed", "dok.band.80m", "dok.band.40m"]);
    expect(counts["dok.mixed"]).toMatchObject({
      units: ["A01", "P11"],
      confirmedUnits: ["P11"],
      nextLevel: 100,
    });
    expect(counts["dok.band.40m"]).toMatchObject({ worked: 2, confirmed: 0 });
  });

  it("rejects malformed rules before it counts", () => {
    expect(() => countAwards([], { rules: [{ ...dok, unit: "tree" as "grid" }] })).toThrow(AwardRuleError);
  });
});
