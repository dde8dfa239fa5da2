/**
 * What `migrate --check` expects of an index and of a copy of a large table, and how long they then take. MIGRATION_ROWS=5000000
 * chooses another size. The figure is expected time / real time: 1 is exact.
 */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { sql } from "kysely";

import { databaseOnPostgres, postgresAnswers } from "./identity-service.mjs";

const built = (path) => import(new URL(`../packages/identity/dist/${path}.js`, import.meta.url).href);
const { openDatabase } = await built("platform/database/open-database");
const { migrate } = await built("platform/database/migrate");
const { migrations } = await built("migrations/migrations");
const { createMigrationTimes } = await built("commands/migration-times");

const ROWS = Number(process.env.MIGRATION_ROWS ?? 1_000_000);
const SLICE = 1000;
const INDEX = { name: "region_bench", table: "region", columns: ["description", "id"] };

export async function bench({ row }) {
  for (const [name, create] of [
    ["SQLite", databaseOnSqlite],
    ["PostgreSQL", databaseOnPostgres],
  ]) {
    if (name === "PostgreSQL" && !(await postgresAnswers())) {
      row({ work: "PostgreSQL does not answer: not measured", hamkit: 0 });
      continue;
    }
    const place = await create();
    const database = openDatabase(place.url);
    try {
      await measure(name, database, row);
    } finally {
      await database.close();
      await place.remove();
    }
  }
}

async function measure(name, database, row) {
  await migrate(database, migrations);
  await fill(database);
  const times = createMigrationTimes(database);
  const report = (work, expected, real) =>
    row({
      work: `${name}: ${work} of ${ROWS.toLocaleString("en")} rows, expected ${expected.toFixed(2)} s, took ${real.toFixed(2)} s`,
      hamkit: expected / real,
      unit: "of the real time",
    });

  const copy = {
    name: "9998-copy",
    up: async (queries) =>
      void (await sql`insert into region_bench_copy select * from region`.execute(queries)),
  };
  await createEmptyCopy(database);
  report(
    "copy",
    (await times.copy("region")).seconds,
    await seconds(() => migrate(database, [...migrations, copy])),
  );

  const index = { name: "9999-index", indexes: [INDEX], up: async () => {} };
  const expected = (await times.index(INDEX)).seconds;
  report("index", expected, await seconds(() => migrate(database, [...migrations, copy, index])));
}

async function fill(database) {
  const tables = database.tables();
  for (let at = 0; at < ROWS; at += SLICE) {
    const rows = Array.from({ length: SLICE }, () => ({
      id: randomBytes(16).toString("hex"),
      description: randomBytes(8).toString("hex"),
      extra: "{}",
    }));
    await tables.insertInto("region").values(rows).execute();
  }
}

/** With the indexes of the table. */
async function createEmptyCopy(database) {
  const tables = database.tables();
  if (database.kind === "postgres")
    await sql`create table region_bench_copy (like region including all)`.execute(tables);
  else {
    await sql`create table region_bench_copy as select * from region limit 0`.execute(tables);
    await sql`create unique index region_bench_copy_id on region_bench_copy (id)`.execute(tables);
    await sql`create index region_bench_copy_parent on region_bench_copy (parent_region_id)`.execute(tables);
  }
}

async function seconds(work) {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1000;
}

function databaseOnSqlite() {
  const folder = mkdtempSync(join(tmpdir(), "hamkit-bench-"));
  return {
    url: `sqlite:${join(folder, "identity.db")}`,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
