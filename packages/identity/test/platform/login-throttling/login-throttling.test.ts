/** Limits on failed logins that several processes share through a database. */
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { Database } from "../../../src/platform/database/database.js";
import { openDatabase } from "../../../src/platform/database/open-database.js";
import { TooManyError } from "../../../src/platform/errors.js";
import {
  clockNow,
  createExpiryStore,
  databaseNow,
  createSharedExpiries,
  type Duration,
} from "../../../src/platform/login-throttling/shared-expiries.js";
import {
  createLoginThrottling,
  type LoginThrottling,
} from "../../../src/platform/login-throttling/login-throttling.js";
import { databases, type TestDatabase } from "../../databases.js";
import { migratedDatabase } from "../../migrated-databases.js";
import { addressOf, beginWith, limitsOf, MASTER_KEY } from "./simulated-limits.js";

const SERVICE = "192.0.2.10";
const ATTACKER = "203.0.113.66";
const KEYS = ["login_failure", "known_login"] as const;

let place: TestDatabase;
let open: Database[];
const time = { now: 0 };
const clock = { now: () => time.now };
beforeEach(async () => {
  time.now = Date.parse("2026-11-21T12:00:00Z");
  place = await migratedDatabase(databases);
  open = [];
});
afterEach(async () => {
  for (const database of open) await database.close();
  await place.remove();
});

function connect(): Database {
  const database = openDatabase(place.url);
  open.push(database);
  return database;
}

/** A process of its own. */
function process(env: Record<string, string> = {}, database = connect()): LoginThrottling {
  return createLoginThrottling({
    database,
    clock,
    masterKey: MASTER_KEY,
    limits: limitsOf(env),
    maxWaitMs: 60_000,
  });
}

async function attempt(service: LoginThrottling, address: string, isGood = false, account = "glance") {
  const admission = await beginWith(service, { address, account });
  if (admission instanceof TooManyError) return "refused";
  admission.end(isGood ? "succeeded" : "failed");
  return isGood ? "good" : "guess";
}

async function guess(service: LoginThrottling, address: string, times: number): Promise<number> {
  let checked = 0;
  for (let count = 0; count < times; count++) if ((await attempt(service, address)) === "guess") checked++;
  return checked;
}

const rows = async (table: (typeof KEYS)[number]) =>
  (await sql<{ id: string }>`select * from ${sql.table(table)}`.execute(connect().tables())).rows;

describe(`limits on failed logins on ${databases.name}`, () => {
  it("count the guesses of all processes together", async () => {
    const [one, other] = [process(), process()];
    expect(await guess(one, ATTACKER, 6)).toBe(6);
    expect(await guess(other, ATTACKER, 3)).toBe(3);
    for (const each of [one, other, one]) await each.sync();
    expect(await guess(other, ATTACKER, 5)).toBe(1);
    await other.sync();
    await one.sync();
    expect(await guess(one, ATTACKER, 5)).toBe(0);
    expect(await attempt(one, SERVICE, true)).toBe("good");
    // Failures are forgotten once, not once in each process.
    time.now += 90_000;
    expect(await guess(one, ATTACKER, 5)).toBe(1);
    for (const each of [one, other]) await each.sync();
    expect(await guess(other, ATTACKER, 5)).toBe(0);
  });

  it("bound the guesses over several processes: at first as many in each, and then all together", async () => {
    const env = { IDENTITY_LOGIN_ACCOUNT_FAILURES: "30", IDENTITY_LOGIN_ACCOUNT_WINDOW: "360" };
    const services = [process(env), process(env)];
    for (const service of services) await attempt(service, SERVICE, true);
    let checked = 0;
    for (let second = 0; second < 600; second += 4) {
      for (const service of services)
        for (let network = second; ; network++) {
          if ((await attempt(service, addressOf(network))) === "refused") break;
          checked++;
        }
      for (const service of services) await service.sync();
      time.now += 4000;
    }
    // As one process would have let through, and one more, as both are asked within the same second.
    expect(checked).toBeGreaterThan(30 + 600 / 12 - 4);
    expect(checked).toBeLessThanOrEqual(30 + 600 / 12 + 1);
  });

  it("allow at most a process's share before the processes know each other's counts", async () => {
    const services = [process(), process(), process()];
    let checked = 0;
    for (const service of services) checked += await guess(service, ATTACKER, 20);
    expect(checked).toBe(30);
    for (let round = 0; round < 2; round++) for (const service of services) await service.sync();
    // It has to be made up for before another guess is allowed.
    time.now += 20 * 90_000;
    for (const service of services) expect(await guess(service, ATTACKER, 5)).toBe(0);
    expect(await attempt(services[0] as LoginThrottling, SERVICE, true)).toBe("good");
  });

  it("know a pair of account and network in processes that start later too", async () => {
    const first = process();
    await attempt(first, SERVICE, true);
    for (let network = 0; network < 40; network++) await guess(first, addressOf(network), 10);
    await first.sync();
    const later = process();
    await later.sync();
    expect(await attempt(later, "192.0.2.99", true)).toBe("refused");
    expect(await attempt(later, SERVICE, true)).toBe("good");
  });

  it("write nothing while a login is under way, and once a day for a pair", async () => {
    const database = connect();
    const service = process({}, database);
    const transaction = vi.spyOn(database, "transaction");
    for (let login = 0; login < 50; login++) await attempt(service, SERVICE, true);
    expect(await rows("known_login")).toEqual([]);
    await service.sync();
    const [written] = await rows("known_login");
    time.now += 23 * 3_600_000;
    await attempt(service, SERVICE, true);
    await service.sync();
    expect(await rows("known_login")).toEqual([written]);
    time.now += 3_600_000;
    await attempt(service, SERVICE, true);
    await service.sync();
    expect(await rows("known_login")).not.toEqual([written]);
    expect(await rows("login_failure")).toEqual([]);
    expect(transaction).not.toHaveBeenCalled();
  });

  it("write a thousand failures in a few statements, and no name, address or password", async () => {
    const service = process();
    for (let number = 0; number < 100; number++)
      await attempt(service, addressOf(number), false, "a password typed in the wrong field");
    await attempt(service, SERVICE, true);
    await service.sync();
    const stored = [...(await rows("login_failure")), ...(await rows("known_login"))];
    expect(stored).toHaveLength(100 + 100 + 1 + 1);
    for (const { id } of stored) expect(id).toMatch(/^[\w-]{22}$/);
  });

  it("delete what has expired, and beyond a number of rows what expires first", async () => {
    const database = connect();
    const store = createExpiryStore({
      database,
      table: "login_failure",
      merge: "sum",
      now: clockNow(clock),
    });
    const durations = Array.from({ length: 300 }, (_, number) => ({
      id: `key-${String(number).padStart(3, "0")}`,
      ms: 1000 + number,
    }));
    await store.write(durations);
    await store.prune(100);
    expect((await rows("login_failure")).map(({ id }) => id).toSorted()).toEqual(
      durations.slice(200).map(({ id }) => id),
    );
    time.now += 1250;
    await store.prune(100);
    expect(await rows("login_failure")).toHaveLength(49);
  });

  it("read all that others wrote, in pages", async () => {
    const store = createExpiryStore({
      database: connect(),
      table: "login_failure",
      merge: "sum",
      now: clockNow(clock),
    });
    const durations = Array.from({ length: 2345 }, (_, number) => ({ id: `key-${number}`, ms: 60_000 }));
    await store.write(durations);
    const read: Duration[] = [];
    const until = await store.readChanges(undefined, (page) => void read.push(...page));
    expect(new Set(read.map(({ id }) => id)).size).toBe(2345);
    time.now += 10_000;
    await store.write([{ id: "key-7", ms: 5000 }]);
    const changes: Duration[] = [];
    await store.readChanges(until + 6000, (page) => void changes.push(...page));
    expect(changes).toEqual([expect.objectContaining({ id: "key-7", ms: 55_000 })]);
  });

  it("are the same to processes whose clocks are minutes apart", async () => {
    const shared = (minutes: number) => {
      const database = connect();
      const own = { now: () => Date.now() + minutes * 60_000 };
      // On SQLite all processes are on one computer, and have its clock.
      const now = database.kind === "sqlite" ? clockNow(clock) : databaseNow(database, own);
      const store = createExpiryStore({ database, table: "login_failure", merge: "sum", now });
      return createSharedExpiries({ store, merge: "sum", clock: own, maxKeys: 100 });
    };
    const [ahead, behind] = [shared(10), shared(-10)];
    ahead.extend("a", 60_000);
    await ahead.sync();
    behind.extend("a", 60_000);
    await behind.sync();
    await ahead.sync();
    for (const each of [ahead, behind]) {
      expect(each.remainingMs("a")).toBeGreaterThan(110_000);
      expect(each.remainingMs("a")).toBeLessThanOrEqual(120_000);
    }
  });

  it("are written by several processes at once without loss", async () => {
    const services = [process(), process(), process(), process()];
    for (let round = 0; round < 10; round++) {
      for (const service of services)
        for (let number = 0; number < 20; number++)
          await attempt(service, addressOf(number), false, `user-${round}`);
      await Promise.all(services.map((service) => service.sync()));
    }
    // Each network has failed 40 times: 40 x 3 s.
    const { rows: sums } = await sql<{ ms: number }>`
        select max(expires_at) as ms from login_failure where id in
          (select id from login_failure where expires_at <= ${time.now + 121_000})`.execute(
      connect().tables(),
    );
    expect(sums[0]?.ms).toBe(time.now + 120_000);
  });
});
