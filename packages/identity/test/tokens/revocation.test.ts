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
  const index = createRevocationIndex({ retentionMs: 1e12 });
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

  it("keeps of events that differ in their moments the one that reaches furthest", () => {
    const index = createRevocationIndex({ retentionMs: 1000 });
    for (const issuedBefore of [5, 9, 7]) index.add({ userId: "alice", ...at(issuedBefore) });
    expect(index.size).toBe(1);
    expect(index.isRevoked({ ...TOKEN, issuedAt: 9 })).toBe(true);
    expect(index.isRevoked({ ...TOKEN, issuedAt: 10 })).toBe(false);
  });

  it("drops an event when no token that it ends can be asked about any more, and not before", () => {
    const index = createRevocationIndex({ retentionMs: 3_600_000 });
    index.add({ userId: "alice", ...at(1000) });
    index.add({ userId: "bob", ...at(2000) });
    index.prune(3_601_000);
    expect(index.size).toBe(2);
    index.prune(3_601_001);
    expect(index.size).toBe(1);
    expect(index.isRevoked(TOKEN)).toBe(false);
    index.add({ userId: "alice", ...at(1000) });
    expect(index.isRevoked(TOKEN)).toBe(true);
  });

  it("keeps apart names that would be the same written one behind the other", () => {
    expect(isRevoked(TOKEN, { userId: "alice projectId web", ...at(5000) })).toBe(false);
    const index = createRevocationIndex({ retentionMs: 1 });
    index.add({ userId: "a", projectId: "b", ...at(1) });
    index.add({ userId: "a", roleId: "b", ...at(1) });
    expect(index.size).toBe(2);
  });
});
