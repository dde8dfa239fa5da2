/** Connections to PostgreSQL that die without a reset, and commits that it does not confirm. */
import { setTimeout as delay } from "node:timers/promises";

import { sql } from "kysely";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { DatabaseUnavailable, OutcomeUnknown } from "../../../src/platform/database/database-errors.js";
import type { Database } from "../../../src/platform/database/database.js";
import { openDatabase } from "../../../src/platform/database/open-database.js";
import { postgresDatabases, type TestDatabase } from "../../../test/databases.js";
import { waitForStableRevision } from "../../../test/platform/database/stable-revision.js";
import { startBlackHole, type BlackHole } from "../../black-hole.js";
import { startPostgres, type PostgresServer } from "../../postgres-server.js";

/** Time for a statement to be suspected, checked and given up, on a machine that is busy. */
const GIVE_UP_MS = 12_000;
/** Time to work again. Rehearsals hold the service to five seconds. */
const HEAL_MS = 10_000;

const UNCHECKED = "The database does not answer checks.";

interface Outcome {
  readonly error: unknown;
  readonly ms: number;
}

async function outcomeOf(work: Promise<unknown>): Promise<Outcome> {
  const begin = performance.now();
  const error = await work.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  return { error, ms: performance.now() - begin };
}

describe("a connection to PostgreSQL that dies without a reset", () => {
  let place: TestDatabase;
  let hole: BlackHole;
  let database: Database;
  let lost: Error[];
  beforeEach(async () => {
    place = await postgresDatabases.create();
    hole = await startBlackHole(place.url);
    lost = [];
    database = openDatabase(hole.through(place.url), { onConnectionLost: (error) => lost.push(error) });
  });
  afterEach(async () => {
    hole.close();
    await database.close();
    hole.remove();
    await place.remove();
  });

  const ask = (seconds = 0) => sql`select pg_sleep(${seconds})`.execute(database.tables());

  it("is given up within seconds, and the pool works as soon as the network is back", async () => {
    await Promise.all(Array.from({ length: 10 }, () => ask(0.2)));
    hole.open();
    const asked = await Promise.all(Array.from({ length: 15 }, () => outcomeOf(ask())));
    for (const { error, ms } of asked) {
      expect(error).toBeInstanceOf(DatabaseUnavailable);
      expect(ms).toBeLessThan(GIVE_UP_MS);
    }
    // Neither are new connections waited for without end.
    expect((await outcomeOf(ask())).ms).toBeLessThan(GIVE_UP_MS);
    hole.close();
    const back = performance.now();
    await expect.poll(() => outcomeOf(ask()), { timeout: HEAL_MS }).toMatchObject({ error: undefined });
    expect(performance.now() - back).toBeLessThan(HEAL_MS);
    // All of them are new: ten work at the same time.
    expect(
      (await Promise.all(Array.from({ length: 10 }, () => outcomeOf(ask(0.1))))).map(({ error }) => error),
    ).toEqual(Array.from({ length: 10 }));
    expect(lost.length).toBeGreaterThan(0);
  });

  it("is given up alone where others work, and a statement that takes its time is not", async () => {
    await ask();
    hole.kill();
    const dead = outcomeOf(ask());
    const slow = outcomeOf(ask(5));
    const { error, ms } = await dead;
    expect(error).toBeInstanceOf(DatabaseUnavailable);
    expect(ms).toBeLessThan(GIVE_UP_MS);
    expect(await slow).toMatchObject({ error: undefined });
  });

  it("leaves a transaction whose commit was under way with an unknown outcome, and reports it", async () => {
    const { error } = await outcomeOf(
      database.transaction(
        async (transaction) => {
          await sql`select 1`.execute(transaction.tables());
          // The transaction's work ends here: what is lost is the commit.
          hole.open();
        },
        { changes: [] },
      ),
    );
    expect(error).toBeInstanceOf(OutcomeUnknown);
    expect(error).toMatchObject({ kind: "unavailable", retryAfterSeconds: 1 });
  });

  it("has nothing that was cached before count again, until changes are heard of", async () => {
    await waitForStableRevision(database);
    const other = openDatabase(place.url);
    const before = database.revision("facts");
    hole.open();
    await other.transaction(() => Promise.resolve());
    await delay(1100);
    const [one, two] = [database.revision("facts"), database.revision("facts")];
    expect(new Set([before, one, two]).size).toBe(3);
    hole.close();
    const back = performance.now();
    await expect
      .poll(() => database.revision("facts") === database.revision("facts"), { timeout: HEAL_MS })
      .toBe(true);
    expect(performance.now() - back).toBeLessThan(HEAL_MS);
    expect(database.revision("facts")).toBeGreaterThan(two);
    await other.close();
  });
});

describe("PostgreSQL that can't be checked", () => {
  it("is impaired while changes are heard, because what is cached counts, and unavailable when they are not", async () => {
    const place = await postgresDatabases.create();
    const hole = await startBlackHole(place.url);
    const database = openDatabase(hole.through(place.url));
    await waitForStableRevision(database);
    hole.openForNew();
    expect(
      await outcomeOf(database.impairments().then((found) => expect(found).toEqual([UNCHECKED]))),
    ).toMatchObject({
      error: undefined,
    });
    expect(database.revision("facts")).toBe(database.revision("facts"));
    hole.open();
    await expect
      .poll(async () => (await outcomeOf(database.impairments())).error, { timeout: HEAL_MS })
      .toBeInstanceOf(DatabaseUnavailable);
    hole.close();
    await expect
      .poll(() => outcomeOf(database.impairments()), { timeout: HEAL_MS })
      .toMatchObject({ error: undefined });
    await database.close();
    hole.remove();
    await place.remove();
  });
});

describe("PostgreSQL whose synchronous standby is away", () => {
  let server: PostgresServer;
  let database: Database;
  beforeEach(async () => {
    server = await startPostgres();
    database = openDatabase(server.url);
    await sql`create table note (text text)`.execute(database.tables());
  });
  afterEach(async () => {
    await database.close();
    server.remove();
  });

  const note = (text: string) =>
    database.transaction((transaction) =>
      sql`insert into note values (${text})`.execute(transaction.tables()),
    );

  it("has writes end with an unknown outcome, reads go on, and recovers without a restart", async () => {
    await waitForStandby(server, "absent");
    const { error, ms } = await outcomeOf(note("a"));
    expect(error).toBeInstanceOf(OutcomeUnknown);
    expect(ms).toBeLessThan(GIVE_UP_MS);
    // Others are refused before they begin: no more connections get stuck.
    for (let count = 0; count < 20; count++) {
      const refused = await outcomeOf(note("b"));
      expect(refused.error).toBeInstanceOf(DatabaseUnavailable);
      expect(refused.ms).toBeLessThan(1000);
      await database.ping();
    }
    expect(await database.impairments()).toEqual([
      "The database does not confirm commits: writes are rejected.",
    ]);

    await waitForStandby(server, "");
    await expect.poll(() => outcomeOf(note("c")), { timeout: HEAL_MS }).toMatchObject({ error: undefined });
    const { rows } = await sql<{ text: string }>`select text from note order by text`.execute(
      database.tables(),
    );
    expect(rows.map(({ text }) => text)).toEqual(["a", "c"]);
    expect(await database.impairments()).toEqual([]);
  });
});

async function waitForStandby({ url }: PostgresServer, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  const other = new pg.Client({ connectionString: url });
  await Promise.all([client.connect(), other.connect()]);
  const warnings: unknown[] = [];
  client.on("notice", (notice) => warnings.push(notice));
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  await client.query("create table if not exists probe (number integer)");
  await client.query(`alter system set synchronous_standby_names = '${name}'`);
  await client.query("select pg_reload_conf()");
  // It counts when the checkpointer has it, which may be later than the sessions: a commit of this one tells, by its warning.
  await expect
    .poll(async () => {
      warnings.length = 0;
      const commit = client.query("insert into probe values (1)").catch(() => undefined);
      await Promise.race([commit, delay(100)]);
      await other.query("select pg_cancel_backend($1)", [rows[0]?.pid]);
      await commit;
      return warnings.length > 0;
    })
    .toBe(name !== "");
  await Promise.all([client.end(), other.end()]);
}
