/** `migrate --check`: what it says about times. */
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import {
  createMigrationTimes,
  extrapolate,
  type MigrationTimes,
} from "../../src/commands/migration-times.js";
import { describePending } from "../../src/commands/migrate-command.js";
import { migrations } from "../../src/migrations/migrations.js";
import type { Database } from "../../src/platform/database/database.js";
import { migrate, type Migration } from "../../src/platform/database/migrate.js";
import { openDatabase } from "../../src/platform/database/open-database.js";
import { databases, type TestDatabase } from "../databases.js";

const ROWS = 5000;
const INDEX = { name: "region_made", table: "region", columns: ["parent_region_id", "id"] };

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

describe("the time of a step", () => {
  const samples = [
    { rows: 1000, seconds: 0.11 },
    { rows: 10_000, seconds: 0.2 },
  ];

  it("is a fixed part, and n log n of the rows", () => {
    // 0.09 s for 9,000 rows more: 0.1 s whatever the rows, and 0.1 s for 10,000. 10 million rows have 7/4 of the logarithm.
    expect(extrapolate(samples, 10_000)).toBeCloseTo(0.2, 10);
    expect(extrapolate(samples, 10_000_000)).toBeCloseTo(0.1 + 100 * (7 / 4), 6);
  });

  it("is never negative, and never less than what was measured", () => {
    const noisy = [
      { rows: 1000, seconds: 0.3 },
      { rows: 10_000, seconds: 0.2 },
    ];
    expect(extrapolate(noisy, 1_000_000)).toBe(0.2);
    expect(extrapolate([{ rows: 10, seconds: 1 }], 100)).toBe(0);
  });
});

describe(`measured on ${databases.name}`, () => {
  beforeEach(async () => {
    await migrate(database, migrations);
    const rows = Array.from({ length: ROWS }, (_, at) => ({ id: `r${at}`, description: "x", extra: "{}" }));
    const tables = database.tables<{ region: { id: string; description: string; extra: string } }>();
    for (let at = 0; at < ROWS; at += 500)
      await tables
        .insertInto("region")
        .values(rows.slice(at, at + 500))
        .execute();
  });

  const schema = async () => {
    const query =
      database.kind === "sqlite"
        ? sql<{ name: string }>`select name from sqlite_master union all select name from sqlite_temp_master`
        : sql<{
            name: string;
          }>`select relname as name from pg_class where relnamespace = current_schema()::regnamespace
            or relname like 'hamkit_sample%'`;
    return (await query.execute(database.tables())).rows.map(({ name }) => name).toSorted();
  };

  it("an index and a copy take some time for their rows, and leave nothing", async () => {
    const before = await schema();
    const times = createMigrationTimes(database);
    for (const { rows, seconds } of [await times.index(INDEX), await times.copy("region")]) {
      expect(rows).toBe(ROWS);
      expect(seconds).toBeGreaterThan(0.0005);
      expect(seconds).toBeLessThan(5);
    }
    expect(await schema()).toEqual(before);
  });

  it("a table or a column that an earlier step adds is none yet", async () => {
    const times = createMigrationTimes(database);
    expect(await times.copy("table_of_the_next_release")).toEqual({ rows: 0, seconds: 0 });
    expect(await times.index({ ...INDEX, columns: ["id", "new_column"] })).toMatchObject({ rows: ROWS });
  });
});

describe(`migrate --check on ${databases.name}`, () => {
  const big: Migration = {
    name: "9998-big",
    expands: true,
    indexes: [INDEX],
    reads: ["user"],
    up: async () => {},
  };
  const times: MigrationTimes = {
    index: async () => ({ rows: 3_000_000, seconds: 7.2 }),
    copy: async () => ({ rows: 12, seconds: 0.5 }),
  };

  it("says how long each part takes, and how PostgreSQL creates an index without delaying writes", async () => {
    await migrate(database, migrations);
    expect(await describePending(database, [...migrations, big], times)).toEqual([
      "9998-big: only adds to the schema: the former release runs with it",
      "  creates the index region_made of region (3,000,000 rows): about 8 s",
      "  copies or changes user (12 rows): less than a second",
      "1 pending, about 8 s in all, in one transaction: writes to these tables wait meanwhile. Replicas of the former release may keep running.",
      ...(database.kind === "sqlite"
        ? []
        : [
            "To delay no writes, create these indexes before, with psql; the migration then finds them:",
            '  create index concurrently if not exists "region_made" on "region" ("parent_region_id", "id");',
          ]),
    ]);
  });

  it("finds an index that was created before", async () => {
    await migrate(database, migrations);
    await sql`create index region_made on region (parent_region_id, id)`.execute(database.tables());
    expect(await migrate(database, [...migrations, big])).toEqual(["9998-big"]);
  });
});
