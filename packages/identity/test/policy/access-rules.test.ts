import { describe, expect, it } from "vitest";

import { matchesPath, requireUsable, type AccessRule } from "../../src/policy/access-rule-matching.js";
import type { Delegation } from "../../src/policy/delegation.js";
import { cpuMs } from "../cpu-time.js";

const rule = (path: string, method = "GET", service = "identity"): AccessRule => ({
  id: path,
  service,
  method,
  path,
});
const withRules = (...accessRules: AccessRule[]): Delegation => ({
  kinds: ["application_credential"],
  by: { applicationCredentialId: "a1" },
  isRestricted: true,
  accessRules,
});

describe("matchesPath (access-rules-are-plain)", () => {
  // The examples of Keystone's guide to application credentials, and the characters that are special in regular expressions.
  it.each([
    ["/v2.1/servers", "/v2.1/servers", true],
    ["/v2.1/servers", "/v2.1/servers/", false],
    ["/v2.1/servers", "/v2x1/servers", false],
    ["/v2.1/servers/*", "/v2.1/servers/1", true],
    ["/v2.1/servers/*", "/v2.1/servers/", false],
    ["/v2.1/servers/*", "/v2.1/servers/1/ips", false],
    ["/v2.1/servers/{server_id}/ips", "/v2.1/servers/1/ips", true],
    ["/v2.1/servers/{server_id}/ips", "/v2.1/servers/1/2/ips", false],
    ["/v2.1/**", "/v2.1/", true],
    ["/v2.1/**", "/v2.1/servers/1/ips", true],
    ["/v2.1/**", "/v2.10/servers", false],
    ["/**/ips", "/v2.1/servers/1/ips", true],
    ["/**", "/", true],
    ["/a*c", "/abc", true],
    ["/a*c", "/ac", false],
    ["/a|/b", "/b", false],
    ["/(a)+", "/(a)+", true],
    ["/[ab]", "/a", false],
    ["/a$", "/a$", true],
    ["/{a", "/{a", true],
  ])("%s and %s: %s", (pattern, path, matches) => {
    expect(matchesPath(pattern, path)).toBe(matches);
  });

  it("takes no longer for a pattern made to be slow", () => {
    const started = cpuMs();
    expect(matchesPath(`${"/**".repeat(42)}b`, `${"/".repeat(8000)}a`)).toBe(false);
    expect(cpuMs() - started).toBeLessThan(5000);
  });
});

describe("requireUsable", () => {
  const request = {
    method: "GET",
    url: "/v3/users/u1?name=/v3/projects",
    routeOptions: { url: "/v3/users/:user_id" },
    params: { user_id: "u1" },
  };
  const use = (delegation: Delegation) => () => requireUsable(delegation, request);

  it("allows requests that a rule for the type identity allows, and any without rules", () => {
    expect(use(withRules(rule("/v3/users/*")))).not.toThrow();
    expect(use(withRules(rule("/v2.1/**", "GET", "compute"), rule("/v3/**")))).not.toThrow();
    expect(use({ kinds: ["application_credential"], by: {}, isRestricted: true })).not.toThrow();
  });

  it("allows the validation of tokens whatever the rules", () => {
    const rules = withRules(rule("/v3/projects"));
    const validation = {
      url: "/v3/auth/tokens?nocatalog",
      routeOptions: { url: "/v3/auth/tokens" },
      params: {},
    };
    expect(() => requireUsable(rules, { ...validation, method: "GET" })).not.toThrow();
    for (const method of ["HEAD", "DELETE"])
      expect(() => requireUsable(rules, { ...validation, method })).toThrow(method);
  });

  it.each([
    ["another path", rule("/v3/projects")],
    ["a path in the query", rule("/v3/users/u1?name=/v3/projects")],
    ["another method", rule("/v3/users/*", "HEAD")],
    ["another service", rule("/v3/users/*", "GET", "compute")],
  ])("refuses requests that a rule allows only for %s", (_, other) => {
    expect(use(withRules(other))).toThrow("no access rule of service type identity allows GET /v3/users/u1");
  });

  it("refuses the tokens of signed requests (CVE-2026-80182)", () => {
    expect(use({ kinds: ["ec2credential"], by: {}, isRestricted: false })).toThrow(
      "You are not authorized to perform the requested action.",
    );
  });
});
