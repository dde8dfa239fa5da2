/** Imports while something goes wrong: the source goes away, another import runs, rows vanish from under others. */
import { CompiledQuery, sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { openDatabase } from "../../../identity/src/platform/database/open-database.js";
import { postgresDatabases, sqliteDatabases, type TestDatabase } from "../../../identity/test/databases.js";
import { hasClouds } from "../../../identity/test/keystone-cloud.js";
import { importCloud, restoreCloud, type RestoredCloud, type SourceKind } from "./imported-cloud.js";
import { startMariadb, type MariadbServer } from "./mariadb-server.js";

/** Assignments, so that a read of them takes a while. */
const MANY = 60_000;

/** In the SQL of both: `count` rows. */
const NUMBERS: Readonly<Record<SourceKind, (count: number) => string>> = {
  mariadb: (count) => `(select seq as n from seq_1_to_${count}) numbers`,
  postgresql: (count) => `generate_series(1, ${count}) as n`,
};

/** Ends the connection that reads the assignments. @returns Whether there was one. */
const KILL: Readonly<Record<SourceKind, (source: RestoredCloud) => Promise<boolean>>> = {
  async mariadb(source) {
    const [reader] = await source.query(
      "select id from information_schema.processlist where info like '%from \"assignment\" t%' and id <> connection_id()",
    );
    if (reader === undefined) return false;
    await source.query(`kill connection ${reader["id"]}`);
    return true;
  },
  async postgresql(source) {
    // Its cursor is that of the assignments if it has a lock on their table.
    const killed = await source.query(
      `select pg_terminate_backend(l.pid) from pg_locks l join pg_class c on c.oid = l.relation
        where c.relname = 'assignment' and l.database = (select oid from pg_database where datname = current_database())
        and l.pid <> pg_backend_pid()`,
    );
    return killed.length > 0;
  },
};

let mariadb: MariadbServer;
beforeAll(async () => {
  if (hasClouds) mariadb = await startMariadb();
}, 120_000);
afterAll(async () => {
  if (hasClouds) await mariadb.remove();
});

describe.skipIf(!hasClouds).each([
  ["mariadb", sqliteDatabases],
  ["postgresql", postgresDatabases],
] as const)("an import from %s", (kind, databases) => {
  let source: RestoredCloud;
  let place: TestDatabase;
  beforeEach(async () => {
    source = await restoreCloud({ cloud: "head", kind, mariadb });
    place = await databases.create();
  }, 60_000);
  afterEach(async () => {
    await source.remove();
    await place.remove();
  });

  const run = (options: Parameters<typeof importCloud>[1] = {}) =>
    importCloud({ cloud: "head", address: source.address, databaseUrl: place.url }, options);
  const update = () => run({ isUpdate: true });

  async function rows(query: string): Promise<Record<string, unknown>[]> {
    const database = openDatabase(place.url);
    const found = await database.tables().executeQuery(CompiledQuery.raw(query));
    await database.close();
    return found.rows as Record<string, unknown>[];
  }

  it("that loses its connection changes nothing, and can be repeated", async () => {
    await source.query(
      `insert into assignment (type, actor_id, target_id, role_id, inherited)
        select 'UserProject', concat('many-', n), p.id, r.id, ${kind === "mariadb" ? "0" : "false"}
        from ${NUMBERS[kind](MANY)}, (select min(id) as id from project where domain_id = 'default') p,
          (select min(id) as id from role where domain_id = '<<null>>') r`,
    );
    const contents = async () =>
      Object.fromEntries(
        await Promise.all(
          ["project", "assignment", "imported_row"].map(async (table) => {
            const [row] = await rows(`select count(*) as count from ${table}`);
            return [table, Number(row?.["count"])] as const;
          }),
        ),
      );
    for (const isUpdate of [false, true]) {
      const before = isUpdate ? await contents() : { project: 0, assignment: 0, imported_row: 0 };
      const failure = run({ isUpdate }).then(
        () => "it was imported",
        (error: unknown) => error,
      );
      await expect.poll(() => KILL[kind](source), { timeout: 30_000, interval: 5 }).toBe(true);
      expect(await failure).toMatchObject({
        code: "import/interrupted",
        message: "Keystone's database stopped answering: nothing was changed, and the import can be repeated",
      });
      expect(await contents()).toEqual(before);
      expect((await run({ isUpdate })).isDone).toBe(true);
    }
    const [{ count } = {}] = await rows(
      "select count(*) as count from assignment where user_id like 'many-%'",
    );
    expect(Number(count)).toBe(MANY);
  }, 120_000);

  it("is refused while another one runs, and possible afterwards", async () => {
    const other = openDatabase(place.url);
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    let hasBegun = (): void => {};
    const begun = new Promise<void>((resolve) => {
      hasBegun = resolve;
    });
    const running = other.alone(async (transaction) => {
      await sql`create table held (id integer)`.execute(transaction.tables());
      hasBegun();
      await ended;
    });
    await begun;
    await expect(run()).rejects.toMatchObject({
      code: "import/busy",
      message:
        "Another import, or a migration, is running in this database. Nothing was changed: repeat the command when it is finished",
    });
    end();
    await running;
    await other.close();
    expect((await run()).isDone).toBe(true);
  }, 60_000);

  it("follows what was deleted and renamed there behind Keystone's back", async () => {
    expect((await run()).isDone).toBe(true);
    const quoted = kind === "mariadb" ? "`user`" : '"user"';
    const names = await source.query(
      "select user_id, name from local_user where domain_id = 'default' order by user_id limit 2",
    );
    const [first, second] = names as [Record<string, string>, Record<string, string>];
    for (const [row, name] of [
      [first, "moving"],
      [second, first["name"] ?? ""],
      [first, second["name"] ?? ""],
    ] as const)
      await source.query(`update local_user set name = '${name}' where user_id = '${row["user_id"]}'`);
    // A project without the rows that refer to it, and a user with a trust.
    const [trust = {}] = await source.query(
      "select id, trustor_user_id, trustee_user_id, project_id from trust where deleted_at is null and project_id is not null limit 1",
    );
    const [project = {}] = await source.query(
      `select t.id from project t join assignment a on a.target_id = t.id where t.domain_id = 'default'
        and t.id <> '${trust["project_id"]}' and not exists (select 1 from project c where c.parent_id = t.id) limit 1`,
    );
    const isFree =
      kind === "mariadb" ? "set foreign_key_checks = 0" : "set session_replication_role = replica";
    await source.query(isFree);
    await source.query(`delete from project where id = '${project["id"]}'`);
    await source.query(`delete from ${quoted} where id = '${trust["trustor_user_id"]}'`);
    await source.query(
      `insert into trust (id, trustor_user_id, trustee_user_id, project_id, impersonation, extra)
        values ('without-project', '${trust["trustee_user_id"]}', '${first["user_id"]}', null, ${kind === "mariadb" ? "0" : "false"}, '{}')`,
    );

    const { lines, isDone } = await update();
    expect([isDone, lines.join("\n")]).toEqual([true, expect.stringContaining("rows were imported")]);
    expect(await rows(`select id from project where id = '${project["id"]}'`)).toEqual([]);
    expect(await rows(`select 1 from assignment where target_id = '${project["id"]}'`)).toEqual([]);
    expect(await rows(`select id from "user" where id = '${trust["trustor_user_id"]}'`)).toEqual([]);
    expect(await rows(`select id from trust where id = '${trust["id"]}'`)).toEqual([]);
    expect(await rows("select id, project_id from trust where id = 'without-project'")).toEqual([
      { id: "without-project", project_id: null },
    ]);
    const swapped = await rows(
      `select id, name from "user" where id in ('${first["user_id"]}', '${second["user_id"]}') order by id`,
    );
    expect(swapped.filter(({ id }) => id !== trust["trustor_user_id"])).toEqual(
      [
        { id: first["user_id"], name: second["name"] },
        { id: second["user_id"], name: first["name"] },
      ].filter(({ id }) => id !== trust["trustor_user_id"]),
    );

    await source.query("delete from trust where id = 'without-project'");
    expect((await update()).isDone).toBe(true);
    expect(await rows("select id from trust where id = 'without-project'")).toEqual([]);
  }, 60_000);
});
