import { expect, it } from "vitest";

import { createLogin } from "../../src/tokens/login.js";
import type { TokenPayload } from "../../src/tokens/token-payload.js";

it("makes a token no younger than its proof, so that what has ended tokens meanwhile ends it too", async () => {
  const sealed: TokenPayload[] = [];
  const credentials = { userId: "alice", roles: [], scope: { kind: "unscoped" } } as const;
  const domain = { id: "d", name: "d" };
  const user = { id: "alice", name: "alice", domain, passwordExpiresAt: null };
  const login = createLogin({
    database: { revision: () => 0 },
    tokens: {
      seal: async (payload) => {
        sealed.push(payload);
        return "text";
      },
    },
    facts: {
      read: async () => ({ facts: { user, scope: credentials.scope, roles: [], groupIds: [], credentials } }),
    },
    users: { findUser: async () => undefined },
    projects: { findDomain: async () => undefined, findProject: async () => undefined },
    receipts: { issue: unexpected, prove: unexpected },
    clock: { now: () => 9000 },
    newAuditId: () => "audit",
    lifetimeMs: 60_000,
  });
  await login({ userId: "alice", methods: ["password"], provenAt: 5000 }, { kind: "unscoped" });
  await login({ userId: "alice", methods: ["mapped"] }, { kind: "unscoped" });
  expect(sealed).toMatchObject([
    { issuedAt: 5000, expiresAt: 65_000 },
    { issuedAt: 9000, expiresAt: 69_000 },
  ]);
});

function unexpected(): never {
  throw new TypeError("no receipt is expected");
}
