/** Patterns of conditions on the claims of workloads. */
import { describe, expect, it } from "vitest";

import { matches } from "../../../src/federation/protocols/openid/workload/workload-conditions.js";
import { cpuMs } from "../../cpu-time.js";

describe("a pattern", () => {
  it.each([
    ["repo:org/app", "repo:org/app", true],
    ["repo:org/app:x", "repo:org/app", false],
    ["repo:org/app:ref:refs/heads/main", "repo:org/*", true],
    ["repo:org/", "repo:org/*", true],
    ["repo:org-evil/x", "repo:org/*", false],
    ["xrepo:org/x", "repo:org/*", false],
    ["repo:org/app:ref:refs/heads/main", "repo:org/*:ref:refs/heads/main", true],
    ["repo:org/app:ref:refs/heads/main2", "repo:org/*:ref:refs/heads/main", false],
    ["ab", "ab*b", false],
    ["abb", "ab*b", true],
    ["aXbYc", "a*b*c", true],
    ["acb", "a*b*c", false],
    ["repo:org/x\ny", "repo:org/*", false],
    ["repo:org/x\u0085y", "repo:org/*", false],
    ["repo.org/app", "repo:org/app", false],
    ["repoXorg", "repo.org", false],
    ["A", "a", false],
  ])("%j by %j: %s", (value, pattern, expected) => {
    expect(matches(value, pattern)).toBe(expected);
  });

  it("takes linear time", () => {
    const started = cpuMs();
    expect(matches("a".repeat(100_000), `${"a*".repeat(200)}b`)).toBe(false);
    expect(cpuMs() - started).toBeLessThan(1000);
  });
});
