import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import * as scp from "../src/scp.js";
import { createScpList, findByPart, findSimilar } from "../src/scp.js";
import { dataPath, hasGolden } from "./golden.js";

describe("hamkit/scp", () => {
  it("exports what its documentation names", () => {
    expect(Object.keys(scp).sort()).toEqual(["createScpList", "findByPart", "findSimilar"]);
  });
});

describe.skipIf(!hasGolden)("a real list of contest calls", () => {
  const list = createScpList(hasGolden ? readFileSync(dataPath("MASTER.SCP"), "latin1") : "");

  it("has 85,456 calls of 2 May 2023, every line read", () => {
    expect(list.calls).toHaveLength(85_456);
    expect(list.date).toBe("2023-05-02");
    expect(list.skipped).toBe(0);
    expect(list.header).toContain("Release 2023.05.02.00");
  });

  it.each(["DH1", "1TW", "K", "3ZZ", "/KH6", "VK9", "Z7"])("finds every call with the part %s", (part) => {
    const expected = list.calls.filter((call) => call.includes(part));
    expect(expected.length).toBeGreaterThan(0);
    expect(findByPart(list, part, { limit: 100_000 }).sort()).toEqual(expected);
  });

  it.each(["D?1TW", "?/?", "W?A?"])("finds every call with the pattern %s", (part) => {
    const pattern = new RegExp(part.replaceAll("?", "."));
    const expected = list.calls.filter((call) => pattern.test(call));
    expect(expected.length).toBeGreaterThan(0);
    expect(findByPart(list, part, { limit: 100_000 }).sort()).toEqual(expected);
  });

  it.each(["DL1ABC", "K1A", "9A/S53BB/P", "XX9XX"])(
    "finds the calls whose form %s has after one change",
    (call) => {
      // By deletion and wildcard: replaced, one more, one less, swapped.
      const forms = new Set<string>([call]);
      for (let at = 0; at <= call.length; at++) {
        const [before, after] = [call.slice(0, at), call.slice(at)];
        forms.add(`${before}.${after}`);
        if (after === "") continue;
        forms.add(before + after.slice(1)).add(`${before}.${after.slice(1)}`);
        if (after.length > 1) forms.add(before + after.charAt(1) + after.charAt(0) + after.slice(2));
      }
      const pattern = new RegExp(`^(?:${[...forms].join("|")})$`);
      const expected = list.calls.filter((other) => pattern.test(other));
      expect(
        findSimilar(list, call, { limit: 100_000 })
          .map((similar) => similar.call)
          .sort(),
      ).toEqual(expected);
    },
  );
});
