/** Whatever fails in a transaction on PostgreSQL leaves the pool clean: no open transaction, no row of what failed, all of what did not. */
import { setTimeout as delay } from "node:timers/promises";

import fc from "fast-check";
import { sql } from "kysely";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { OutcomeUnknown } from "../../../src/platform/database/database-errors.js";
import type { Database, Queries } from "../../../src/platform/database/database.js";
import { openDatabase } from "../../../src/platform/database/open-database.js";
import { DEFAULT_CONNECTION_SETTINGS } from "../../../src/platform/database/postgres/connection-settings.js";
import { startCuttingProxy, type CuttingProxy } from "../../cutting-proxy.js";
import { startPostgres, type PostgresServer } from "../../postgres-server.js";

interface Tables {
  readonly item: { id: string; amount: number };
}

const tablesOf = (queries: Queries) => queries.tables<Tables>();
const insert = (queries: Queries, id: string, amount = 1) =>
  tablesOf(queries).insertInto("item").values({ id, amount }).execute();
const run = (queries: Queries, statement: string) => sql.raw(statement).execute(queries.tables());

const SCHEMA = `
  create table item (id text primary key, amount integer not null check (amount > 0));
  insert into item values ('first', 1), ('second', 1);
  create table parent (id text primary key);
  create table child (id text references parent deferrable initially deferred);
  create table doomed (id text);
  create function end_session() returns trigger language plpgsql as $$
    begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$;
  create constraint trigger at_commit after insert on doomed deferrable initially deferred
    for each row execute function end_session();
`;

const MAX_CONNECTIONS = 4;
/** Short, but longer than four commits one after the other take on a busy machine. */
const LIMITS = {
  ...DEFAULT_CONNECTION_SETTINGS,
  maxConnections: MAX_CONNECTIONS,
  statementMs: 800,
  lockMs: 600,
  idleInTransactionMs: 600,
};

describe("the pool of connections to PostgreSQL on which something failed", () => {
  let server: PostgresServer;
  let proxy: CuttingProxy;
  let other: pg.Client;
  let database: Database;
  let lastId = 0;
  const newId = () => `id${++lastId}`;
  /** By the outcome that the caller was told. */
  const made = new Set(["first", "second"]);
  const failed = new Set<string>();

  beforeAll(async () => {
    server = await startPostgres();
    proxy = await startCuttingProxy(server.url);
    database = openDatabase(proxy.through(server.url), { limits: LIMITS });
    other = new pg.Client({ connectionString: server.url });
    await other.connect();
    await other.query(SCHEMA);
  });
  afterAll(async () => {
    await database.close();
    await other.end();
    proxy.remove();
    server.remove();
  });

  /** A transaction that inserts a row before its work, and notes what became of it. */
  async function attempt(
    work: (transaction: Queries) => Promise<unknown>,
  ): Promise<"made" | "failed" | "unknown"> {
    const id = newId();
    try {
      await database.transaction(
        async (transaction) => {
          await insert(transaction, id);
          await work(transaction);
        },
        { changes: [] },
      );
      made.add(id);
      return "made";
    } catch (error) {
      if (error instanceof OutcomeUnknown) return "unknown";
      failed.add(id);
      return "failed";
    }
  }

  const raise = (first: string, second: string) =>
    attempt(async (transaction) => {
      await run(transaction, `update item set amount = amount + 1 where id = '${first}'`);
      await delay(50);
      await run(transaction, `update item set amount = amount + 1 where id = '${second}'`);
    });
  const skew = () =>
    attempt(async (transaction) => {
      await run(transaction, "select count(*) from item");
      await delay(30);
      await insert(transaction, newId());
    });
  async function cut(text: string, moment: "before" | "after"): Promise<string> {
    const isCut = proxy.cutAt(text, moment);
    const outcome = await attempt(() => Promise.resolve());
    expect(isCut()).toBe(true);
    return outcome;
  }

  const failures: Readonly<Record<string, () => Promise<unknown>>> = {
    "a terminated session between statements": async () =>
      expect(
        await attempt(async (transaction) => {
          const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(
            transaction.tables(),
          );
          await other.query("select pg_terminate_backend($1)", [rows[0]?.pid]);
          await insert(transaction, newId());
        }),
      ).toBe("failed"),
    "a terminated session while a statement runs": async () =>
      expect(
        await attempt((transaction) => run(transaction, "select pg_terminate_backend(pg_backend_pid())")),
      ).toBe("failed"),
    "a statement timeout": async () =>
      expect(await attempt((transaction) => run(transaction, "select pg_sleep(5)"))).toBe("failed"),
    "a statement timeout outside of a transaction": () =>
      expect(run(database, "select pg_sleep(5)")).rejects.toThrow(Error),
    "a lock timeout": async () => {
      await other.query("begin; lock table child");
      try {
        expect(await attempt((transaction) => run(transaction, "select * from child"))).toBe("failed");
      } finally {
        await other.query("rollback");
      }
    },
    "a transaction that was idle for too long": async () =>
      expect(
        await attempt(async (transaction) => {
          await delay(900);
          await insert(transaction, newId());
        }),
      ).toBe("failed"),
    "a deadlock": () => Promise.all([raise("first", "second"), raise("second", "first")]),
    "serialization failures": () => Promise.all([skew(), skew(), skew()]),
    "a violated constraint": async () =>
      expect(await attempt((transaction) => insert(transaction, newId(), -1))).toBe("failed"),
    "a violated constraint whose error the work ignores": async () =>
      expect(await attempt((transaction) => insert(transaction, "first").catch(() => {}))).toBe("failed"),
    "a commit that fails for a deferred constraint": async () =>
      expect(await attempt((transaction) => run(transaction, "insert into child values ('no')"))).toBe(
        "failed",
      ),
    "a terminated session during the commit": async () =>
      expect(await attempt((transaction) => run(transaction, "insert into doomed values ('no')"))).toBe(
        "unknown",
      ),
    "work that throws": async () =>
      expect(await attempt(() => Promise.reject(new Error("given up")))).toBe("failed"),
    "one of several parallel works that fails": async () => {
      const parallel = newId();
      failed.add(parallel);
      expect(
        await attempt((transaction) =>
          Promise.all([
            insert(transaction, newId(), -1),
            run(transaction, "select pg_sleep(0.02)").catch(() => insert(transaction, parallel)),
          ]),
        ),
      ).toBe("failed");
    },
    "a connection cut at begin": async () => expect(await cut("start transaction", "before")).toBe("failed"),
    "a connection cut after begin": async () =>
      expect(await cut("start transaction", "after")).toBe("failed"),
    "a connection cut at the commit": async () => expect(await cut("commit\0", "before")).toBe("unknown"),
    "a connection cut after the commit": async () => expect(await cut("commit\0", "after")).toBe("unknown"),
  };

  async function idsInTable(): Promise<ReadonlySet<string>> {
    const rows = await tablesOf(database).selectFrom("item").select("id").execute();
    return new Set(rows.map(({ id }) => id));
  }

  /** The next fifty operations: half of them write, half of them read. */
  async function isClean(): Promise<boolean> {
    const before = [...made];
    const operations = Array.from({ length: 25 }, async () => {
      const id = newId();
      await database.transaction((transaction) => insert(transaction, id));
      made.add(id);
      const ids = await idsInTable();
      expect(ids).toContain(id);
      expect([...failed].filter((each) => ids.has(each))).toEqual([]);
      expect(before.filter((each) => !ids.has(each))).toEqual([]);
    });
    await Promise.all(operations);
    const { rows } = await other.query<{ state: string }>(
      "select state from pg_stat_activity where application_name = 'hamkit-identity'",
    );
    expect(rows.length).toBeLessThanOrEqual(MAX_CONNECTIONS);
    expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(["idle"]));
    return (await database.impairments()).length === 0;
  }

  it.each(Object.entries(failures))("is clean after %s", async (_name, fail) => {
    await fail();
    expect(await isClean()).toBe(true);
  });

  it("is clean after any of them, at the same time and one after the other", async () => {
    const kinds = fc.array(
      fc.constantFrom(...Object.keys(failures).filter((name) => !name.includes(" cut "))),
      {
        minLength: 2,
        maxLength: 4,
      },
    );
    await fc.assert(
      fc.asyncProperty(kinds, fc.boolean(), async (names, isParallel) => {
        if (isParallel) await Promise.all(names.map(async (name) => failures[name]?.()));
        else for (const name of names) await failures[name]?.();
        expect(await isClean()).toBe(true);
      }),
      { numRuns: 12 },
    );
  });
});
