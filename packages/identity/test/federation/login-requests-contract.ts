/** Logins that go on elsewhere, on every kind of database. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createLoginRequests, type LoginRequests } from "../../src/federation/login-requests.js";
import { migrations } from "../../src/migrations/migrations.js";
import type { Database } from "../../src/platform/database/database.js";
import { migrate } from "../../src/platform/database/migrations.js";
import { openDatabase } from "../../src/platform/database/open-database.js";
import type { TestDatabase, TestDatabases } from "../databases.js";

const MINUTE_MS = 60_000;

export function loginRequestsContract(databases: TestDatabases): void {
  let place: TestDatabase;
  let opened: Database[];
  let database: Database;
  let now: number;
  let requests: LoginRequests;
  beforeEach(async () => {
    place = await databases.create();
    opened = [];
    now = Date.UTC(2026, 10, 21);
    database = openDatabase(place.url);
    opened.push(database);
    await migrate(database, migrations);
    requests = createLoginRequests({ database, clock: { now: () => now } });
  });
  afterEach(async () => {
    for (const each of opened) await each.close();
    await place.remove();
  });

  function replica(): LoginRequests {
    const another = openDatabase(place.url);
    opened.push(another);
    return createLoginRequests({ database: another, clock: { now: () => now } });
  }

  const begun = (id: string) => ({
    kind: "openid" as const,
    id,
    data: { nonce: ["n"] },
    expiresAt: now + MINUTE_MS,
  });

  describe(`login requests on ${databases.name}`, () => {
    it("come back once", async () => {
      expect(await requests.put(begun("a"))).toBe(true);
      expect(await requests.take("openid", "a")).toEqual({ nonce: ["n"] });
      expect(await requests.take("openid", "a")).toBeUndefined();
      expect(await requests.take("openid", "b")).toBeUndefined();
    });

    it("come back to another replica, and then to none", async () => {
      const other = replica();
      await requests.put(begun("a"));
      expect(await other.take("openid", "a")).toEqual({ nonce: ["n"] });
      expect(await requests.take("openid", "a")).toBeUndefined();
    });

    it("come back to one of two who ask at the same time", async () => {
      const other = replica();
      await requests.put(begun("a"));
      const taken = await Promise.all([requests, other].map((each) => each.take("openid", "a")));
      expect(taken.filter((data) => data !== undefined)).toEqual([{ nonce: ["n"] }]);
    });

    it("come back to their own kind alone", async () => {
      await requests.put(begun("a"));
      expect(await requests.take("saml2", "a")).toBeUndefined();
      expect(await requests.take("openid", "a")).toEqual({ nonce: ["n"] });
    });

    it("do not come back when they have expired", async () => {
      await requests.put(begun("a"));
      now += MINUTE_MS;
      expect(await requests.take("openid", "a")).toBeUndefined();
    });

    it("are kept once: of two with one id the first", async () => {
      const other = replica();
      expect(await requests.put(begun("a"))).toBe(true);
      expect(await other.put({ ...begun("a"), data: "second" })).toBe(false);
      expect(await requests.take("openid", "a")).toEqual({ nonce: ["n"] });
    });

    it("that nobody comes back for are removed", async () => {
      await requests.put(begun("old"));
      now += 10 * MINUTE_MS;
      await requests.put(begun("new"));
      const rows = await database
        .tables<{ readonly login_request: { id: string } }>()
        .selectFrom("login_request")
        .select("id")
        .execute();
      expect(rows).toEqual([{ id: "new" }]);
    });
  });
}
