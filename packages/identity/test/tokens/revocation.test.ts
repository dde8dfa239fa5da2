import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  concerns,
  createRevocationIndex,
  type RevocableToken,
  type RevocationEvent,
} from "../../src/tokens/revocation.js";

const TOKEN: RevocableToken = {
  auditId: "audit-2",
  auditChainId: "audit-1",
  userId: "alice",
  userDomainId: "staff",
  projectId: "web",
  projectDomainId: "sales",
  roleIds: ["member", "reader"],
  issuedAt: 1000,
  expiresAt: 3_601_000,
};
const { projectId: _project, projectDomainId: _projectDomain, ...WITHOUT_PROJECT } = TOKEN;
const DOMAIN_TOKEN: RevocableToken = { ...WITHOUT_PROJECT, domainId: "sales" };

function at(moment: number): { issuedBefore: number; revokedAt: number } {
  return { issuedBefore: moment, revokedAt: moment };
}

function isRevoked(token: RevocableToken, ...events: RevocationEvent[]): boolean {
  const index = createRevocationIndex();
  for (const event of events) index.add(event);
  return index.isRevoked(token);
}

describe("a token is revoked", () => {
  it.each<[string, Partial<RevocationEvent>]>([
    ["of it alone", { auditId: "audit-2" }],
    ["of the chain it is in", { auditChainId: "audit-1" }],
    ["of its user", { userId: "alice" }],
    ["of its project", { projectId: "web" }],
    ["of one of its roles", { roleId: "reader" }],
    ["of its user's domain", { domainId: "staff" }],
    ["of its project's domain", { domainId: "sales" }],
    ["of a user in a project", { userId: "alice", projectId: "web" }],
    ["of a role of a user in a project", { userId: "alice", projectId: "web", roleId: "member" }],
    ["of tokens of a user that expire in a second", { userId: "alice", expiresAt: 3_601_999 }],
    ["of everything", {}],
  ])("by an event %s", (_, features) => {
    expect(isRevoked(TOKEN, { ...features, ...at(1000) })).toBe(true);
    expect(isRevoked(TOKEN, { ...features, ...at(5000) })).toBe(true);
  });

  it.each<[string, Partial<RevocationEvent>]>([
    ["another token of its chain", { auditId: "audit-1" }],
    ["another chain", { auditChainId: "audit-2" }],
    ["another user", { userId: "bob" }],
    ["another project", { projectId: "mail" }],
    ["a role it hasn't", { roleId: "admin" }],
    ["another domain", { domainId: "web" }],
    ["tokens for the domain, which are not for its projects", { domainScopeId: "sales" }],
    ["its user in another project", { userId: "alice", projectId: "mail" }],
    ["another user in its project", { userId: "bob", projectId: "web" }],
    ["tokens of its user that expire in another second", { userId: "alice", expiresAt: 3_602_000 }],
  ])("not by an event of %s", (_, features) => {
    expect(isRevoked(TOKEN, { ...features, ...at(5000) })).toBe(false);
  });

  it("by an event of any party of its trust", () => {
    const trusted = { ...TOKEN, trustUserIds: ["alice", "bob"] };
    for (const userId of ["alice", "bob"]) expect(isRevoked(trusted, { userId, ...at(1000) })).toBe(true);
    expect(isRevoked(trusted, { userId: "carol", ...at(1000) })).toBe(false);
  });

  it("by an event of its trust, and of no other", () => {
    const trusted = { ...TOKEN, trustId: "t1" };
    expect(isRevoked(trusted, { trustId: "t1", ...at(1000) })).toBe(true);
    expect(isRevoked(trusted, { trustId: "t2", ...at(1000) })).toBe(false);
    expect(isRevoked(TOKEN, { trustId: "t1", ...at(1000) })).toBe(false);
  });

  it("by an event of its access token or consumer of OAuth 1.0a, and of no other", () => {
    const authorized = { ...TOKEN, accessTokenId: "a1", consumerId: "c1" };
    for (const features of [
      { accessTokenId: "a1" },
      { consumerId: "c1" },
      { accessTokenId: "a1", consumerId: "c1" },
    ])
      expect(isRevoked(authorized, { ...features, ...at(1000) })).toBe(true);
    expect(isRevoked(authorized, { accessTokenId: "a2", consumerId: "c1", ...at(1000) })).toBe(false);
    expect(isRevoked(TOKEN, { consumerId: "c1", ...at(1000) })).toBe(false);
  });

  it("of an imported Keystone: by time up to the import, by position afterwards", () => {
    const positions = { proof: 8, scope: 8 };
    const imported = { ...TOKEN, isImported: true, positions };
    const event = (position: number, moment: number) => ({ userId: "alice", position, ...at(moment) });
    expect(isRevoked(imported, event(8, 1000))).toBe(true);
    expect(isRevoked(imported, event(8, 999))).toBe(false);
    // By a replica whose clock is behind.
    expect(isRevoked(imported, event(9, 1))).toBe(true);
    // Tokens of this service are compared by position alone.
    expect(isRevoked({ ...TOKEN, positions }, event(8, 1000))).toBe(false);
  });

  it("not by an event from before it was issued, to the millisecond: a new login after a changed password is good", () => {
    expect(isRevoked(TOKEN, { userId: "alice", ...at(999) })).toBe(false);
  });

  it("by an event of the domain that it is for", () => {
    expect(isRevoked(DOMAIN_TOKEN, { domainScopeId: "sales", ...at(1000) })).toBe(true);
    expect(isRevoked(DOMAIN_TOKEN, { domainId: "sales", ...at(1000) })).toBe(true);
    expect(isRevoked(DOMAIN_TOKEN, { domainScopeId: "staff", ...at(1000) })).toBe(false);
  });

  it("domains-end-tokens-of-their-projects: by an event of the domain that its project is in", () => {
    expect(isRevoked(TOKEN, { domainId: "sales", ...at(1000) })).toBe(true);
    expect(isRevoked({ ...TOKEN, projectDomainId: "mail" }, { domainId: "sales", ...at(1000) })).toBe(false);
  });

  it("by one of many events", () => {
    const others = Array.from({ length: 100 }, (_, index) => ({ userId: `user-${index}`, ...at(2000) }));
    expect(isRevoked(TOKEN, ...others)).toBe(false);
    expect(isRevoked(TOKEN, ...others, { roleId: "member", ...at(2000) })).toBe(true);
  });
});

/** An event with a position in the order of commits; its clock is irrelevant. */
function behind(position: number) {
  return { position, issuedBefore: 9e9, revokedAt: 9e9 };
}

describe("a token with positions is revoked by what was committed later, whatever the clocks show:", () => {
  const positions = { proof: 5, scope: 7 };

  it.each<[string, Partial<RevocationEvent>]>([
    ["its user", { userId: "alice" }],
    ["its user's domain", { domainId: "staff" }],
    ["the chain it is in", { auditChainId: "audit-1" }],
    ["everything", {}],
  ])("%s after its proof was read", (_, features) => {
    const token = { ...TOKEN, positions };
    expect(isRevoked(token, { ...features, ...behind(6) })).toBe(true);
    expect(isRevoked(token, { ...features, ...behind(5) })).toBe(false);
    expect(isRevoked(token, { ...features, position: 6, ...at(0) })).toBe(true);
  });

  it.each<[string, Partial<RevocationEvent>]>([
    ["its project", { projectId: "web" }],
    ["its project's domain", { domainId: "sales" }],
    ["one of its roles", { roleId: "reader" }],
    ["its user in its project", { userId: "alice", projectId: "web" }],
  ])("%s after it was read that its user may have it", (_, features) => {
    const token = { ...TOKEN, positions };
    expect(isRevoked(token, { ...features, ...behind(8) })).toBe(true);
    expect(isRevoked(token, { ...features, ...behind(7) })).toBe(false);
    expect(isRevoked({ ...TOKEN, positions: { proof: 9, scope: 7 } }, { ...features, ...behind(8) })).toBe(
      true,
    );
  });

  it("the token itself, always", () => {
    expect(isRevoked({ ...TOKEN, positions }, { auditId: "audit-2", ...behind(1) })).toBe(true);
  });

  it("by the moment where the event is of the release before", () => {
    expect(isRevoked({ ...TOKEN, positions }, { userId: "alice", ...at(1000) })).toBe(true);
    expect(isRevoked({ ...TOKEN, positions }, { userId: "alice", ...at(999) })).toBe(false);
  });
});

describe("an index of revocation events", () => {
  /** Few values, so that events and tokens meet. */
  const name = fc.constantFrom("a", "b");
  const moment = fc.nat(3);
  const anyEvent: fc.Arbitrary<RevocationEvent> = fc.record(
    {
      auditId: name,
      auditChainId: name,
      userId: name,
      projectId: name,
      roleId: name,
      domainScopeId: name,
      domainId: name,
      expiresAt: fc.constantFrom(0, 999, 1000),
      position: fc.integer({ min: 1, max: 4 }),
      issuedBefore: moment,
      revokedAt: moment,
    },
    { requiredKeys: ["issuedBefore", "revokedAt"], noNullPrototype: true },
  );
  const anyToken: fc.Arbitrary<RevocableToken> = fc.record(
    {
      auditId: name,
      auditChainId: name,
      userId: name,
      userDomainId: name,
      projectId: name,
      projectDomainId: name,
      domainId: name,
      roleIds: fc.uniqueArray(name),
      issuedAt: moment,
      expiresAt: fc.constantFrom(0, 500, 1000),
      positions: fc.record({ proof: fc.nat(4), scope: fc.nat(4) }),
    },
    {
      requiredKeys: ["auditId", "auditChainId", "userId", "userDomainId", "roleIds", "issuedAt", "expiresAt"],
      noNullPrototype: true,
    },
  );

  it("answers as if each event were held against the token by itself", () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 8 }), anyToken, (events, token) => {
        expect(isRevoked(token, ...events)).toBe(events.some((event) => concerns(event, token)));
      }),
      { numRuns: 2000 },
    );
  });

  it("ends a token that it names, also one of a replica whose clock is ahead", () => {
    expect(isRevoked({ ...TOKEN, issuedAt: 5000 }, { auditId: TOKEN.auditId, ...at(1000) })).toBe(true);
    expect(isRevoked({ ...TOKEN, issuedAt: 5000 }, { userId: TOKEN.userId, ...at(1000) })).toBe(false);
  });

  it("makes one of events that name the same, which reaches as far as each of them", () => {
    const index = createRevocationIndex();
    for (const [position, issuedBefore] of [
      [2, 5],
      [1, 9],
      [3, 7],
    ] as const)
      index.add({ userId: "alice", position, ...at(issuedBefore) });
    expect(index.size).toBe(1);
    expect(index.isRevoked({ ...TOKEN, issuedAt: 9 })).toBe(true);
    expect(index.isRevoked({ ...TOKEN, issuedAt: 10 })).toBe(false);
    expect(index.isRevoked({ ...TOKEN, positions: { proof: 2, scope: 9 } })).toBe(true);
    expect(index.isRevoked({ ...TOKEN, positions: { proof: 3, scope: 9 } })).toBe(false);
  });

  it("drops events up to a position, and takes no token any more that is older than that", () => {
    const index = createRevocationIndex();
    index.add({ userId: "alice", position: 1, ...at(1000) });
    index.add({ userId: "bob", position: 2, ...at(2000) });
    index.add({ userId: "dora", ...at(2000) });
    index.prune(0);
    expect(index.size).toBe(3);
    index.prune(1);
    expect(index.size).toBe(2);
    // By their moments, as tokens of the release before: only alice's event was dropped.
    const remaining = ["alice", "bob", "dora"].filter((userId) => index.isRevoked({ ...TOKEN, userId }));
    expect(remaining).toEqual(["bob", "dora"]);
    const token = { ...TOKEN, userId: "carol" };
    expect(index.isRevoked({ ...token, positions: { proof: 1, scope: 1 } })).toBe(false);
    expect(index.isRevoked({ ...token, positions: { proof: 0, scope: 1 } })).toBe(true);
  });

  it("keeps apart names that would be the same written one behind the other", () => {
    expect(isRevoked(TOKEN, { userId: "alice projectId web", ...at(5000) })).toBe(false);
    const index = createRevocationIndex();
    index.add({ userId: "a", projectId: "b", ...at(1) });
    index.add({ userId: "a", roleId: "b", ...at(1) });
    expect(index.size).toBe(2);
  });
});
