import { describe, expect, it } from "vitest";

import { hintAtAttribute, hintAtList } from "../../../src/mappings/rules/condition-hint.js";

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`);

describe("a hint compares at most 100", () => {
  it("names of attributes", () => {
    const hintAmong = (others: number) =>
      hintAtAttribute("MAIL", Object.fromEntries([...numbered(others), "mail"].map((name) => [name, "x"])));
    expect(hintAmong(99)).toBe('; it has "mail" (names are case-sensitive)');
    expect(hintAmong(100)).toBe("");
  });

  it("values, and patterns", () => {
    const hintAmong = (values: number, patterns: number) =>
      hintAtList({ listed: [...numbered(patterns).map((name) => `${name}$`), "^staff"], isRegex: true }, [
        ...Array.from({ length: values }, () => ""),
        "a staff",
      ]);
    const hint = '; "^staff" would match without its ^ or $';
    expect(hintAmong(99, 99)).toBe(hint);
    expect(hintAmong(100, 99)).toBe("");
    expect(hintAmong(99, 100)).toBe("");
    expect(hintAtList({ listed: ["^staff", "ops$"], isRegex: true }, ["a staff"])).toBe(hint);
  });
});
