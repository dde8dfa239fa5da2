/**
 * Databases for tests that have the schema of this release and no rows, as after `migrate`. Migrating takes a second on PostgreSQL and
 * a tenth on SQLite, more than most tests: on SQLite a migrated file is copied, on PostgreSQL a schema is emptied for the next test of
 * the process.
 */
import { readFileSync, writeFileSync } from "node:fs";

import pg from "pg";

import { migrations } from "../src/migrations/migrations.js";
import { migrate } from "../src/platform/database/migrate.js";
import { openDatabase } from "../src/platform/database/open-database.js";
import type { TestDatabase, TestDatabases } from "./databases.js";

/** A migrated database for the caller alone; a shared one is left as it is. */
export function migratedDatabase(databases: TestDatabases): Promise<TestDatabase> {
  if (databases.isShared === true) return databases.create();
  return databases.name === "SQLite" ? copiedFile(databases) : emptiedSchema(databases);
}

let migratedFile: Buffer | undefined;

async function copiedFile(databases: TestDatabases): Promise<TestDatabase> {
  const place = await databases.create();
  const file = place.url.slice("sqlite:".length);
  if (migratedFile === undefined) {
    await migrateAt(place.url);
    migratedFile = readFileSync(file);
  } else writeFileSync(file, migratedFile);
  return place;
}

/** A migrated schema without rows, with what it has to be like when it is given to another test. */
interface EmptySchema {
  readonly place: TestDatabase;
  readonly shape: string;
  /** Empties all tables and writes the rows that migrations write. */
  readonly emptying: string;
}

/** Schemas that no test uses. `own-postgres.ts` drops them after the run. */
const unused: EmptySchema[] = [];

async function emptiedSchema(databases: TestDatabases): Promise<TestDatabase> {
  const schema = unused.pop() ?? (await newSchema(databases));
  const { place, shape, emptying } = schema;
  return {
    url: place.url,
    async remove() {
      const isUsedAgain = await connected(place.url, async (client) => {
        if ((await shapeOf(client)) !== shape) return false;
        await client.query(emptying);
        return true;
      });
      if (isUsedAgain) unused.push(schema);
      else await place.remove();
    },
  };
}

async function newSchema(databases: TestDatabases): Promise<EmptySchema> {
  const place = await databases.create();
  await migrateAt(place.url);
  return connected(place.url, async (client) => ({
    place,
    shape: await shapeOf(client),
    emptying: await emptyingOf(client),
  }));
}

async function migrateAt(url: string): Promise<void> {
  const database = openDatabase(url);
  await migrate(database, migrations);
  await database.close();
}

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** A digest of the schema's tables, columns, indexes, constraints, triggers and functions. */
async function shapeOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ shape: string }>(`
    with own as (select oid, relname, relkind from pg_class where relnamespace = current_schema()::regnamespace),
    part as (
      select concat_ws(' ', relname, relkind, attname, atttypid, attnotnull) as name
        from own left join pg_attribute on attrelid = own.oid and attnum > 0
      union all select conname from pg_constraint where connamespace = current_schema()::regnamespace
      union all select tgname from pg_trigger join own on tgrelid = own.oid where not tgisinternal
      union all select proname from pg_proc where pronamespace = current_schema()::regnamespace
    )
    select md5(string_agg(name, ',' order by name)) as shape from part`);
  return rows[0]?.shape ?? "";
}

async function emptyingOf(client: pg.Client): Promise<string> {
  const { rows: tables } = await client.query<{ name: string }>(
    "select quote_ident(tablename) as name from pg_tables where schemaname = current_schema()",
  );
  // Replicas check no foreign keys and run no triggers: the order of the tables does not matter.
  const statements = ["set session_replication_role = replica"];
  for (const { name } of tables) {
    statements.push(`delete from ${name}`);
    const { rows } = await client.query<{ row: unknown }>(`select to_json(t) as row from ${name} t`);
    if (rows.length === 0) continue;
    const json = client.escapeLiteral(JSON.stringify(rows.map(({ row }) => row)));
    statements.push(`insert into ${name} select * from json_populate_recordset(null::${name}, ${json})`);
  }
  return statements.join(";");
}
