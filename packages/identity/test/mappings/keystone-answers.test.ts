/**
 * Random rules and assertions, valid and invalid, with the results of Keystone's engine (July 2026). The members of sets are in
 * the order that differences.md defines.
 */
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";

import { describe, expect, it } from "vitest";

import { compileMapping, type Mapping } from "../../src/mappings/rules/compile-mapping.js";
import { evaluateMapping, type Assertion } from "../../src/mappings/rules/evaluate-mapping.js";
import { MappingRulesError } from "../../src/mappings/mapping-errors.js";

interface Row {
  readonly rules: unknown;
  readonly schema_version: unknown;
  readonly assertion: Assertion;
  readonly keystone: "refused" | "failed" | { readonly group_ids: readonly unknown[] };
}

const rows = readFileSync(new URL("fixtures/keystone-answers.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Row);

function outcomeOf({ rules, schema_version: schemaVersion, assertion }: Row): unknown {
  let mapping: Mapping;
  try {
    mapping = compileMapping({ rules, schemaVersion });
  } catch (error) {
    if (error instanceof MappingRulesError) return "refused";
    throw error;
  }
  const outcome = evaluateMapping(mapping, assertion);
  return outcome.kind === "mapped" ? inOrder(outcome.identity) : "failed";
}

/** The ids of groups are a set to Keystone. */
const inOrder = <Identity extends { readonly group_ids: readonly unknown[] }>(identity: Identity) => ({
  ...identity,
  group_ids: identity.group_ids.map((id) => JSON.stringify(id)).toSorted(),
});

describe("Keystone's answers to rules made at random", () => {
  it.each(["refused", "failed", "mapped"])("are ours too: %s", (kind) => {
    const some = rows.filter(({ keystone }) => (typeof keystone === "string" ? keystone : "mapped") === kind);
    expect(some.length).toBeGreaterThan(50);
    const answerOf = ({ keystone }: Row) => (typeof keystone === "string" ? keystone : inOrder(keystone));
    const different = some.filter((row) => !isDeepStrictEqual(outcomeOf(row), answerOf(row)));
    expect(different).toStrictEqual([]);
  });
});
