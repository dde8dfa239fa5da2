/** Tokens as rules of policy files see them. */
import { expect, it } from "vitest";

import { createShownTokens } from "../../src/auth/token-response.js";
import type { Credentials } from "../../src/policy/caller.js";
import type { Token } from "../../src/tokens/token-service.js";

it("are made once for a caller, of its own token", () => {
  const caller = (userId: string): Credentials => ({
    userId,
    userDomainId: "d1",
    roles: [],
    scope: { kind: "unscoped" },
  });
  const tokenOf = ({ userId: id }: Credentials) => ({
    payload: { userId: id, methods: ["password"], auditId: "a", issuedAt: 0, expiresAt: 1 },
    facts: {
      user: { id, name: "kim", domain: { id: "d1", name: "D" }, passwordExpiresAt: null },
      scope: { kind: "unscoped" },
      roles: [],
    },
  });
  const [kim, lee, passing] = [caller("kim"), caller("lee"), caller("passing")];
  let made = 0;
  const show = createShownTokens((who) => {
    made++;
    return who === passing ? undefined : (tokenOf(who) as unknown as Token);
  });
  expect(show(kim)).toMatchObject({ methods: ["password"], user: { id: "kim", domain: { id: "d1" } } });
  expect(show(kim)).toBe(show(kim));
  expect(show(lee)).toMatchObject({ user: { id: "lee" } });
  expect(made).toBe(2);
  expect(show(passing)).toBe(undefined);
});
