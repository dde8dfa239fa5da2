/**
 * Test vectors: logs made for tests, and what counts in them, worked out by hand after the rules. Gathered 2026-11-22.
 *
 * The folder beside the checkout may have more of them.
 */
import { existsSync, readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { parseAdif } from "../../src/adif.js";
import { countAwards, wpxPrefix } from "../../src/awards.js";

type Expected = readonly [worked: number, confirmed: number, units?: unknown[], confirmedUnits?: unknown[]];

const expected = JSON.parse(vectorFile("expected.json")) as Record<string, Record<string, unknown>>;

function vectorFile(name: string): string {
  const shared = new URL(`../../../../../shared/hamkit/next/awards/${name}`, import.meta.url);
  const own = new URL(name, import.meta.url);
  return readFileSync(existsSync(shared) ? shared : own, "utf8");
}

/** The members that a vector has. */
function membersOf(value: unknown): Record<string, unknown> {
  if (Array.isArray(value)) {
    const [worked, confirmed, units, confirmedUnits] = value as unknown as Expected;
    return {
      worked,
      confirmed,
      ...(units !== undefined && { units }),
      ...(confirmedUnits !== undefined && { confirmedUnits }),
    };
  }
  const { note: _note, ...members } = value as Record<string, unknown>;
  return members;
}

const { wpxPrefixes = {}, ...logs } = expected;

describe.each(Object.keys(logs))("the awards of %s", (log) => {
  const { records } = parseAdif(vectorFile(`${log}.adi`));
  const counts = countAwards(records);

  it("has no key that is not counted", () => {
    expect(Object.keys(counts)).toEqual(expect.arrayContaining(Object.keys(logs[log] ?? {})));
  });

  it.each(Object.entries(logs[log] ?? {}))("%s", (key, value) => {
    expect(counts[key]).toMatchObject(membersOf(value));
  });
});

// In a part of the vectors that the repository does not have.
describe.runIf(Object.keys(wpxPrefixes).length > 0)("wpxPrefix", () => {
  it.each(Object.entries(wpxPrefixes))("%s is %s", (call, prefix) => {
    expect(wpxPrefix(call)).toBe(prefix ?? undefined);
  });
});
