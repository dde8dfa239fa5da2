import { randomUUID } from "node:crypto";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { Database } from "../../../src/platform/database/database.js";
import { openDatabase } from "../../../src/platform/database/open-database.js";
import { onServer, postgresDatabases, type TestDatabase } from "../../../test/databases.js";
import { waitForStableRevision } from "../../../test/platform/database/stable-revision.js";

describe("the revision on PostgreSQL", () => {
  let place: TestDatabase;
  let open: Database[];
  beforeEach(async () => {
    place = await postgresDatabases.create();
    open = [];
  });
  afterEach(async () => {
    await Promise.all(open.map((database) => database.close()));
    await place.remove();
  });

  it("ends when it is closed while the connection that hears of changes is opened, at whatever moment", async () => {
    let closed = 0;
    for (; closed < 20; closed++) {
      const database = openDatabase(place.url);
      database.revision("facts");
      await delay(closed);
      await database.close();
    }
    expect(closed).toBe(20);
  }, 20_000);

  function openAt(url: string, onConnectionLost?: (error: Error) => void): Database {
    const database = openDatabase(url, onConnectionLost && { onConnectionLost });
    open.push(database);
    return database;
  }

  it("is of one kind: changes of others don't show in it, nor what changes nothing", async () => {
    const database = openAt(place.url);
    const other = openAt(place.url);
    await waitForStableRevision(database);
    const before = { facts: database.revision("facts"), limits: database.revision("limits") };
    await other.transaction(() => Promise.resolve(), { changes: [] });
    await other.transaction(() => Promise.resolve(), { changes: ["limits"] });
    await expect.poll(() => database.revision("limits"), { timeout: 1000 }).not.toBe(before.limits);
    expect(database.revision("facts")).toBe(before.facts);
  });

  it("is of one schema: services of the same database don't disturb each other", async () => {
    const otherSchema = await postgresDatabases.create();
    const database = openAt(place.url);
    const stranger = openAt(otherSchema.url);
    const other = openAt(place.url);
    await waitForStableRevision(database);
    const before = { facts: database.revision("facts"), limits: database.revision("limits") };
    await stranger.transaction(() => Promise.resolve());
    await other.transaction(() => Promise.resolve(), { changes: ["limits"] });
    await expect.poll(() => database.revision("limits"), { timeout: 1000 }).not.toBe(before.limits);
    expect(database.revision("facts")).toBe(before.facts);
    await otherSchema.remove();
  });

  it("is another one at each call while the connection that listens is gone, then stays again", async () => {
    const name = `test-${randomUUID()}`;
    const lost: Error[] = [];
    const database = openAt(named(place.url, name), (error) => lost.push(error));
    await waitForStableRevision(database);
    const before = database.revision("facts");
    await onServer(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = '${name}' and query like '%pg_current_snapshot()%'`,
    );
    await expect.poll(() => lost.length, { interval: 5 }).toBe(1);
    const [one, two] = [database.revision("facts"), database.revision("facts")];
    expect(new Set([before, one, two]).size).toBe(3);
    // Notifications were lost in between: no earlier revision may come back.
    await waitForStableRevision(database);
    expect(database.revision("facts")).toBeGreaterThan(two);
    expect(lost).toHaveLength(1);
  });

  it("is another one at each call without a server, and the process can end", async () => {
    const lost: Error[] = [];
    const database = openAt("postgres://postgres@127.0.0.1:1/test", (error) => lost.push(error));
    expect(database.revision("facts")).not.toBe(database.revision("facts"));
    await expect.poll(() => lost.length).toBe(1);
    expect(database.revision("facts")).not.toBe(database.revision("facts"));
  });

  it("is another one at each call while PostgreSQL sends nothing for a second", async () => {
    const proxy = await postgresProxy();
    const database = openAt(throughProxy(place.url, proxy.port));
    await waitForStableRevision(database);
    const other = openAt(place.url);
    proxy.pause();
    await other.transaction(() => Promise.resolve());
    await new Promise((resolve) => {
      setTimeout(resolve, 1000);
    });
    expect(database.revision("facts")).not.toBe(database.revision("facts"));
    const before = database.revision("facts");
    proxy.resume();
    await waitForStableRevision(database);
    expect(database.revision("facts")).not.toBe(before);
    await database.close();
    open = [other];
    proxy.close();
  });

  it("changes within a second behind a pooler, which loses notifications, and stays while nothing is written", async () => {
    let poolers = 0;
    // A pooler hands out process numbers of its own making: here, one that is off by one.
    const proxy = await postgresProxy(withAnotherProcessId);
    const database = openDatabase(throughProxy(place.url, proxy.port), { onPooler: () => poolers++ });
    open.push(database);
    const other = openAt(place.url);
    await waitForStableRevision(database);
    expect(poolers).toBe(1);
    const before = database.revision("facts");
    await sql`create table note (text text)`.execute(other.tables());
    await other.transaction((transaction) =>
      sql`insert into note values ('a')`.execute(transaction.tables()),
    );
    await expect.poll(() => database.revision("facts"), { timeout: 1000, interval: 20 }).not.toBe(before);
    await database.close();
    open = [other];
    proxy.close();
  });
});

function named(url: string, name: string): string {
  return `${url}&application_name=${name}`;
}

function throughProxy(url: string, port: number): string {
  return url.replace(/@[^/]+\//, `@127.0.0.1:${port}/`);
}

/** Stands between the service and PostgreSQL. */
async function postgresProxy(change = (data: Buffer) => data) {
  const sockets: Socket[] = [];
  const target = new URL(process.env["TEST_POSTGRES_URL"] ?? "postgres://127.0.0.1:5432");
  const server = createServer((client) => {
    const database = connect(Number(target.port || 5432), target.hostname);
    sockets.push(client, database);
    client.on("data", (data) => database.write(data)).on("error", () => database.destroy());
    database.on("data", (data) => client.write(change(data))).on("error", () => client.destroy());
    client.on("close", () => database.destroy());
    database.on("close", () => client.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    pause: () => sockets.forEach((socket) => socket.pause()),
    resume: () => sockets.forEach((socket) => socket.resume()),
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** The message BackendKeyData: `K`, its length 12, the process, the secret. */
function withAnotherProcessId(data: Buffer): Buffer {
  const at = data.indexOf(Buffer.from([0x4b, 0, 0, 0, 12]));
  if (at >= 0) data.writeInt32BE(data.readInt32BE(at + 5) + 1, at + 5);
  return data;
}
