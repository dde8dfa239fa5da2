import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { compileMapping } from "../../src/mappings/rules/compile-mapping.js";
import { evaluateMapping, type Assertion } from "../../src/mappings/rules/evaluate-mapping.js";
import { MappingRulesError } from "../../src/mappings/mapping-errors.js";

/** The blocks of an example, by their names: rules, assertion, and what comes of them. */
type Example = Readonly<Partial<Record<string, unknown>>>;

const text = readFileSync(new URL("../../../../docs/identity/mappings.md", import.meta.url), "utf8");

/** Examples end with what comes of them. */
function examples(): readonly Example[] {
  const found: Example[] = [];
  let current: Record<string, unknown> = {};
  for (const [, name = "", body = ""] of text.matchAll(/^```json (\w+)\n([\s\S]*?)^```$/gm)) {
    current[name] = JSON.parse(body);
    if (!["result", "error", "faults"].includes(name)) continue;
    found.push(current);
    current = {};
  }
  return found;
}

function outcomeOf({ rules, schema_version: schemaVersion, assertion }: Example): Example {
  try {
    const outcome = evaluateMapping(compileMapping({ rules, schemaVersion }), (assertion ?? {}) as Assertion);
    return outcome.kind === "mapped" ? { result: outcome.identity } : { error: outcome.failure.reason };
  } catch (error) {
    if (!(error instanceof MappingRulesError)) throw error;
    return { faults: error.problems.map(({ place, fault }) => `${place}: ${fault}`) };
  }
}

describe("docs/identity/mappings.md", () => {
  it.each(examples().map((example) => [JSON.stringify(example["rules"]), example]))(
    "shows the result of %s",
    (_rules, example) => {
      const { rules: _, assertion: _assertion, schema_version: _version, ...expected } = example;
      expect(outcomeOf(example)).toStrictEqual(expected);
    },
  );

  it("has examples of results, of an error and of faults", () => {
    expect(examples().flatMap(Object.keys)).toEqual(expect.arrayContaining(["result", "error", "faults"]));
  });
});
