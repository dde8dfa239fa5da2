import { describe, expect, it } from "vitest";

import { proveAll, type AuthMethod, type Proof } from "../../src/auth/auth-methods.js";

const method = (name: string, proof: Partial<Proof> = {}): AuthMethod => ({
  name,
  prove: async () =>
    Promise.resolve({ userId: "alice", methods: [name], position: 9, isUserChecked: false, ...proof }),
});
/** None of these methods looks at the request. */
const SOURCE = { address: "192.0.2.1", request: {} as never };
const METHODS = [
  method("password"),
  method("token", {
    methods: ["password", "token"],
    position: 7,
    isUserChecked: true,
    expiresAt: 5,
    auditChainId: "chain",
  }),
  method("other", { userId: "bob" }),
  method("delegated", {
    delegation: { applicationCredentialId: "a1" },
    scope: { kind: "project", projectId: "p1" },
  }),
  method("elsewhere", { scope: { kind: "project", projectId: "p2" } }),
  method("trusted", { delegation: { trustId: "t1" } }),
];
const prove = (...methods: string[]) =>
  proveAll(
    METHODS,
    { methods, ...(Object.fromEntries(methods.map((name) => [name, {}])) as object) },
    SOURCE,
  );

describe("proveAll", () => {
  it("puts together what the methods prove", async () => {
    expect(await prove("password", "token")).toEqual({
      userId: "alice",
      methods: ["password", "token"],
      expiresAt: 5,
      auditChainId: "chain",
      position: 7,
      isUserChecked: true,
    });
    expect(await prove("token", "password")).toMatchObject({ position: 7, isUserChecked: true });
    expect(await prove("password")).toMatchObject({ position: 9, isUserChecked: false });
  });

  it("keeps what one method limits, and refuses two limits at once", async () => {
    const limits = {
      delegation: { applicationCredentialId: "a1" },
      scope: { kind: "project", projectId: "p1" },
    };
    expect(await prove("delegated", "password")).toMatchObject(limits);
    expect(await prove("password", "delegated")).toMatchObject(limits);
    await expect(prove("delegated", "elsewhere")).rejects.toMatchObject({ kind: "unauthorized" });
    await expect(prove("delegated", "trusted")).rejects.toMatchObject({ kind: "unauthorized" });
  });

  it("counts a method once", async () => {
    expect((await prove("password", "password")).methods).toEqual(["password"]);
  });

  it("lists the known methods when one is unknown", async () => {
    await expect(prove("password", "oauth1")).rejects.toMatchObject({
      kind: "unauthorized",
      isShown: true,
      message: "Attempted to authenticate with an unsupported method.",
      members: {
        identity: { methods: ["password", "token", "other", "delegated", "elsewhere", "trusted"] },
      },
    });
  });

  it("refuses no methods, methods without their part of the request, and two users at once", async () => {
    await expect(prove()).rejects.toMatchObject({ kind: "unauthorized" });
    await expect(proveAll(METHODS, { methods: ["password"] }, SOURCE)).rejects.toMatchObject({
      kind: "invalid",
    });
    await expect(prove("password", "other")).rejects.toMatchObject({ kind: "unauthorized" });
  });
});
