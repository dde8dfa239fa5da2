/** Pending browser logins: stored before the redirect to the provider, consumed once on return. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createPendingLogins, type PendingLogins } from "../../../src/federation/browser/pending-logins.js";
import type { Database } from "../../../src/platform/database/database.js";
import { openDatabase } from "../../../src/platform/database/open-database.js";
import { toMasterKey } from "../../../src/platform/secrets/sealing.js";
import { databases, type TestDatabase } from "../../databases.js";
import { migratedDatabase } from "../../migrated-databases.js";

const MINUTE_MS = 60_000;

let place: TestDatabase;
let opened: Database[];
let database: Database;
let now: number;
let requests: PendingLogins;
beforeEach(async () => {
  place = await migratedDatabase(databases);
  opened = [];
  now = Date.UTC(2026, 10, 21);
  requests = replica();
  [database] = opened as [Database];
});
afterEach(async () => {
  for (const each of opened) await each.close();
  await place.remove();
});

function replica(key = 1): PendingLogins {
  const another = openDatabase(place.url);
  opened.push(another);
  const masterKey = toMasterKey(Buffer.alloc(32, key));
  return createPendingLogins({ database: another, clock: { now: () => now }, masterKey });
}

const login = (id: string) => ({ kind: "openid" as const, id, expiresAt: now + MINUTE_MS });
const begin = (id: string) => requests.seal({ ...login(id), data: { nonce: ["n"] } });
const kept = async () => {
  const query = database.tables<{ readonly login_request: { id: string } }>().selectFrom("login_request");
  return (await query.select("id").execute()).map(({ id }) => id);
};

describe(`login requests on ${databases.name}`, () => {
  it("come back by what was carried, on another replica too", () => {
    const carried = begin("a");
    expect(requests.unseal("openid", "a", carried)).toEqual({ nonce: ["n"] });
    expect(replica().unseal("openid", "a", carried)).toEqual({ nonce: ["n"] });
  });

  it("write nothing, however many are begun", async () => {
    for (let index = 0; index < 100; index++) begin(`login ${index}`);
    expect(await kept()).toEqual([]);
  });

  it("are opaque to the browser, and never repeat a text", () => {
    const texts = [begin("a"), begin("a")].map((each) => Buffer.from(each, "base64url").toString("latin1"));
    expect(texts.join("")).not.toMatch(/nonce/);
    expect(texts[0]).not.toBe(texts[1]);
  });

  it.each([
    ["nothing", () => ""],
    ["what is no text of ours", () => "A".repeat(43)],
    ["that of another login", () => begin("b")],
    ["one that was changed", () => begin("a").replace(/.$/, (last) => (last === "A" ? "E" : "A"))],
    ["one that another service has made", () => replica(2).seal({ ...login("a"), data: { nonce: ["n"] } })],
  ])("do not come back by %s", (_, make) => {
    expect(requests.unseal("openid", "a", make())).toBeUndefined();
  });

  it("come back to their own kind alone", () => {
    expect(requests.unseal("saml2", "a", begin("a"))).toBeUndefined();
  });

  it("do not come back when they have expired", () => {
    const carried = begin("a");
    now += MINUTE_MS - 1;
    expect(requests.unseal("openid", "a", carried)).toEqual({ nonce: ["n"] });
    now += 1;
    expect(requests.unseal("openid", "a", carried)).toBeUndefined();
  });

  it("are used once", async () => {
    expect(await requests.wasUsed("openid", "a")).toBe(false);
    expect(await requests.use(login("a"))).toBe(true);
    expect(await requests.use(login("a"))).toBe(false);
    expect(await requests.wasUsed("openid", "a")).toBe(true);
    expect(await requests.wasUsed("openid", "b")).toBe(false);
    expect(await requests.use({ ...login("a"), kind: "saml2" })).toBe(true);
  });

  it("are used once, by one of two replicas at the same time", async () => {
    const other = replica();
    const used = await Promise.all([requests, other].map((each) => each.use(login("a"))));
    expect(used.filter(Boolean)).toHaveLength(1);
    expect(await other.wasUsed("openid", "a")).toBe(true);
  });

  it("are used several at once: the first that was used before is named, and the others are used up", async () => {
    expect(await requests.useAll([login("a"), login("b")])).toBeUndefined();
    expect(await requests.useAll([login("c"), login("b"), login("a")])).toMatchObject({ id: "b" });
    expect(await requests.use(login("c"))).toBe(false);
    const same = { ...login("a"), kind: "saml2-assertion" as const };
    expect(await requests.useAll([login("d"), same])).toBeUndefined();
  });

  it("are used once, by one of many replicas that use several at the same time", async () => {
    const pairs = Array.from({ length: 20 }, (_, index) => [login("shared"), login(`own ${index}`)]);
    const replicas = [requests, replica(), replica()];
    const used = await Promise.all(
      pairs.map((pair, index) => (replicas[index % 3] ?? requests).useAll(pair)),
    );
    expect(used.filter((each) => each === undefined)).toHaveLength(1);
    expect(used.filter((each) => each?.id === "shared")).toHaveLength(19);
  });

  it("are forgotten when they could not be used any more", async () => {
    await requests.use(login("old"));
    now += 10 * MINUTE_MS;
    await requests.use(login("new"));
    expect(await kept()).toEqual(["new"]);
  });
});
