/** What the result of a test login shows of large assertions and traces. */
import { describe, expect, it } from "vitest";

import { AssertionRefusedError } from "../../../src/federation/federation-errors.js";
import { createLoginTrace, type LoginTrace } from "../../../src/federation/login-trace.js";
import { resultOf, type TestLoginResultDeps } from "../../../src/workbench/test-login/test-login-result.js";

/** Of a failed login, which has neither user nor groups. */
function resultWith(seen: Pick<LoginTrace, "attributes" | "mapping">) {
  const failure = new AssertionRefusedError({ step: "mapping", reason: "no rule matched" });
  const trace = Object.assign(createLoginTrace(), seen);
  const tested = { checks: [], isByToken: false, trace, outcome: { failure } } as const;
  return resultOf({} as TestLoginResultDeps, tested);
}

describe("the result of a test login", () => {
  it("has the trace of a mapping if that has at most 200,000 characters in JSON", async () => {
    const mappingOf = (length: number) => {
      const mapping = { id: "", trace: [{ rule: 0 }], result: null, error: null };
      const id = "x".repeat(length - JSON.stringify(mapping).length);
      return { ...mapping, id } as unknown as NonNullable<LoginTrace["mapping"]>;
    };
    const shown = await resultWith({ mapping: mappingOf(200_000) });
    expect(shown).toMatchObject({ mapping: { trace: [{ rule: 0 }] }, truncated: false });
    const cut = await resultWith({ mapping: mappingOf(200_001) });
    expect(cut).toMatchObject({ mapping: { trace: [] }, truncated: true });
  });

  it("has at most 200 attributes, and 2000 characters of each", async () => {
    const attributesOf = (count: number, length: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, "x".repeat(length)]));
    expect(await resultWith({ attributes: attributesOf(200, 2000) })).toMatchObject({
      attributes: attributesOf(200, 2000),
      truncated: false,
    });
    const many = await resultWith({ attributes: attributesOf(201, 1) });
    expect([Object.keys(many.attributes ?? {}).length, many.truncated]).toEqual([200, true]);
    expect((await resultWith({ attributes: attributesOf(1, 2001) })).truncated).toBe(true);
  });
});
