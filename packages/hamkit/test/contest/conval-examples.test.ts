import { existsSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { createContest, checkContestRules, type ContestStation } from "../../src/contest.js";
import { loadEmbeddedCountryFile } from "../../src/lookup.js";
import { entityOf, readContests, RULE_FILES, type ConvalContest, type Example } from "./conval-rules.js";

const table = await loadEmbeddedCountryFile();
const contests = existsSync(RULE_FILES) ? readContests() : [];

function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? `${value}` : "";
}

type Node = Example["setup"];

function knownOf(node: Node, side: "my" | "their"): Partial<ContestStation> {
  const country = node[`${side}_country`];
  const continent = node[`${side}_continent`];
  return {
    ...(typeof country === "string" && { entity: entityOf(country) }),
    ...(typeof continent === "string" && { continent }),
  };
}

function play({ rule }: ConvalContest, { setup, qsos, qtcs = [] }: Example) {
  const call = textOf(setup["my_call"] ?? "x1x").toUpperCase();
  // The setup names the bands of an example, which may be others than the contest's.
  const bands = [...new Set([...rule.bands, ...((setup["bands"] ?? []) as string[])])];
  const contest = createContest(
    { ...rule, bands },
    {
      my: { call, ...knownOf(setup, "my"), exchange: (setup["my_exchange"] ?? {}) as Record<string, string> },
      table,
      lists: { "https://www.bavarian-contest-club.de/data/bcc-members.txt": ["DL1NEO"] },
    },
  );
  const band = (node: Node) => textOf(node["band"] ?? rule.bands[0]);
  const mode = (node: Node) => textOf(node["mode"] ?? rule.modes[0]);
  const answers = qsos.map((qso) =>
    contest.add({
      call: textOf(qso["their_call"]),
      band: band(qso),
      mode: mode(qso),
      received: (qso["their_exchange"] as readonly unknown[] | undefined)?.map(String),
      their: knownOf(qso, "their"),
    }),
  );
  for (const qtc of qtcs)
    contest.addQtc({
      call: textOf(qtc["their_call"]),
      band: band(qtc),
      mode: mode(qtc),
      direction: qtc["kind"] as "sent" | "received",
      count: Number(qtc["count"]),
      their: knownOf(qtc, "their"),
    });
  return { answers, score: contest.score() };
}

describe.skipIf(contests.length === 0)("the worked examples of conval's rule files", () => {
  it("are 23 contests and more", () => {
    expect(contests.length).toBeGreaterThan(23);
    for (const [, { rule }] of contests) expect(checkContestRules(rule)).toEqual([rule]);
  });

  it.each(contests)("%s", (_name, contest) => {
    expect(contest.examples.length).toBeGreaterThan(0);
    for (const example of contest.examples) {
      const { answers, score } = play(contest, example);
      const expected = example.qsos.map(({ points, multis = 0, duplicate = false }) => ({
        // A dupe has no points here; the file says what the contact would have.
        points: duplicate === true ? 0 : points,
        multis,
        duplicate,
      }));
      const found = answers.map(({ points, multipliers, isDupe }) => ({
        points,
        multis: multipliers.reduce((sum, each) => sum + each.multipliers, 0),
        duplicate: isDupe,
      }));
      expect(found).toEqual(expected);
      expect({
        qsos: score.qsos + score.dupes,
        points: score.points,
        qtcs: score.qtcPoints,
        multis: score.multiplierCount,
        total: score.total,
      }).toEqual({ qtcs: 0, multis: 0, ...example.score });
    }
  });
});
