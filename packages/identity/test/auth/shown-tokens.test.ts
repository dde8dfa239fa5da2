/** Tokens as rules of policy files see them. */
import { expect, it } from "vitest";

import { createShownTokens } from "../../src/auth/token-response.js";
import type { Credentials } from "../../src/policy/caller.js";
import type { Token } from "../../src/tokens/token-service.js";

it("are read again after a failure, and then kept", async () => {
  const answers = [() => Promise.reject(new Error("database away")), async () => []];
  const caller: Credentials = { userId: "u1", userDomainId: "d1", roles: [], scope: { kind: "unscoped" } };
  const user = { id: "u1", name: "kim", domain: { id: "d1", name: "D" }, passwordExpiresAt: null };
  const token = {
    payload: { userId: "u1", methods: ["password"], auditId: "a", issuedAt: 0, expiresAt: 1 },
    facts: { user, scope: { kind: "unscoped" }, roles: [] },
  } as unknown as Token;
  const show = createShownTokens(
    {
      catalog: { of: async () => [], json: async () => "[]" },
      serviceProviders: { listEnabled: () => answers.shift()?.() ?? Promise.reject(new Error("read again")) },
    },
    (who) => (who === caller ? token : undefined),
  );
  await expect(show(caller)).rejects.toThrow("database away");
  const shown = await show(caller);
  expect(shown).toMatchObject({ methods: ["password"], user: { id: "u1" } });
  expect(show(caller)).toBe(shown);
  expect(show({ ...caller })).toBe(undefined);
});
