/** Revocation of tokens. */
import { setImmediate, setTimeout as delay } from "node:timers/promises";

import type { Generated } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { migrations } from "../../src/migrations/migrations.js";
import type { Database, Queries } from "../../src/platform/database/database.js";
import { migrate } from "../../src/platform/database/migrate.js";
import { openDatabase } from "../../src/platform/database/open-database.js";
import { newId } from "../../src/platform/ids.js";
import type { RevocableToken } from "../../src/tokens/revocation.js";
import { createRevocations, type Revocations } from "../../src/tokens/revocations.js";
import { databases, type TestDatabase } from "../databases.js";
import { migratedDatabase } from "../migrated-databases.js";

const HOUR_MS = 3_600_000;

let place: TestDatabase;
let database: Database;
/** The same database, as other processes open it. */
let other: Database;
let third: Database;
let now: number;
let revocations: Revocations;
beforeEach(async () => {
  place = await migratedDatabase(databases);
  [database, other, third] = [1, 2, 3].map(() => openDatabase(place.url)) as [Database, Database, Database];
  now = Date.UTC(2026, 10, 21);
  revocations = replica();
});
afterEach(async () => {
  await Promise.all([database, other, third].map((each) => each.close()));
  await place.remove();
});

/** @param aheadMs How far its clock is ahead. */
function replica(of = database, aheadMs = 0): Revocations {
  const clock = { now: () => now + aheadMs };
  return createRevocations({ database: of, clock, newId, retentionMs: 2 * HOUR_MS });
}

/** A token that a replica has just issued. */
async function had(from: Revocations, features: Partial<RevocableToken> = {}): Promise<RevocableToken> {
  const { position } = await from.known();
  return token({ positions: { proof: position, scope: position }, ...features });
}

const storedEvents = () =>
  database.tables<Tables>().selectFrom("revocation_event").selectAll().orderBy("position").execute();

function token(features: Partial<RevocableToken> = {}): RevocableToken {
  return {
    auditId: "audit",
    auditChainId: "chain",
    userId: "user",
    userDomainId: "domain",
    roleIds: ["member"],
    issuedAt: now,
    expiresAt: now + HOUR_MS,
    ...features,
  };
}

describe(`revocations on ${databases.name}`, () => {
  it("end one token, and leave others", async () => {
    expect(await isRevoked(revocations, token())).toBe(false);
    await revocations.revoke({ auditId: "audit" });
    expect(await isRevoked(revocations, token())).toBe(true);
    expect(await isRevoked(revocations, token({ auditId: "other" }))).toBe(false);
  });

  it.each([
    [{ userId: "user" }],
    [{ projectId: "p" }],
    [{ roleId: "member" }],
    [{ domainId: "domain" }],
    [{ auditChainId: "chain" }],
  ])("end the tokens with %j, and not those had later, without any time passing", async (end) => {
    const features = { projectId: "p", projectDomainId: "domain" };
    const ended = await had(revocations, features);
    await revocations.revoke(end);
    expect(await isRevoked(revocations, ended)).toBe(true);
    expect(await isRevoked(revocations, await had(revocations, features))).toBe(false);
  });

  it("end tokens of the release before by the moment they were issued at", async () => {
    await revocations.revoke({ userId: "user" });
    expect(await isRevoked(revocations, token())).toBe(true);
    now += 1;
    expect(await isRevoked(revocations, token())).toBe(false);
  });

  it("happen with the change that causes them, or not at all", async () => {
    const failure = database.transaction(
      async (transaction) => {
        await revocations.revokeTokens(transaction, { userId: "user" });
        throw new Error("the change failed");
      },
      { changes: ["facts", "revocations"] },
    );
    await expect(failure).rejects.toThrow("the change failed");
    expect(await isRevoked(revocations, token())).toBe(false);
  });

  it("are known to who starts later", async () => {
    await revocations.revoke({ userId: "user" });
    expect(await isRevoked(replica(), token())).toBe(true);
  });

  it("are noticed by others who were there before", async () => {
    const second = replica();
    expect(await isRevoked(second, token())).toBe(false);
    await revocations.revoke({ userId: "user" });
    expect(await isRevoked(second, token())).toBe(true);
  });

  it("revoke a token that was rescoped between the change and its commit", async () => {
    const elsewhere = replica(other);
    const first = await had(elsewhere);
    const change = await begin(database, (transaction) =>
      revocations.revokeTokens(transaction, { userId: "user" }),
    );
    now += 50;
    // Issued for the first token before the change commits: it keeps the first one's positions.
    const rescoped = await had(elsewhere, { auditId: "second", positions: first.positions });
    const loggedIn = await had(elsewhere, { auditId: "third" });
    await change.commit();
    for (const each of [first, rescoped, loggedIn]) await expectRevoked(elsewhere, each);
    expect(await isRevoked(elsewhere, await had(elsewhere))).toBe(false);
  });

  it("become known in the order of their positions, whichever transaction began first", async () => {
    const reader = replica(other);
    const first = await had(reader, { userId: "first" });
    const second = await had(reader, { userId: "second" });
    const one = await begin(database, (transaction) =>
      revocations.revokeTokens(transaction, { userId: "first" }),
    );
    // Its clock is behind: by moments, the second would be the earlier one.
    now -= HOUR_MS;
    const late = replica(third).revoke({ userId: "second" });
    await delay(50);
    expect(await isRevoked(reader, first)).toBe(false);
    expect(await isRevoked(reader, second)).toBe(false);
    await one.commit();
    await late;
    await expectRevoked(reader, first);
    await expectRevoked(reader, second);
    const rows = await storedEvents();
    expect(rows.map(({ user_id }) => user_id)).toEqual(["first", "second"]);
  });

  it("all count, however many transactions end tokens at once", async () => {
    const reader = replica(other);
    const users = Array.from({ length: 24 }, (_, index) => `user-${index}`);
    const tokens = await Promise.all(users.map((userId) => had(reader, { userId })));
    const [one, two] = [revocations, replica(third)];
    const end = new AbortController();
    const reading = (async () => {
      while (!end.signal.aborted) {
        await reader.known();
        await setImmediate();
      }
    })();
    await Promise.all(users.map((userId, index) => (index % 2 === 0 ? one : two).revoke({ userId })));
    end.abort();
    await reading;
    for (const each of tokens) await expectRevoked(reader, each);
    expect(await storedEvents()).toHaveLength(24);
  });

  it("count after the clock of a replica was once ahead, and while those of others differ by minutes", async () => {
    const [ahead, behind] = [replica(other, 26 * HOUR_MS), replica(third, -HOUR_MS / 6)];
    await ahead.revoke({ userId: "other" });
    for (const each of [ahead, behind, revocations]) await each.known();
    for (const from of [behind, revocations, ahead]) {
      const ended = await had(revocations, { userId: "user" });
      await from.revoke({ userId: "user" });
      for (const each of [ahead, behind, revocations]) {
        await expectRevoked(each, ended);
        expect(await isRevoked(each, await had(from))).toBe(false);
      }
    }
  });

  it("count for tokens from before a restored backup: no position is given out again", async () => {
    await revocations.revoke({ userId: "other" });
    const backup = { position: (await revocations.known()).position };
    now += 5 * HOUR_MS;
    await revocations.revoke({ userId: "other" });
    const before = await had(revocations);
    await database
      .tables<Tables>()
      .deleteFrom("revocation_event")
      .where("position", ">", backup.position)
      .execute();
    await database.tables<Tables>().updateTable("revocation_position").set(backup).execute();
    now += HOUR_MS;
    const restored = replica();
    expect(await isRevoked(restored, before)).toBe(false);
    await restored.revoke({ userId: "user" });
    expect(await isRevoked(restored, before)).toBe(true);
  });

  it("of a database from before keep their order, and end tokens from before by their moments", async () => {
    const old = await databases.create();
    const upgraded = openDatabase(old.url);
    await migrate(
      upgraded,
      migrations.filter(({ name }) => name < "0012"),
    );
    const row = (id: string, revoked_at: number) => ({
      id,
      user_id: id,
      issued_before: revoked_at,
      revoked_at,
    });
    const rows = [row("second", now - 5), row("ahead", now + HOUR_MS), row("first", now - 9)];
    await upgraded.tables<Tables>().insertInto("revocation_event").values(rows).execute();
    await migrate(upgraded, migrations);
    const events = upgraded.tables<Tables>().selectFrom("revocation_event").select(["id", "position"]);
    expect(await events.orderBy("position").execute()).toEqual([
      { id: "first", position: 1 },
      { id: "second", position: 2 },
      { id: "ahead", position: 3 },
    ]);
    const reader = replica(upgraded);
    expect(await isRevoked(reader, token({ userId: "second", issuedAt: now - 5 }))).toBe(true);
    expect(await isRevoked(reader, token({ userId: "second", issuedAt: now - 4 }))).toBe(false);
    expect(await isRevoked(reader, await had(reader, { userId: "ahead" }))).toBe(false);
    const later = await had(reader);
    expect(later.positions).toEqual({ proof: 3, scope: 3 });
    await reader.revoke({ userId: "user" });
    expect(await isRevoked(reader, later)).toBe(true);
    await upgraded.close();
    await old.remove();
  });

  it("of a process of the release before, which knows no positions, end tokens by moments", async () => {
    const before = await had(revocations);
    const row = { id: "old", user_id: "user", issued_before: now, revoked_at: now };
    await database.transaction(
      (transaction) => transaction.tables<Tables>().insertInto("revocation_event").values(row).execute(),
      { changes: ["facts", "revocations"] },
    );
    expect(await isRevoked(revocations, before)).toBe(true);
    now += 1;
    expect(await isRevoked(revocations, { ...before, issuedAt: now })).toBe(false);
  });

  describe("that are old", () => {
    /** As many events as are kept in any case, a second after each other, the newest just now. */
    async function fill(count = 1000): Promise<void> {
      const { position } = await revocations.known();
      const rows = Array.from({ length: count }, (_, index) => ({
        id: newId(),
        user_id: `filler-${index}`,
        issued_before: now - (count - index) * 1000,
        revoked_at: now - (count - index) * 1000,
        position: position + 1 + index,
      }));
      for (let start = 0; start < count; start += 250)
        await database
          .tables<Tables>()
          .insertInto("revocation_event")
          .values(rows.slice(start, start + 250))
          .execute();
      await database
        .tables<Tables>()
        .updateTable("revocation_position")
        .set({ position: position + count })
        .execute();
    }

    it("are deleted when no token is left that they could concern, and no token is taken from before them", async () => {
      const ancient = await had(revocations);
      const alice = await had(revocations, { userId: "alice" });
      await revocations.revoke({ userId: "alice" });
      now += HOUR_MS;
      const young = await had(revocations);
      now += 8 * HOUR_MS;
      await fill();
      await replica().revoke({ userId: "bob" });
      expect((await storedEvents()).map(({ user_id }) => user_id)).not.toContain("alice");
      for (const each of [revocations, replica()]) {
        expect(await isRevoked(each, alice)).toBe(true);
        // Whether it was ended is not known any more.
        expect(await isRevoked(each, ancient)).toBe(true);
        expect(await isRevoked(each, young)).toBe(false);
      }
    });

    it("stay where there are few, and while the clock is ahead by days", async () => {
      const ended = await had(revocations, { userId: "alice" });
      await revocations.revoke({ userId: "alice" });
      await fill();
      const good = await had(revocations);
      await replica(other, 100 * HOUR_MS).revoke({ userId: "bob" });
      await replica(third, 100 * HOUR_MS).revoke({ userId: "bob" });
      for (const each of [revocations, replica()]) {
        expect(await isRevoked(each, ended)).toBe(true);
        expect(await isRevoked(each, good)).toBe(false);
      }
      expect((await storedEvents())[0]).toMatchObject({ user_id: "alice" });
    });

    it("are deleted with one among them that has a time in the future", async () => {
      await revocations.revoke({ userId: "alice" });
      await replica(other, 10_000 * HOUR_MS).revoke({ userId: "of a wrong clock" });
      now += HOUR_MS;
      await revocations.revoke({ userId: "carol" });
      now += 9 * HOUR_MS;
      await fill();
      await replica().revoke({ userId: "bob" });
      const left = (await storedEvents()).map(({ user_id }) => user_id);
      expect(left).not.toContain("alice");
      expect(left).not.toContain("of a wrong clock");
      expect(left).toHaveLength(1001);
    });
  });
});

interface Tables {
  readonly revocation_event: {
    id: string;
    user_id: string | null;
    issued_before: number;
    revoked_at: number;
    position: Generated<number | null>;
  };
  readonly revocation_position: { position: number };
}

async function isRevoked(by: Revocations, revocable: RevocableToken): Promise<boolean> {
  return (await by.known()).isRevoked(revocable);
}

/** On PostgreSQL a replica may be notified a little later. */
async function expectRevoked(by: Revocations, revocable: RevocableToken): Promise<void> {
  await expect.poll(() => isRevoked(by, revocable), { timeout: 5000, interval: 5 }).toBe(true);
}

/** A transaction that has done its work, and commits on request. */
async function begin(replicaDatabase: Database, work: (transaction: Queries) => Promise<unknown>) {
  let commit: (() => void) | undefined;
  const gate = new Promise<void>((resolve) => {
    commit = resolve;
  });
  let ended: Promise<void> | undefined;
  await new Promise<void>((resolve, reject) => {
    ended = replicaDatabase.transaction(
      async (transaction) => {
        await work(transaction);
        resolve();
        await gate;
      },
      { changes: ["facts", "revocations"] },
    );
    ended.catch(reject);
  });
  return {
    commit: () => {
      commit?.();
      return ended;
    },
  };
}
