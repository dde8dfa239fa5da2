import { createServer } from "node:net";

import { sql } from "kysely";
import { describe, expect, it } from "vitest";

import { DatabaseUnavailable, UnstorableText } from "../../../src/platform/database/database-errors.js";
import { openDatabase } from "../../../src/platform/database/open-database.js";
import { onServer, postgresDatabases } from "../../../test/databases.js";

describe("PostgreSQL", () => {
  it("is unavailable, not unexpected, without a listener", async () => {
    const database = openDatabase("postgres://postgres@127.0.0.1:1/test");
    await expect(database.ping()).rejects.toBeInstanceOf(DatabaseUnavailable);
    await database.close();
  });

  it("is unavailable when the listener sends nothing", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => {
      server.once("listening", resolve);
    });
    const { port } = server.address() as { port: number };
    const database = openDatabase(`postgres://postgres@127.0.0.1:${port}/test`);
    await expect(database.ping()).rejects.toBeInstanceOf(DatabaseUnavailable);
    await database.close();
    server.close();
  });

  it("is unavailable where the database is not there", async () => {
    const place = await postgresDatabases.create();
    const database = openDatabase(place.url.replace(/\/\w+\?/, "/not-there?"));
    await expect(database.ping()).rejects.toBeInstanceOf(DatabaseUnavailable);
    await database.close();
    await place.remove();
  });

  it("reports a text that it can't store", async () => {
    const place = await postgresDatabases.create();
    const database = openDatabase(place.url);
    const query = sql`select ${"a\0b"}::text`.execute(database.tables());
    await expect(query).rejects.toBeInstanceOf(UnstorableText);
    await database.close();
    await place.remove();
  });

  it("answers again after its connections were cut, in and outside of transactions", async () => {
    const place = await postgresDatabases.create();
    const lost: Error[] = [];
    const database = openDatabase(place.url, { onConnectionLost: (error) => lost.push(error) });
    const cut = async (pid: number) => onServer(`select pg_terminate_backend(${pid})`);
    const pidOf = async (queries: Pick<typeof database, "tables">) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(queries.tables());
      return rows[0]?.pid ?? 0;
    };

    await cut(await pidOf(database));
    await expect.poll(() => lost.length).toBe(1);
    await database.ping();

    const broken = database.transaction(async (transaction) => {
      await cut(await pidOf(transaction));
      await sql`select 1`.execute(transaction.tables());
    });
    await expect(broken).rejects.toBeInstanceOf(DatabaseUnavailable);
    await database.ping();
    await database.close();
    await place.remove();
  });
});
