import { describe, expect, it } from "vitest";

import { compilePasswordPattern } from "../../src/passwords/password-pattern.js";
import { cpuMs } from "../cpu-time.js";

/** Expressions, texts that Python's `re.match` finds a match in, and texts in which it doesn't: asked of Python. */
const CASES: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  [String.raw`^(?=.*\d)(?=.*[a-zA-Z]).{7,}$`, ["abcdef1", "1234567a"], ["abcdefg", "1234567", "abc1", ""]],
  [String.raw`^(?!.*password)(?!.*\s).{4,}$`, ["Secret", "passwor"], ["my password", "password", "a b c d"]],
  ["[a-z]{3}", ["abc", "abcd"], ["1abc", "ab"]],
  ["^[a-z]{3}\\Z", ["abc"], ["abcd", "abc\n"]],
  ["(?i)^(?=.*X)[a-y]*x", ["abX", "x"], ["ab"]],
  [String.raw`(?=.*[)\]])(?=[(])\(.\)`, ["(a)", "(b)]"], ["a()", "(ab"]],
  [String.raw`(?=(?:a|b)c)(?=..d).+`, ["acd", "bcd"], ["ccd", "ace"]],
  ["^(?=.*[0-9])(?:ab|cd).*", ["ab1", "cd0"], ["ef1", "ab"]],
  ["a|b", ["a", "b"], ["c"]],
  ["", ["", "anything"], []],
];

describe("compilePasswordPattern", () => {
  it.each(CASES)("reads %s as Python does", (pattern, good, bad) => {
    const matches = compilePasswordPattern(pattern);
    for (const password of good) expect([password, matches(password)]).toEqual([password, true]);
    for (const password of bad) expect([password, matches(password)]).toEqual([password, false]);
  });

  it.each([
    ["(", "missing closing"],
    [String.raw`(.)\1`, "invalid escape"],
    ["^.{3}(?=a)", "(?="],
    ["^(?=a)b|c", "followed by alternatives (|)"],
    ["(?<=a)b", "unsupported pattern"],
  ])("refuses %s when it is set, and says why", (pattern, reason) => {
    expect(() => compilePasswordPattern(pattern)).toThrow(reason);
    expect(() => compilePasswordPattern(pattern)).toThrow("password_regex: ");
  });

  it("password-regex-is-ascii: classes are of ASCII, and $ is the very end", () => {
    const cases = [
      [String.raw`\d`, "5", "٥"],
      [String.raw`\w`, "a", "ä"],
      ["a$", "a", "a\n"],
    ] as const;
    for (const [pattern, good, bad] of cases)
      expect([good, bad].map(compilePasswordPattern(pattern))).toEqual([true, false]);
  });

  it("decides fast where a backtracking engine would not come to an end", () => {
    const matches = compilePasswordPattern("^(?=(?:a+)+b)(?:a*)*$");
    const start = cpuMs();
    expect(matches("a".repeat(4096))).toBe(false);
    expect(cpuMs() - start).toBeLessThan(1000);
  });
});
