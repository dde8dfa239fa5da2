import { describe, expect, it } from "vitest";

import { readNamed, readScope } from "../../src/auth/login-request.js";

const ADVICE =
  "The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.";

describe("readScope", () => {
  it.each([
    [undefined, { kind: "any" }],
    ["unscoped", { kind: "unscoped" }],
    [{ unscoped: {} }, { kind: "unscoped" }],
    [{ system: { all: true } }, { kind: "system" }],
    // Keystone answers such a login with a token for the system.
    [{ system: {} }, { kind: "system" }],
    [{ domain: { id: "d" } }, { kind: "domain", domain: { id: "d" } }],
    [{ domain: { name: "D" } }, { kind: "domain", domain: { name: "D" } }],
    [{ project: { id: "p" } }, { kind: "project", project: { id: "p" } }],
    [
      { project: { name: "P", domain: { name: "D" } } },
      { kind: "project", project: { name: "P", domain: { name: "D" } } },
    ],
  ])("reads %j", (scope, request) => {
    expect(readScope(scope)).toEqual(request);
  });

  it.each(["bogus", {}, { project: { id: "p" }, domain: { id: "d" } }])("refuses %j", (scope) => {
    expect(() => readScope(scope)).toThrow(
      `Expecting to find system, project, domain, OS-TRUST:trust or unscoped in scope. ${ADVICE}`,
    );
  });

  it.each([
    [{ project: {} }, "Invalid input for field scope/project: id or name must be present."],
    [{ domain: {} }, "Invalid input for field scope/domain: id or name must be present."],
    [
      { project: { name: "P", domain: {} } },
      "Invalid input for field scope/project/domain: id or name must be present.",
    ],
    [{ project: { name: "P" } }, `Expecting to find domain in project. ${ADVICE}`],
  ])("says what is missing in %j", (scope, message) => {
    expect(() => readScope(scope)).toThrow(message);
  });

  it("rejects a system scope without all", () => {
    expect(() => readScope({ system: { all: false } })).toThrow(
      expect.objectContaining({ kind: "unauthorized" }) as Error,
    );
  });
});

describe("readNamed", () => {
  it("wants a domain beside the name of a user", () => {
    expect(() => readNamed({ name: "alice" }, "identity/password/user")).toThrow(
      `Expecting to find domain in user. ${ADVICE}`,
    );
  });
});
