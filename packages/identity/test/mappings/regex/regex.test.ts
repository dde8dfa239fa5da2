/**
 * Patterns with what Python 3.11 finds of them: the texts in which `re.search` finds a match, the texts in which it finds none,
 * or the message of its error. An empty message stands for an error that this service words differently.
 */
import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { parseRegex } from "../../../src/mappings/regex/regex-parser.js";
import { RegexSyntaxError } from "../../../src/mappings/regex/regex-syntax.js";
import { compileForSteps, compileRegex, type Regex } from "../../../src/mappings/regex/regex.js";

interface Row {
  readonly pattern: string;
  readonly found?: readonly string[];
  readonly missed?: readonly string[];
  readonly refused?: string;
}

const rows = readFileSync(new URL("../fixtures/python-patterns.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Row);
const valid = rows.filter(({ refused }) => refused === undefined);
const invalid = rows.filter(({ refused }) => refused !== undefined);

/** The error's message, without the position; `undefined` if the pattern is accepted. */
function refusalOf(pattern: string): string | undefined {
  try {
    compileRegex(pattern);
    return undefined;
  } catch (error) {
    if (!(error instanceof RegexSyntaxError)) throw error;
    return error.message.slice(0, -` at position ${error.position}`.length);
  }
}

describe("Python's results of patterns", () => {
  it("cover valid and invalid patterns", () => {
    expect(valid.length).toBeGreaterThan(150);
    expect(invalid.length).toBeGreaterThan(100);
  });

  it.each([
    ["the chosen engine", compileRegex],
    ["the backtracking engine", (pattern: string): Regex => compileForSteps(parseRegex(pattern))],
  ])("are those of %s", (_engine, compile) => {
    const different = valid.filter(({ pattern, found = [], missed = [] }) => {
      const regex = compile(pattern);
      const isFound = (text: string) => regex.search(text, { left: 1_000_000 });
      return !found.every(isFound) || missed.some(isFound);
    });
    expect(different).toStrictEqual([]);
  });

  it("are refusals of the same patterns, in most cases in the same words", () => {
    const different = invalid
      .map(({ pattern, refused }) => ({ pattern, refused, own: refusalOf(pattern) }))
      .filter(({ refused, own }) => own === undefined || (refused !== "" && own !== refused));
    expect(different).toStrictEqual([]);
  });
});

describe("limits of patterns", () => {
  const nested = (levels: number) => `${"(".repeat(levels)}a${")".repeat(levels)}`;

  it.each([
    ["nested groups", nested(200), nested(201), "groups nested deeper than 200 levels"],
    ["steps", "a{9999}", "a{10000}", "counts and sets compile to more than 10000 steps"],
  ])("bound %s", (_what, most, more, message) => {
    expect(refusalOf(most)).toBeUndefined();
    expect(refusalOf(more)).toBe(message);
  });

  it("are checked behind Python's own limit on counts, 2^32 - 1", () => {
    const steps = "counts and sets compile to more than 10000 steps";
    expect(["a{4294967294}", "a{0,4294967294}"].map(refusalOf)).toStrictEqual([steps, steps]);
  });

  it("cost 1,000 steps to compile, 100 per character, and 20 per range of their sets", () => {
    const costOf = (pattern: string) => {
      const budget = { left: 1_000_000 };
      compileRegex(pattern, budget);
      return 1_000_000 - budget.left;
    };
    expect(costOf("(?=a)b")).toBe(1000 + 6 * 100 + 2 * 20);
    expect(costOf("(?=[ac])b")).toBe(1000 + 9 * 100 + 3 * 20);
  });

  it.each([
    ["a", "re2"],
    ["a{199}", "re2"],
    ["a{200}", "steps"],
    ["(?=a)", "steps"],
    [String.raw`\bab`, "steps"],
    [String.raw`(?a)\bab`, "re2"],
    ["a$", "re2"],
    ["a$b?", "steps"],
    ["(?:a$)*", "steps"],
    ["(?:a$)?", "re2"],
    ["a++", "steps"],
    // 2^8 states: which of the last eight characters were an "a". With one more, 2^9 are more than the 300 allowed.
    ["a[ab]{7}", "re2"],
    ["a[ab]{8}", "steps"],
  ])("choose the engine: %s runs on %s", (pattern, engine) => {
    expect(compileRegex(pattern).engine).toBe(engine);
  });
});
