import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { Credentials } from "../../src/policy/caller.js";
import { migrations } from "../../src/migrations/migrations.js";
import type { Database } from "../../src/platform/database/database.js";
import { migrate } from "../../src/platform/database/migrate.js";
import { openDatabase } from "../../src/platform/database/open-database.js";
import { toMasterKey } from "../../src/platform/secrets/sealing.js";
import { createKeyRing } from "../../src/tokens/signing-keys.js";
import type { RevocableToken } from "../../src/tokens/revocation.js";
import { createSigningKeys, type SigningKeys } from "../../src/tokens/signing-keys.js";
import type { TokenFacts } from "../../src/tokens/token-facts.js";
import type { TokenPayload } from "../../src/tokens/token-payload.js";
import type { LoginReason } from "../../src/platform/login-reasons.js";
import { createTokenService, type TokenService } from "../../src/tokens/token-service.js";

const MINUTE_MS = 60_000;
const domain = { id: "default", name: "Default" };
const credentials: Credentials = {
  userId: "alice",
  roles: ["member"],
  scope: { kind: "project", projectId: "p1", projectDomainId: "default" },
};
const facts: TokenFacts = {
  user: { id: "alice", name: "alice", domain, passwordExpiresAt: null },
  scope: { kind: "project", project: { id: "p1", name: "p1", isDomain: false, domain } },
  roles: [{ id: "m", name: "member" }],
  groupIds: [],
  groupsEndAt: Infinity,
  delegationEndsAt: Infinity,
  credentials,
};

let now: number;
let keys: SigningKeys;
let ended: (token: RevocableToken) => boolean;
let fault: LoginReason | undefined;
let revisions = { facts: 0, revocations: 0 };
let reads = 0;
let validUntil = Infinity;
let whileRead = () => {};
let tokens: TokenService;
let database: Database;
beforeEach(async () => {
  database = openDatabase("sqlite::memory:");
  await migrate(database, migrations);
  now = Date.UTC(2026, 10, 21);
  keys = createSigningKeys({
    database,
    masterKey: toMasterKey(Buffer.alloc(32, 1)),
    clock: { now: () => now },
    maxActiveKeys: 3,
  });
  ended = () => false;
  fault = undefined;
  revisions = { facts: 0, revocations: 0 };
  reads = 0;
  validUntil = Infinity;
  whileRead = () => {};
  tokens = replica();
});
afterEach(() => database.close());

/** A known token is refused at once, without a promise. */
const readLater = async (...given: Parameters<TokenService["read"]>) => tokens.read(...given);
const authenticateLater = async (text: string) => tokens.authenticate(text);

function replica(): TokenService {
  const clock = { now: () => now };
  return createTokenService({
    keyRing: createKeyRing({ keys, clock }),
    readImported: async (text) => Promise.resolve(text === "imported" ? payload() : undefined),
    facts: {
      async read() {
        reads += 1;
        whileRead();
        return Promise.resolve(fault === undefined ? { facts, position: 0, validUntil } : { fault });
      },
    },
    database: { revision: (topic) => (topic in revisions ? revisions[topic as keyof typeof revisions] : 0) },
    revocations: {
      known: async () => Promise.resolve({ position: 8, isRevoked: (token) => ended(token) }),
      revoke: async ({ auditId }) => {
        ended = (token) => token.auditId === auditId;
        revisions.revocations += 1;
        return Promise.resolve();
      },
    },
    clock,
    expiredWindowMs: 10 * MINUTE_MS,
  });
}

function payload(): TokenPayload {
  return {
    userId: "alice",
    methods: ["password"],
    scope: { kind: "project", projectId: "p1" },
    auditId: "AAAAAAAAAAAAAAAAAAAAAA",
    issuedAt: now,
    expiresAt: now + 5 * MINUTE_MS,
  };
}

describe("createTokenService", () => {
  it("reads what it made, with what holds at present", async () => {
    const text = await tokens.seal(payload());
    expect(text).toMatch(/^gAAAA/);
    expect(await tokens.read(text)).toEqual({ payload: payload(), facts, position: 8 });
    expect(await tokens.authenticate(text)).toEqual(credentials);
  });

  it("knows the token of each caller, whose facts others may share", async () => {
    const methods = ["token"];
    const [one, other] = [await tokens.seal(payload()), await tokens.seal({ ...payload(), methods })];
    const callers = [await tokens.authenticate(one), await tokens.authenticate(other)] as const;
    expect(callers.map((caller) => tokens.tokenOf(caller)?.payload.methods)).toEqual([["password"], methods]);
    expect(await tokens.authenticate(one)).toBe(callers[0]);
    expect(tokens.tokenOf({ ...callers[0] })).toBeUndefined();
  });

  it("tells permission checks by what a token was delegated, whatever its other methods", async () => {
    const delegation = { applicationCredentialId: "ac1" };
    const methods = ["application_credential", "password"];
    expect(await tokens.authenticate(await tokens.seal({ ...payload(), methods, delegation }))).toEqual({
      ...credentials,
      delegation: { kinds: ["application_credential"], by: delegation, isRestricted: false },
    });
    expect(
      await tokens.authenticate(await tokens.seal({ ...payload(), delegation: { trustId: "t1" } })),
    ).toMatchObject({ delegation: { kinds: ["trust"] } });
    // A token that does not say how it was obtained.
    expect(await tokens.authenticate(await tokens.seal({ ...payload(), methods: [] }))).toMatchObject({
      delegation: { kinds: [] },
    });
    const federation = { identityProviderId: "idp", protocolId: "corp-sso", groupIds: [] };
    const federated = { ...payload(), methods: ["corp-sso", "token"], federation };
    expect(await tokens.authenticate(await tokens.seal(federated))).toEqual(credentials);
  });

  it("copies a token's position to tokens rescoped from it; a token of the previous release starts at the known position", async () => {
    const text = await tokens.seal({ ...payload(), positions: { proof: 5, scope: 7 } });
    expect(await tokens.read(text)).toMatchObject({ position: 5 });
    expect(await tokens.read(await tokens.seal(payload()))).toMatchObject({ position: 8 });
  });

  it("reads a token of an imported Keystone, which none of its keys verifies", async () => {
    expect(await tokens.read("imported")).toMatchObject({ payload: payload(), facts });
  });

  it.each([
    ["", "No token in the request"],
    ["garbage", "Could not recognize Fernet token"],
  ])("does not know %j", async (text, message) => {
    await expect(readLater(text)).rejects.toMatchObject({ kind: "not-found", message });
  });

  it("rejects a malformed token", async () => {
    await expect(authenticateLater("garbage")).rejects.toMatchObject({
      kind: "unauthorized",
    });
  });

  it("ends a token in its time, and shows it a while longer to those who ask for that", async () => {
    const text = await tokens.seal(payload());
    now += 5 * MINUTE_MS;
    await expect(readLater(text)).rejects.toMatchObject({ reason: "token-expired" });
    await expect(authenticateLater(text)).rejects.toMatchObject({ kind: "unauthorized" });
    expect(await tokens.read(text, { allowExpired: true })).toMatchObject({ facts });
    now += 10 * MINUTE_MS;
    await expect(readLater(text, { allowExpired: true })).rejects.toMatchObject({
      kind: "not-found",
    });
  });

  it("ends a token that was revoked", async () => {
    const text = await tokens.seal(payload());
    await tokens.revoke(await tokens.read(text));
    await expect(readLater(text)).rejects.toMatchObject({
      message: "Failed to validate token",
      reason: "token-revoked",
    });
  });

  it("reads the facts of a token once until they may have changed", async () => {
    validUntil = now + MINUTE_MS;
    const text = await tokens.seal(payload());
    const first = await tokens.read(text);
    expect(await tokens.read(text)).toBe(first);
    expect(reads).toBe(1);
    revisions.facts += 1;
    expect(await tokens.read(text)).not.toBe(first);
    revisions.revocations += 1;
    await tokens.read(text);
    expect(reads).toBe(3);
    now = validUntil;
    fault = "no-role";
    await expect(readLater(text)).rejects.toMatchObject({ reason: fault });
  });

  it.each(["facts", "revocations"] as const)(
    "does not keep a token whose %s changed while it was read",
    async (topic) => {
      const text = await tokens.seal(payload());
      whileRead = () => {
        revisions[topic] += 1;
        whileRead = () => {};
      };
      for (let time = 0; time < 3; time++) await tokens.read(text);
      expect(reads).toBe(2);
    },
  );

  it("rejects a token when a resource that it depends on was deleted, and logs the reason only", async () => {
    const text = await tokens.seal(payload());
    await tokens.read(text);
    fault = "user-disabled";
    revisions.facts += 1;
    await expect(readLater(text)).rejects.toMatchObject({
      message: "Failed to validate token",
      reason: fault,
    });
  });

  it("reads tokens of a replica that has rotated the keys twice since", async () => {
    const other = replica();
    await other.read(await tokens.seal(payload()));
    now += 2000;
    await keys.rotate();
    await keys.rotate();
    const text = await replica().seal(payload());
    expect(await other.read(text)).toMatchObject({ facts });
  });
});
