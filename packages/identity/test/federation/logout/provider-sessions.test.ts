/** Sessions at providers: how many rows they take, and for how long. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import type { ProviderSession } from "../../../src/federation/assertion-verifier.js";
import { createPendingLogins } from "../../../src/federation/browser/pending-logins.js";
import {
  createProviderSessions,
  type ProviderSessions,
} from "../../../src/federation/logout/provider-sessions.js";
import type { Database } from "../../../src/platform/database/database.js";
import { openDatabase } from "../../../src/platform/database/open-database.js";
import { newId } from "../../../src/platform/ids.js";
import { newAuditId } from "../../../src/tokens/audit-ids.js";
import { toMasterKey } from "../../../src/platform/secrets/sealing.js";
import { createRevocations } from "../../../src/tokens/revocations.js";
import { databases, type TestDatabase } from "../../databases.js";
import { migratedDatabase } from "../../migrated-databases.js";

const HOUR_MS = 3_600_000;
const START = Date.parse("2026-11-21T12:00:00Z");
const KEY = { idpId: "idp", id: "openid" };

let place: TestDatabase;
let database: Database;
let now: number;
let sessions: ProviderSessions;
beforeAll(async () => {
  place = await migratedDatabase(databases);
  database = openDatabase(place.url);
});
beforeEach(async () => {
  const tables = database.tables<Record<string, object>>();
  for (const table of ["federated_session", "federated_logout", "revocation_event"])
    await tables.deleteFrom(table).execute();
  now = START;
  sessions = create();
});
afterAll(async () => {
  await database.close();
  await place.remove();
});

function create(masterKey = 3): ProviderSessions {
  const clock = { now: () => now };
  const { revokeTokens } = createRevocations({ database, clock, newId, retentionMs: HOUR_MS });
  return createProviderSessions({
    database,
    clock,
    newAuditId,
    pendingLogins: createPendingLogins({
      database,
      clock,
      masterKey: toMasterKey(Buffer.alloc(32, masterKey)),
    }),
    revokeTokens,
    lifetimeMs: HOUR_MS,
  });
}

const session = (parts: Partial<ProviderSession> = {}): ProviderSession => ({
  subject: ["kim"],
  index: "s1",
  issuedAt: now,
  hint: { secret: "of kim" },
  ...parts,
});

async function rowsIn(table: string): Promise<Record<string, unknown>[]> {
  return database.tables<Record<string, Record<string, unknown>>>().selectFrom(table).selectAll().execute();
}

describe("recorded sessions", () => {
  it("take one row for all logins of a user with a session, and share a chain", async () => {
    const [first, second] = [
      await sessions.record(KEY, session(), "u"),
      await sessions.record(KEY, session(), "u"),
    ];
    expect(second).toBe(first);
    expect(await rowsIn("federated_session")).toHaveLength(1);
    const others = [
      await sessions.record(KEY, session({ index: "s2" }), "u"),
      await sessions.record(KEY, session({ index: undefined }), "u"),
      await sessions.record(KEY, session({ subject: ["kim", ""] }), "u"),
      await sessions.record(KEY, session(), "v"),
      await sessions.record({ ...KEY, id: "other" }, session(), "u"),
    ];
    expect(new Set([first, ...others]).size).toBe(6);
  });

  it("hold names as digests, and what providers require sealed", async () => {
    await sessions.record(KEY, session({ subject: ["a user's name"], index: "a session's name" }), "u");
    expect(JSON.stringify(await rowsIn("federated_session"))).not.toMatch(/name|secret|of kim/);
  });

  it("are renewed by later logins, and deleted once all their tokens have expired", async () => {
    const chain = await sessions.record(KEY, session(), "u");
    now += HOUR_MS;
    expect(await sessions.record(KEY, session(), "u")).toBe(chain);
    // Ten minutes more than tokens, and two for the clocks of replicas.
    now += HOUR_MS + 719_000;
    await sessions.record(KEY, session({ index: "s2" }), "u");
    expect(await rowsIn("federated_session")).toHaveLength(2);
    now += 62_000;
    await sessions.record(KEY, session({ index: "s3" }), "u");
    const chains = (await rowsIn("federated_session")).map((row) => row["audit_chain_id"]);
    expect(chains).toHaveLength(2);
    expect(chains).not.toContain(chain);
  });

  it("return what the provider requires, once, and not after a change of the master key", async () => {
    const chains = [await sessions.record(KEY, session(), "u"), await sessions.record(KEY, session(), "v")];
    expect(await sessions.endChain(chains[0] ?? "")).toEqual({ secret: "of kim" });
    expect(await sessions.endChain(chains[0] ?? "")).toBeUndefined();
    expect(await create(4).endChain(chains[1] ?? "")).toBeUndefined();
    expect(await rowsIn("revocation_event")).toHaveLength(3);
  });
});

describe("logouts", () => {
  it("are kept for a day", async () => {
    await sessions.end(KEY, { subject: ["kim"], indexes: [], issuedAt: START });
    await expect(sessions.record(KEY, session(), "u")).rejects.toMatchObject({ facts: { step: "session" } });
    now += 24 * HOUR_MS + 121_000;
    await sessions.end(KEY, { subject: ["lee"], indexes: ["x", "y"], issuedAt: now });
    expect(await rowsIn("federated_logout")).toHaveLength(2);
  });

  it("keep the latest time that the provider named", async () => {
    await sessions.end(KEY, { subject: ["kim"], indexes: [], issuedAt: START });
    await sessions.end(KEY, { subject: ["kim"], indexes: [], issuedAt: START - 1000 });
    await expect(sessions.record(KEY, session({ issuedAt: START }), "u")).rejects.toMatchObject({
      facts: { step: "session" },
    });
  });

  it.each([
    // The logout, the login, and whether it stops the login.
    [{ subject: ["kim"], indexes: [] }, { subject: ["kim"], index: "s1" }, true],
    [{ subject: ["kim"], indexes: [] }, { subject: ["kim"], index: undefined }, true],
    [{ subject: ["kim"], indexes: [] }, { subject: ["lee"], index: "s1" }, false],
    [{ subject: ["kim"], indexes: ["s1"] }, { subject: ["kim"], index: "s1" }, true],
    [{ subject: ["kim"], indexes: ["s1"] }, { subject: ["kim"], index: "s2" }, false],
    [{ subject: ["kim"], indexes: ["s1"] }, { subject: ["kim"], index: undefined }, true],
    [{ subject: ["kim"], indexes: ["s1"] }, { subject: ["lee"], index: "s1" }, false],
    [{ subject: undefined, indexes: ["s1"] }, { subject: ["kim"], index: "s1" }, true],
    [{ subject: undefined, indexes: ["s1"] }, { subject: ["kim"], index: "s2" }, false],
    [{ subject: undefined, indexes: ["s1"] }, { subject: ["kim"], index: undefined }, false],
    [{ subject: undefined, indexes: [] }, { subject: ["kim"], index: "s1" }, false],
  ])("%j concern a login %j: %j", async (logout, login, isConcerned) => {
    await sessions.record(KEY, session(login), "u");
    expect((await sessions.end(KEY, { ...logout, issuedAt: START })).count).toBe(isConcerned ? 1 : 0);
    const later = sessions.record(KEY, session(login), "u").then(
      () => false,
      () => true,
    );
    expect(await later).toBe(isConcerned);
    await expect(sessions.record({ ...KEY, idpId: "foreign" }, session(login), "u")).resolves.not.toBe("");
  });
});
