import { describe, expect, it } from "vitest";

import { ENFORCEMENT } from "../../../src/limits/tree/enforcement.js";

const { flat, strict_two_level: strict } = ENFORCEMENT;

describe("limits of two levels", () => {
  // Project, domain.
  it.each([
    [11, 10],
    [1, 0],
    [-1, 10],
    [-1, 0],
    [2_147_483_647, 2_147_483_646],
  ])("let no project have %i in a domain of %i", (project, domain) => {
    expect(strict.isBreach?.(project, domain)).toBe(true);
  });

  it.each([
    [10, 10],
    [0, 0],
    [0, 10],
    [5, -1],
    [-1, -1],
    [2_147_483_647, -1],
  ])("let a project have %i in a domain of %i", (project, domain) => {
    expect(strict.isBreach?.(project, domain)).toBe(false);
  });
});

describe("the limit that holds", () => {
  const levels = { own: undefined, domain: undefined, registered: 10 };

  it.each([
    [
      { ...levels, own: 0 },
      { limit: 0, source: "own" },
    ],
    [
      { ...levels, own: -1, domain: 5 },
      { limit: -1, source: "own" },
    ],
    [levels, { limit: 10, source: "registered_default" }],
    [
      { ...levels, domain: 5 },
      { limit: 10, source: "registered_default" },
    ],
  ])("of flat limits %j is %j", (given, held) => {
    expect(flat.effective(given)).toEqual(held);
  });

  it.each([
    [
      { ...levels, own: 3, domain: 5 },
      { limit: 3, source: "own" },
    ],
    [
      { ...levels, domain: 5 },
      { limit: 5, source: "domain" },
    ],
    [
      { ...levels, domain: 0 },
      { limit: 0, source: "domain" },
    ],
    [
      { ...levels, domain: 10 },
      { limit: 10, source: "registered_default" },
    ],
    [
      { ...levels, domain: 20 },
      { limit: 10, source: "registered_default" },
    ],
    [
      { ...levels, domain: -1 },
      { limit: 10, source: "registered_default" },
    ],
    [
      { ...levels, domain: 20, registered: -1 },
      { limit: 20, source: "domain" },
    ],
  ])("of limits of two levels %j is %j", (given, held) => {
    expect(strict.effective(given)).toEqual(held);
  });
});
