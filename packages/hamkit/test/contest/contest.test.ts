import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { CONTEST_RULES, createContest, type ContestRule } from "../../src/contest.js";
import { loadEmbeddedCountryFile } from "../../src/lookup.js";

const table = await loadEmbeddedCountryFile();

function ruleOf(id: string): ContestRule {
  const rule = CONTEST_RULES.find((each) => each.id === id);
  if (rule === undefined) throw new Error(`no rule ${id}`);
  return rule;
}

/** Points and new multipliers of contacts as "CALL BAND words". */
function play(id: string, call: string, contacts: readonly string[]) {
  const contest = createContest(ruleOf(id), { my: { call }, table });
  const answers = contacts.map((line) => {
    const [other = "", band = "", mode = "", ...received] = line.split(" ");
    const { points, multipliers, isDupe } = contest.add({ call: other, band, mode, received });
    const found = multipliers.map(({ property, value }) => `${property} ${value}`);
    return isDupe ? "dupe" : [points, ...found].join(", ");
  });
  return { answers, score: contest.score() };
}

describe("the rules of CQ WW", () => {
  it("count points by continent and country, zones and countries per band", () => {
    // The sponsor's rules: 3 points for another continent, 1 for the same, 0 for the own country.
    const { answers, score } = play("CQ-WW", "DL1ABC", [
      "W1AW 20m CW 599 05",
      "F5ABC 20m CW 599 14",
      "DL2ABC 20m CW 599 14",
      "W1AW 20m CW 599 05",
      "W1AW 40m CW 599 05",
    ]);
    expect(answers).toEqual([
      "3, cq_zone 5, cq_country 291",
      "1, cq_zone 14, cq_country 227",
      "0, cq_country 230",
      "dupe",
      "3, cq_zone 5, cq_country 291",
    ]);
    expect(score).toMatchObject({ qsos: 4, dupes: 1, points: 7, multiplierCount: 7, total: 49 });
  });

  it("give 2 points within North America, and count Sicily beside Italy", () => {
    expect(play("CQ-WW", "W1AW", ["VE3ABC 20m CW 599 04"]).answers).toEqual(["2, cq_zone 4, cq_country 1"]);
    expect(play("CQ-WW", "W1AW", ["I2ABC 20m CW 599 15", "IT9ABC 20m CW 599 15"]).answers).toEqual([
      "3, cq_zone 15, cq_country 248",
      "3, cq_country SY",
    ]);
  });
});

describe("the rules of the other contests", () => {
  it("count prefixes once in WPX, and double points on the low bands", () => {
    const { answers } = play("CQ-WPX", "DL1ABC", [
      "W1AW 20m CW 599 001",
      "W1AA 40m CW 599 002",
      "F5ABC 40m CW 599 003",
      "DL2ABC 40m CW 599 004",
    ]);
    expect(answers).toEqual(["3, wpx_prefix W1", "6", "2, wpx_prefix F5", "1, wpx_prefix DL2"]);
  });

  it("count states for DX and entities for W and VE in ARRL DX", () => {
    expect(play("ARRL-DX", "DL1ABC", ["W1AW 20m CW 599 CT", "F5ABC 20m CW 599 100"]).answers).toEqual([
      "3, state_province CT",
      "0",
    ]);
    expect(play("ARRL-DX", "W1AW", ["KH6AA 20m CW 599 KW", "VE3ABC 20m CW 599 ON"]).answers).toEqual([
      "3, dxcc_entity 110",
      "0",
    ]);
  });

  it("count a society's station instead of its zone in IARU HF, and modes apart", () => {
    const { answers } = play("IARU-HF", "DL1ABC", [
      "DA0HQ 20m CW 599 DARC",
      "DL2ABC 20m CW 599 28",
      "DL2ABC 20m PH 59 28",
      "EA1ABC 20m CW 599 37",
      "JA1ABC 20m CW 599 45",
    ]);
    expect(answers).toEqual(["1, hq DARC", "1, itu_zone 28", "1", "3, itu_zone 37", "5, itu_zone 45"]);
  });
});

describe("a contest", () => {
  it("leaves out other bands and modes", () => {
    const contest = createContest(ruleOf("CQ-WW"), { my: { call: "DL1ABC" }, table });
    expect(contest.add({ call: "W1AW", band: "30m", mode: "CW" })).toMatchObject({
      excluded: "band",
      points: 0,
    });
    expect(contest.add({ call: "W1AW", band: "20m", mode: "FT8" })).toMatchObject({ excluded: "mode" });
    expect(contest.score()).toMatchObject({ qsos: 0, excluded: 2, total: 0 });
  });

  it("names words that are no exchange, and accepts a missing report", () => {
    const contest = createContest(ruleOf("CQ-WW"), { my: { call: "DL1ABC" }, table });
    const faults = (...received: string[]) =>
      contest.ask({ call: "W1AW", band: "20m", mode: "CW", received }).faults.map(({ message }) => message);
    expect(faults("599", "41")).toEqual(['"41" is not cq_zone']);
    expect(faults("599")).toEqual(["cq_zone is missing"]);
    expect(faults("599", "05", "CT")).toEqual(['"05 CT" is not cq_zone']);
    expect(faults("05")).toEqual([]);
    expect(faults("599", "05")).toEqual([]);
  });

  it("counts points by distance, and members of a list", () => {
    const rule: ContestRule = {
      ...ruleOf("CQ-WW"),
      properties: { member: { list: "club" } },
      exchange: [{ fields: [["locator"]] }],
      points: [{ their: { member: ["YES"] }, points: 100 }, { points: { perKm: 500, plus: 1 } }],
      multipliers: [],
    };
    const contest = createContest(rule, {
      my: { call: "DL1ABC", locator: "JO62" },
      lists: { club: ["dl9xy"] },
    });
    const pointsOf = (call: string, locator: string) =>
      contest.ask({ call, band: "20m", mode: "CW", received: [locator] }).points;
    // JO62 to FN31: 6253 km on a sphere of 6371 km.
    expect([pointsOf("W1AW", "FN31"), pointsOf("DL2AB", "JO62"), pointsOf("DL9XY/P", "JO62")]).toEqual([
      13, 1, 100,
    ]);
  });

  it("answers what adding a contact then counts", () => {
    const call = fc.constantFrom("W1AW", "K6AA", "JA1ABC", "DL2ABC", "F5ABC", "IT9ABC", "VE3ABC", "W1AW/MM");
    const contact = fc.record({
      call,
      band: fc.constantFrom("20m", "40m", "30m"),
      mode: fc.constantFrom("CW", "SSB", "FT8"),
      received: fc.constantFrom(undefined, ["599", "05"], ["59", "25"], ["x"]),
    });
    fc.assert(
      fc.property(
        fc.constantFrom(...CONTEST_RULES),
        fc.array(contact, { maxLength: 30 }),
        (rule, contacts) => {
          const contest = createContest(rule, { my: { call: "DL1ABC" }, table });
          let [points, multipliers, qsos] = [0, 0, 0];
          for (const each of contacts) {
            const asked = contest.ask(each);
            expect(contest.add(each)).toEqual(asked);
            points += asked.points;
            multipliers += asked.multipliers.reduce((sum, { multipliers: value }) => sum + value, 0);
            if (!asked.isDupe && asked.excluded === undefined) qsos++;
          }
          expect(contest.score()).toMatchObject({ qsos, points, multiplierCount: multipliers });
        },
      ),
      { numRuns: 200 },
    );
  });
});
