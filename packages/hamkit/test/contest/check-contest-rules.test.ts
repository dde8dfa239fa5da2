import { describe, expect, it } from "vitest";

import { checkContestRules, CONTEST_RULES } from "../../src/contest.js";
import { ContestRuleError } from "../../src/errors.js";

const RULE = {
  id: "TEST",
  name: "A test",
  sponsor: "A club",
  contests: ["TEST-CW"],
  checked: { open: ["everything"] },
  bands: ["80m"],
  modes: ["CW"],
  exchange: [{ fields: [["rst"], ["serial"]] }],
  qsoPer: "band",
  points: [{ points: 1 }],
  multipliers: [],
};

describe("checkContestRules", () => {
  it("accepts the rules of the package, which say what was not compared", () => {
    expect(checkContestRules(CONTEST_RULES)).toBe(CONTEST_RULES);
    expect(CONTEST_RULES.map(({ id }) => id)).toEqual(["ARRL-DX", "CQ-WPX", "CQ-WW", "IARU-HF"]);
    for (const { checked } of CONTEST_RULES) expect(checked.open.length).toBeGreaterThan(0);
  });

  const FAULTS: readonly (readonly [change: object, message: string])[] = [
    [{ qsoPer: "day" }, 'contest rule "TEST": qsoPer: "day" is not "contest", "band", "mode" or "band-mode"'],
    [{ bands: ["21m"] }, 'contest rule "TEST": bands.0: "21m" is not a band of ADIF, such as 20m'],
    [{ extra: 1 }, /"extra": unknown member, expected id, name, /],
    [{ points: [{ points: -1 }] }, /points\.0\.points: -1 is not a number of 0 or more/],
    [{ multipliers: [{ property: "zone", per: "band" }] }, /multipliers: "zone" is not one of rst, serial, /],
    [{ points: [{ their: { zone: ["5"] }, points: 1 }] }, /conditions: "zone" is not one of/],
    [{ exchange: [{ fields: [["dxcc_entity"]] }] }, /exchange: "dxcc_entity" is no word of an exchange/],
    [
      { properties: { dok: { pattern: "(a+)+" } } },
      /properties\.dok\.pattern: .* without nested or many repetitions/,
    ],
    [{ properties: { dok: { of: "dok", part: "(.)" } } }, /properties: "dok" is of itself/],
    [{ properties: { dok: {} } }, /properties\.dok: .* is not an object with values, pattern, of or list/],
  ].map(([change, message]) => [change as object, message as string]);

  it.each(FAULTS)("names what is wrong: %j", (change, message) => {
    expect(() => checkContestRules({ ...RULE, ...change })).toThrow(ContestRuleError);
    expect(() => checkContestRules({ ...RULE, ...change })).toThrow(message);
  });

  it.each([
    "(?:a|aa)+b",
    "(?:a+b?)+c",
    "(?:[a-z]|\\w)*1",
    "((a+)?)*b",
    ".*.*.*.*!",
    "(a?){30}b",
    "(?=(?:a|b)*c)a",
    "a?".repeat(40),
    "(a|a)".repeat(30),
  ])("rejects a pattern that takes long on a word of 40 characters: %s", (pattern) => {
    expect(() => checkContestRules({ ...RULE, properties: { dok: { pattern } } })).toThrow(
      "without nested or many repetitions",
    );
  });

  it.each([
    "[A-Z]\\d{2}|\\d{2}[A-Z]{3}|NM",
    "(?:QRP|\\d+W?)",
    "(?:[A-Z]{2})+",
    "[(|*+]{1,40}\\)\\p{L}+",
    "\\d{1,3}(?:/[A-Z]{1,2})?",
    "(?<year>\\d\\d)-\\k<year>?",
  ])("accepts %s", (pattern) => {
    expect(checkContestRules({ ...RULE, properties: { dok: { pattern } } })).toHaveLength(1);
  });

  it("rejects ids that occur twice, and what is no rule", () => {
    expect(() => checkContestRules([RULE, RULE])).toThrow("id: another rule has it too");
    expect(() => checkContestRules([1])).toThrow("contest rule 1: 1 is not an object");
  });
});
