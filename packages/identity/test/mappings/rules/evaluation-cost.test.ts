/** Rules and values that are made to keep the process busy. Costs are counted in steps, because times vary. */
import { describe, expect, it } from "vitest";

import { compileMapping, compileMappingInSlices } from "../../../src/mappings/rules/compile-mapping.js";
import { evaluateMapping, STEP_BUDGET } from "../../../src/mappings/rules/evaluate-mapping.js";
import { MappingRulesError } from "../../../src/mappings/mapping-errors.js";
import { fieldTexts, fillTemplate, parseTemplate } from "../../../src/mappings/python/format.js";
import { compileRegex } from "../../../src/mappings/regex/regex.js";
import { StepBudgetError } from "../../../src/mappings/python/step-budget.js";
import { traceMapping } from "../../../src/mappings/rules/trace-mapping.js";

const LARGEST = 65_536;
const LETTERS = "a".repeat(LARGEST);
const NAME = { user: { name: "kim" } };

/** The mapped user, or the reason of the rejection. */
function map(rules: readonly object[], values: string): string {
  const outcome = evaluateMapping(compileMapping({ rules }), { U: values });
  return outcome.kind === "mapped" ? "mapped" : outcome.failure.reason;
}

const groups = (count: number) => Array.from({ length: count }, (_, index) => `group-${index}`).join(";");
const times = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index));

function outcomeOf(search: () => boolean): boolean | "too many steps" {
  try {
    return search();
  } catch (error) {
    if (error instanceof StepBudgetError) return "too many steps";
    throw error;
  }
}

/** The steps of a search in a text without a match. */
function stepsOf(pattern: string, text: string): number {
  const budget = { left: 1e9 };
  expect(compileRegex(pattern).search(text, budget)).toBe(false);
  return 1e9 - budget.left;
}

/** Look-around and references keep RE2 away from these. */
const HOSTILE = {
  "a reference behind nested loops": String.raw`^(a+)+\1$`,
  "references in a row": String.raw`(a*)\1\1\1[bc]`,
  "a loop of looks": String.raw`(?:(?=a)a)*(?![^b])[bc]`,
  "looks within looks": "(?=(?=(?=(?=a*[bc])|a*[cd])|a*[de])|a*[ef])[fg]|a(?=a*[bc])",
  "looks with a thousand groups to remember": String.raw`(?:(?=a)a)*${"(x)?".repeat(900)}\1[bc]`,
  "atomic groups with a thousand groups to remember": `(?:(?>a))*${"()".repeat(1300)}(?(1)[bc]|d)`,
  "an automaton of 2^30 states": "[ab]*a[ab]{30}[cd]",
};

it("a pattern has at most 4,096 characters", () => {
  const budget = () => ({ left: STEP_BUDGET });
  expect(compileRegex("a".repeat(4096)).search("a".repeat(4096), budget())).toBe(true);
  expect(() => compileRegex("a".repeat(4097))).toThrow("longer than 4096 characters");
});

describe("hostile patterns", () => {
  it.each(Object.entries(HOSTILE))("are answered or given up within the budget: %s", (_name, pattern) => {
    const budget = { left: STEP_BUDGET };
    const search = () => compileRegex(pattern).search(`${LETTERS}!`, budget);
    expect([false, "too many steps"]).toContain(outcomeOf(search));
    const remote = [{ type: "U", regex: true, any_one_of: [pattern] }];
    expect(map([{ local: [NAME], remote }], `${LETTERS}!`)).toMatch(/^(too-much-work|no-rule-matched)$/);
  });

  it.each(["^(a+)+$", "(a|a)*[bc]", "(a|aa)+[bc]$", "(?:a*)*[bc]", "(a?){30}a{30}[bc]"])(
    "cost twice as much for twice the text: %s",
    (pattern) => {
      const [once, twice] = [2000, 4000].map((length) => stepsOf(pattern, `${"a".repeat(length)}!`));
      expect((twice ?? Infinity) / (once ?? 1)).toBeLessThan(2.1);
    },
  );

  it("go to RE2 only with a small automaton", () => {
    const engineOf = (pattern: string) => compileRegex(pattern).engine;
    expect(["^cn=(admins|users),ou=.*$", String.raw`^\w+@\w+\.org$`, "^[0-9a-f]{32}$"].map(engineOf)).toEqual(
      ["re2", "re2", "re2"],
    );
    expect(["a[ab]{12}c", "[ab]*a[ab]{150}[cd]", String.raw`\w{300}`].map(engineOf)).toEqual(
      times(3, () => "steps"),
    );
  });

  it("are not searched for in a text without the letters that each match has", () => {
    expect(stepsOf(String.raw`^(a+)+\1bc$`, LETTERS)).toBeLessThan(100);
  });

  it.each(["(?:){4294967294}", "(?:(?:){99999}){99999}", "(?:(?=a){99999}){99999}", "(?:){0,99999}"])(
    "that repeat nothing are read at once, and mean what they mean to Python: %s",
    (pattern) => {
      expect(compileRegex(pattern).search("a", { left: 1000 })).toBe(true);
    },
  );

  it("are refused where all of them together take too long to read", () => {
    const any_one_of = times(20_000, (index) => `x${index}`);
    const rules = [{ local: [NAME], remote: [{ type: "U", regex: true, any_one_of }] }];
    expect(() => compileMapping({ rules })).toThrow(MappingRulesError);
    expect(() => compileMapping({ rules })).toThrow(/compiling the patterns of the mapping takes too long/);
  });

  it("of 2,000 classes of all scripts are read at once", () => {
    for (const pattern of [`(?i)${String.raw`\w`.repeat(2000)}`, `(?i)[${String.raw`\w\W`.repeat(1000)}]`])
      expect(compileRegex(pattern).search("", { left: 10_000 })).toBe(false);
  });
});

describe("many rules and many values", () => {
  const whitelist = (index: number) => [`^group-(${index}|x)[0-9]+$`];

  it("are mapped: 30 rules with a pattern each, 10,000 groups", () => {
    const rules = times(30, (index) => ({
      local: [NAME],
      remote: [{ type: "U", regex: true, whitelist: whitelist(index) }],
    }));
    expect(map(rules, groups(10_000))).toBe("mapped");
  });

  it("are mapped: 10,000 groups become 10,000 groups", () => {
    const local = [NAME, { groups: "{0}", domain: { id: "default" } }, { group_ids: "{0}" }];
    expect(map([{ local, remote: [{ type: "U" }] }], groups(10_000))).toBe("mapped");
  });

  it.each([
    ["2,000 lists", [{ local: [NAME], remote: times(2000, () => ({ type: "U", whitelist: ["a"] })) }]],
    ["2,000 names", [{ local: times(2000, () => ({ user: { name: "{0}" } })), remote: [{ type: "U" }] }]],
    [
      "2,000 lists of groups",
      [{ local: times(2000, () => ({ groups: "{0}", domain: { id: "d" } })), remote: [{ type: "U" }] }],
    ],
    ["2,000 patterns", [{ local: [NAME], remote: [noneOf(times(2000, (index) => `[xy]${index}`))] }]],
    ["2,000 looks", [{ local: [NAME], remote: [noneOf(times(2000, (index) => `(?=[xy])[xz]${index}`))] }]],
  ])("are given up, instead of the time or the memory of their product: %s", (_name, rules) => {
    expect(map(rules, ";".repeat(57_000))).toBe("too-much-work");
  });

  it.each([
    ["texts", { user: { name: "{0}".repeat(1000) } }],
    ["lists of groups", { groups: `['${"{0}".repeat(999)}']`, domain: { id: "d" } }],
  ])("are given up before a template repeats a long value a thousand times: %s", (_name, local) => {
    expect(map([{ local: [local], remote: [{ type: "U" }] }], LETTERS)).toBe("too-much-work");
    expect(map([{ local: [local], remote: [{ type: "U" }] }], ";".repeat(57_000))).toBe("too-much-work");
  });

  it("are paid for field by field while a template is filled", () => {
    const budget = { left: 3 * LARGEST };
    const template = parseTemplate("{0}".repeat(1000));
    expect(() => fillTemplate(template, [LETTERS], budget)).toThrow(StepBudgetError);
    expect(() => fieldTexts(template, [LETTERS], { left: 3 * LARGEST })).toThrow(StepBudgetError);
    expect(budget.left).toBeGreaterThan(-2 * LARGEST);
  });

  it("are refused: a template with more than 1,000 fields", () => {
    const rules = [{ local: [{ user: { name: "{0}".repeat(1001) } }], remote: [{ type: "U" }] }];
    expect(() => compileMapping({ rules })).toThrow("more than 1000 fields");
  });

  it("are compared for the hints of a dry run one by one, not each with each", () => {
    const names = times(30_000, (index) => `name-${index}`);
    const rules = [{ local: [NAME], remote: [{ type: "U", whitelist: names }] }];
    // Each with each would be 900 million pairs, more than the memory holds.
    const trace = traceMapping(compileMapping({ rules }), { U: `${groups(30_000)};NAME-29999` }).trace;
    expect(trace[0]?.conditions[0]?.reason).toContain('"NAME-29999" differs from "name-29999" by case');
  });

  it("have their patterns read in slices, with the same outcome", async () => {
    const patterns = times(1500, (index) => `(a|b)*c${index}`);
    const rules = [{ local: [NAME], remote: [noneOf([...patterns, "(", "(a"])] }];
    let turns = 0;
    let isRunning = true;
    const turn = () => {
      turns++;
      if (isRunning) setImmediate(turn);
    };
    setImmediate(turn);
    const failure = await compileMappingInSlices({ rules }).then(
      () => undefined,
      (error: unknown) => error,
    );
    isRunning = false;
    expect(turns).toBeGreaterThan(1);
    expect(failure).toStrictEqual(thrownBy(() => compileMapping({ rules })));
  });

  it("are given up: 3,000 groups by name, of which Keystone makes 4.5 million", () => {
    const local = times(3000, (index) => ({ group: { name: `g${index}`, domain: { id: "d" } } }));
    expect(map([{ local, remote: [{ type: "U" }] }], "a")).toBe("too-much-work");
  });
});

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

function noneOf(not_any_of: readonly string[]): object {
  return { type: "U", regex: true, not_any_of };
}
