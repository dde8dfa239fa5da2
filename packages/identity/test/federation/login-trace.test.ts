import { expect, it } from "vitest";

import { tracedGroups, tracedRules } from "../../src/federation/login-trace.js";

type Traced = Parameters<typeof tracedRules>[0];

it.each([
  [[true], 'rule 1 of mapping "people" matched'],
  [[false, true], 'rule 2 of mapping "people" matched'],
  [[true, false, true], 'rules 1, 3 of mapping "people" matched'],
])("a trace names the rules that matched, counted from 1: %j", (matches, text) => {
  const trace = matches.map((matched, rule) => ({ rule, matched }));
  expect(tracedRules({ id: "people", trace } as unknown as Traced)).toBe(text);
});

it.each([
  [0, 0, "0 groups"],
  [1, 0, "1 group"],
  [2, 1, "2 groups; ignored: g1"],
  [2, 5, "2 groups; ignored: g1, g2, g3, g4, g5"],
  [2, 6, "2 groups; ignored: g1, g2, g3, g4, g5, …"],
])("a trace has the number of groups, and names five that are ignored: %i, %i", (count, missing, text) => {
  const groups = Array.from({ length: missing }, (_, index) => `g${index + 1}`);
  expect(tracedGroups(count, groups)).toBe(text);
});
