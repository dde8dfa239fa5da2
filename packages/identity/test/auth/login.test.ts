import { expect, it } from "vitest";

import type { Proof } from "../../src/auth/auth-methods.js";
import { createLogin } from "../../src/auth/login.js";
import type { ScopeRequest } from "../../src/auth/login-request.js";
import type { TokenPayload } from "../../src/tokens/token-payload.js";

/** What is sealed for a proof, where the facts were read at a position. */
async function sealed(
  proof: Pick<Proof, "position" | "isUserChecked">,
  { factsPosition, scope }: { readonly factsPosition: number; readonly scope: ScopeRequest },
): Promise<TokenPayload | undefined> {
  let payload: TokenPayload | undefined;
  const credentials = { userId: "alice", roles: [], scope: { kind: "unscoped" } } as const;
  const domain = { id: "d", name: "d" };
  const user = { id: "alice", name: "alice", domain, passwordExpiresAt: null };
  const facts = {
    user,
    scope: credentials.scope,
    roles: [],
    groupIds: [],
    groupsEndAt: Infinity,
    delegationEndsAt: Infinity,
    credentials,
  };
  const login = createLogin({
    database: { revision: () => 0 },
    tokens: {
      seal: async (made) => {
        payload = made;
        return "text";
      },
    },
    facts: { read: async () => ({ facts, position: factsPosition, validUntil: Infinity }) },
    users: { findUser: async () => undefined },
    projects: { findDomain: async () => undefined, findProject: async () => ({ id: "p" }) },
    trusts: { find: async () => undefined, takeUse: async () => false },
    receipts: { issue: unexpected, prove: unexpected },
    requireSqlDriver: async () => {},
    clock: { now: () => 9000 },
    newAuditId: () => "audit",
    lifetimeMs: 60_000,
  });
  await login({ userId: "alice", methods: ["password"], ...proof }, scope);
  return payload;
}

const UNSCOPED = { kind: "unscoped" } as const;
const PROJECT = { kind: "project", project: { id: "p" } } as const;

it("makes a token that lasts from now on", async () => {
  const proof = { position: 5, isUserChecked: true };
  const payload = await sealed(proof, { factsPosition: 5, scope: UNSCOPED });
  expect(payload).toMatchObject({ issuedAt: 9000, expiresAt: 69_000 });
});

it.each([
  // A password, read with its user; a token's own position; cached facts.
  [{ position: 7, isUserChecked: true }, 5, PROJECT, { proof: 7, scope: 5 }],
  [{ position: 3, isUserChecked: true }, 5, PROJECT, { proof: 3, scope: 5 }],
  [{ position: 7, isUserChecked: true }, 5, UNSCOPED, { proof: 7, scope: 7 }],
  // An assertion does not state whether the user is enabled: this is as old as the facts.
  [{ position: 7, isUserChecked: false }, 5, PROJECT, { proof: 5, scope: 5 }],
  [{ position: 3, isUserChecked: false }, 5, PROJECT, { proof: 3, scope: 5 }],
])("keeps in a token how old that is what it rests on: %j with facts of %j", async (...row) => {
  const [proof, factsPosition, scope, positions] = row;
  expect((await sealed(proof, { factsPosition, scope }))?.positions).toEqual(positions);
});

function unexpected(): never {
  throw new TypeError("no receipt is expected");
}
