/** The former release runs with the schema of this one: migrations only expand it, unless they say otherwise. */
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { migrations } from "../../src/migrations/migrations.js";
import type { Database } from "../../src/platform/database/database.js";
import { migrate, NewerDatabaseError, stepsTaken } from "../../src/platform/database/migrate.js";
import { openDatabase } from "../../src/platform/database/open-database.js";
import { databases, type TestDatabase } from "../databases.js";

let place: TestDatabase;
let database: Database;
beforeEach(async () => {
  place = await databases.create();
  database = openDatabase(place.url);
});
afterEach(async () => {
  await database.close();
  await place.remove();
});

interface Column {
  readonly place: string;
  readonly type: string;
  readonly isRequired: boolean;
}

/** SQLite has no booleans. */
interface ColumnRow extends Omit<Column, "isRequired"> {
  readonly required: boolean | number;
}

async function columns(): Promise<Column[]> {
  const query =
    database.kind === "sqlite"
      ? sql<ColumnRow>`select m.name || '.' || c.name as place, c.type as type,
          c."notnull" = 1 and c.dflt_value is null as required
          from sqlite_master m join pragma_table_info(m.name) c where m.type = 'table' order by 1`
      : sql<ColumnRow>`select table_name || '.' || column_name as place, data_type as type,
          is_nullable = 'NO' and column_default is null as required
          from information_schema.columns where table_schema = current_schema() order by 1`;
  const { rows } = await query.execute(database.tables());
  return rows.map(({ place: name, type, required }) => ({
    place: name,
    type,
    isRequired: Boolean(required),
  }));
}

/** Constraints that reject rows. */
async function constraints(): Promise<string[]> {
  const query =
    database.kind === "sqlite"
      ? sql<{ text: string }>`select tbl_name || ': ' || sql as text from sqlite_master
          where sql is not null and (type <> 'index' or sql like 'create unique%')`
      : sql<{
          text: string;
        }>`select conrelid::regclass || ': ' || pg_get_constraintdef(oid) as text from pg_constraint
          where connamespace = current_schema()::regnamespace
          union all select indrelid::regclass || ': ' || pg_get_indexdef(oid) from pg_class
          join pg_index on indexrelid = oid and indisunique where relnamespace = current_schema()::regnamespace`;
  return (await query.execute(database.tables())).rows.map(({ text }) => text);
}

const tableOf = (text: string): string => text.split(/[.:]/)[0] ?? "";
const later = migrations.filter(({ expands }) => expands === true);

describe(`migrations on ${databases.name}`, () => {
  it("take nothing away, and ask nothing of former releases", async () => {
    for (const { name } of later) {
      const index = migrations.findIndex((migration) => migration.name === name);
      await migrate(database, migrations.slice(0, index));
      const [before, rules] = [await columns(), await constraints()];
      await migrate(database, migrations.slice(0, index + 1));
      const after = await columns();
      expect({ name, after }).toEqual({ name, after: expect.arrayContaining(before) as unknown });
      const known = new Set(before.map((column) => tableOf(column.place)));
      const added = after.filter(({ place: each }) => !before.some((column) => column.place === each));
      const required = added.filter((column) => known.has(tableOf(column.place)) && column.isRequired);
      expect({ name, required }).toEqual({ name, required: [] });
      // SQLite's text of a table has its new columns too.
      const stricter = (await constraints())
        .filter((rule) => !rules.includes(rule) && known.has(tableOf(rule)))
        .filter((rule) => !/^\w+: create table/i.test(rule));
      expect({ name, stricter }).toEqual({ name, stricter: [] });
    }
  });

  it("let the former release start and run with a schema that was only expanded", async () => {
    await migrate(database, migrations);
    const former = migrations.filter(({ expands }) => expands !== true);
    expect(await migrate(database, former)).toEqual([]);
    expect(await stepsTaken(database)).toHaveLength(migrations.length);
    // And this one after it, with nothing to do.
    expect(await migrate(database, migrations)).toEqual([]);
  });

  it("keep a release that does not know a step which takes something away from starting", async () => {
    const drop = { name: "9999-drop", up: async () => {} };
    await migrate(database, [...migrations, drop]);
    await expect(migrate(database, migrations)).rejects.toThrow(new NewerDatabaseError(["9999-drop"]));
    // Unless it announced the step: then it uses nothing of what is gone.
    const announced = { name: "9999-drop", up: undefined };
    expect(await migrate(database, [...migrations, announced])).toEqual([]);
  });

  it("apply no announced step", async () => {
    expect(await migrate(database, [...migrations, { name: "9999-drop", up: undefined }])).not.toContain(
      "9999-drop",
    );
  });

  it("are not visible to releases from before there were expansions, which so run", async () => {
    await migrate(database, migrations);
    const { rows } = await sql<{ name: string }>`select name from schema_migration`.execute(
      database.tables(),
    );
    expect(rows).toHaveLength(migrations.length - later.length);
    expect(rows.at(-1)).toEqual({ name: "0030-federated-sessions" });
  });
});
