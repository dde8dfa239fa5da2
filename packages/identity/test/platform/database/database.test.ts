/** Transactions, migrations and errors: the same on each kind of database. */
import { setTimeout as delay } from "node:timers/promises";

import { sql, type Kysely } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { ForeignKeyViolation, UniqueViolation } from "../../../src/platform/database/database-errors.js";
import type { Database } from "../../../src/platform/database/database.js";
import { migrate, NewerDatabaseError, type Migration } from "../../../src/platform/database/migrate.js";
import { openDatabase } from "../../../src/platform/database/open-database.js";
import { databases, type TestDatabase } from "../../databases.js";

interface Tables {
  readonly star: {
    id: string;
    name: string | null;
    is_bright: boolean | null;
    planets: number | null;
    seen_at: number | null;
    spectrum: Buffer | null;
  };
  readonly planet: { star_id: string; name: string };
}

const stars: Migration = {
  name: "0001-stars",
  async up(schema, types) {
    await schema.schema
      .createTable("star")
      .addColumn("id", types.text, (column) => column.primaryKey())
      .addColumn("name", types.text, (column) => column.unique())
      .addColumn("is_bright", types.boolean)
      .addColumn("planets", types.integer)
      .addColumn("seen_at", types.moment)
      .addColumn("spectrum", types.bytes)
      .execute();
  },
};
const planets: Migration = {
  name: "0002-planets",
  async up(schema, types) {
    await schema.schema
      .createTable("planet")
      .addColumn("star_id", types.text, (column) =>
        column.notNull().references("star.id").onDelete("cascade"),
      )
      .addColumn("name", types.text, (column) => column.notNull())
      .addPrimaryKeyConstraint("planet_pkey", ["star_id", "name"])
      .execute();
  },
};

const kind = databases.name;
let place: TestDatabase;
let open: Database[];
beforeEach(async () => {
  place = await databases.create();
  open = [];
});
afterEach(async () => {
  await Promise.all(open.map((database) => database.close()));
  await place.remove();
});

function openAgain(): Database {
  const database = openDatabase(place.url);
  open.push(database);
  return database;
}

async function openWithTables(): Promise<Database> {
  const database = openAgain();
  await migrate(database, [stars, planets]);
  return database;
}

async function addStar(database: Database, id: string): Promise<void> {
  await database.tables<Tables>().insertInto("star").values(star(id)).execute();
}

function countPlanets(database: Database): Promise<number | null> {
  return database
    .tables<Tables>()
    .selectFrom("star")
    .select("planets")
    .executeTakeFirstOrThrow()
    .then(({ planets: count }) => count);
}

describe(`migrations on ${kind}`, () => {
  it("takes each step once, in order", async () => {
    const database = openAgain();
    expect(await migrate(database, [stars])).toEqual(["0001-stars"]);
    expect(await migrate(database, [stars, planets])).toEqual(["0002-planets"]);
    expect(await migrate(database, [stars, planets])).toEqual([]);
  });

  it("has one of several processes that start at once take the steps", async () => {
    const results = await Promise.all(
      Array.from({ length: 5 }, () => migrate(openAgain(), [stars, planets])),
    );
    expect(results.flat().toSorted()).toEqual(["0001-stars", "0002-planets"]);
  });

  it("takes all steps or none", async () => {
    const database = openAgain();
    const broken: Migration = {
      name: "0002-broken",
      up: async (schema) => void (await sql`select star from nowhere`.execute(schema)),
    };
    await expect(migrate(database, [stars, broken])).rejects.toThrow("nowhere");
    expect(await migrate(database, [stars])).toEqual(["0001-stars"]);
  });

  it("answers the queries of a step by what the changes before it have made", async () => {
    const database = openAgain();
    const counted: Migration = {
      name: "0002-counted",
      async up(schema, types) {
        await sql`insert into star (id, name) select 'sun;', 'Sun; --'`.execute(schema);
        const tables = schema as Kysely<Tables>;
        const { name } = await tables.selectFrom("star").select("name").executeTakeFirstOrThrow();
        await schema.schema.alterTable("star").addColumn("copy", types.text).execute();
        await sql`update star set copy = ${name}`.execute(schema);
        await sql`update star set copy = copy || '!'`.execute(schema);
      },
    };
    const bare: Migration = {
      name: "0001-bare",
      up: (schema, types) =>
        schema.schema.createTable("star").addColumn("id", types.text).addColumn("name", types.text).execute(),
    };
    await migrate(database, [bare, counted]);
    const { rows } = await sql`select * from star`.execute(database.tables());
    expect(rows).toEqual([{ id: "sun;", name: "Sun; --", copy: "Sun; --!" }]);
  });

  it("takes no step before a change that fails, which is sent with others", async () => {
    const database = openAgain();
    const broken: Migration = {
      name: "0002-broken",
      up: async (schema) => void (await sql`insert into nowhere (id) select 1`.execute(schema)),
    };
    await expect(migrate(database, [stars, broken, planets])).rejects.toThrow("nowhere");
    expect(await migrate(database, [stars, planets])).toEqual(["0001-stars", "0002-planets"]);
  });

  it("does what else there is to do once, and before tables that others use are changed", async () => {
    const database = openAgain();
    const asked: boolean[] = [];
    const meanwhile = async () => {
      const tables = await sql`select 1 from planet`.execute(openAgain().tables()).then(
        () => true,
        () => false,
      );
      asked.push(tables);
    };
    await migrate(database, [stars], { meanwhile });
    expect(asked).toEqual([false]);
    await migrate(database, [stars, planets], { meanwhile });
    expect(asked).toEqual([false, false]);
    await migrate(database, [stars, planets], { meanwhile });
    expect(asked).toEqual([false, false]);
  });

  it("fails by a change only when what else there is to do is over: it uses the database, which is closed then", async () => {
    const broken: Migration = {
      name: "0002-broken",
      up: async (schema) => void (await sql`insert into nowhere (id) select 1`.execute(schema)),
    };
    let isOver = false;
    const meanwhile = async () => {
      await delay(300);
      isOver = true;
    };
    await expect(migrate(openAgain(), [stars, broken], { meanwhile })).rejects.toThrow("nowhere");
    expect(isOver).toBe(true);
  });

  it("changes nothing where what else there is to do fails", async () => {
    const database = openAgain();
    const meanwhile = () => Promise.reject(new Error("a chunk is missing"));
    await expect(migrate(database, [stars], { meanwhile })).rejects.toThrow("a chunk is missing");
    expect(await migrate(database, [stars])).toEqual(["0001-stars"]);
    await expect(migrate(database, [stars, planets], { meanwhile })).rejects.toThrow("a chunk is missing");
    expect(await migrate(database, [stars, planets])).toEqual(["0002-planets"]);
  });

  it("returns what a change of a step returns", async () => {
    const database = openAgain();
    let returned: unknown;
    const named: Migration = {
      name: "0002-named",
      async up(schema) {
        await sql`insert into star (id) select 'sun'`.execute(schema);
        const { rows } = await sql`update star set name = 'Sun' returning id`.execute(schema);
        returned = rows;
      },
    };
    await migrate(database, [stars, named]);
    expect(returned).toEqual([{ id: "sun" }]);
  });

  it("refuses a database of a newer release", async () => {
    const database = await openWithTables();
    await expect(migrate(database, [stars])).rejects.toThrow(new NewerDatabaseError(["0002-planets"]));
  });
});

describe(`values on ${kind}`, () => {
  it("come back as they went in", async () => {
    const database = await openWithTables();
    const sun = {
      id: "sun",
      name: "Sonne ☉ 'quoted' \u0001",
      is_bright: true,
      planets: 8,
      seen_at: 2 ** 53 - 1,
      spectrum: Buffer.from([0, 255, 1]),
    };
    const dwarf = {
      id: "dwarf",
      name: "",
      is_bright: false,
      planets: -1,
      seen_at: -1,
      spectrum: Buffer.alloc(0),
    };
    const dark = { id: "dark", name: null, is_bright: null, planets: null, seen_at: null, spectrum: null };
    const tables = database.tables<Tables>();
    await tables.insertInto("star").values([sun, dwarf, dark]).execute();
    expect(await tables.selectFrom("star").selectAll().orderBy("id").execute()).toEqual([dark, dwarf, sun]);
    expect(await tables.selectFrom("star").select("id").where("is_bright", "=", true).execute()).toEqual([
      { id: "sun" },
    ]);
  });

  it("that can't be stored are refused, with the process alive", async () => {
    const database = await openWithTables();
    const insert = (value: unknown) =>
      database
        .tables<Tables>()
        .insertInto("star")
        .values({ ...star("x"), planets: value as number })
        .execute();
    await expect(insert({})).rejects.toThrow(/type|integer/);
    await addStar(database, "x");
  });

  it("are compared by their bytes", async () => {
    const database = await openWithTables();
    for (const id of ["b", "B", "a", "_", "ä", "Z"]) await addStar(database, id);
    const rows = await database.tables<Tables>().selectFrom("star").select("id").orderBy("id").execute();
    expect(rows.map(({ id }) => id)).toEqual(["B", "Z", "_", "a", "b", "ä"]);
  });

  it("are found by LIKE with their case", async () => {
    const database = await openWithTables();
    for (const id of ["vega", "VEGA"]) await addStar(database, id);
    const rows = await database
      .tables<Tables>()
      .selectFrom("star")
      .select("id")
      .where("id", "like", "ve%")
      .execute();
    expect(rows).toEqual([{ id: "vega" }]);
  });

  it("are counted as numbers", async () => {
    const database = await openWithTables();
    await addStar(database, "sun");
    const tables = database.tables<Tables>();
    const { count } = await tables
      .selectFrom("star")
      .select((the) => the.fn.countAll().as("count"))
      .executeTakeFirstOrThrow();
    expect(count).toBe(1);
    const { numUpdatedRows } = await tables.updateTable("star").set({ planets: 9 }).executeTakeFirst();
    expect(numUpdatedRows).toBe(1n);
  });
});

describe(`violations on ${kind}`, () => {
  it("name the columns of a unique violation", async () => {
    const database = await openWithTables();
    await addStar(database, "sun");
    const again = { ...star("sun"), name: "another" };
    await expect(database.tables<Tables>().insertInto("star").values(again).execute()).rejects.toMatchObject({
      constructor: UniqueViolation,
      kind: "conflict",
      table: "star",
      columns: ["id"],
    });
    const planet = { star_id: "sun", name: "earth" };
    const insert = database.tables<Tables>().insertInto("planet").values(planet);
    await insert.execute();
    await expect(insert.execute()).rejects.toMatchObject({ table: "planet", columns: ["star_id", "name"] });
  });

  it("fail on a foreign key violation", async () => {
    const database = await openWithTables();
    const insert = database.tables<Tables>().insertInto("planet").values({ star_id: "none", name: "x" });
    await expect(insert.execute()).rejects.toBeInstanceOf(ForeignKeyViolation);
  });

  it("leave a deleted row's dependents nowhere", async () => {
    const database = await openWithTables();
    await addStar(database, "sun");
    const tables = database.tables<Tables>();
    await tables.insertInto("planet").values({ star_id: "sun", name: "earth" }).execute();
    await tables.deleteFrom("star").execute();
    expect(await tables.selectFrom("planet").selectAll().execute()).toEqual([]);
  });
});

describe(`transactions on ${kind}`, () => {
  it("leave nothing behind when they fail", async () => {
    const database = await openWithTables();
    const failing = database.transaction(async (transaction) => {
      await transaction.tables<Tables>().insertInto("star").values(star("sun")).execute();
      throw new RangeError("changed my mind");
    });
    await expect(failing).rejects.toThrow(RangeError);
    await addStar(database, "sun");
  });

  it("are not seen by others before their end", async () => {
    const database = await openWithTables();
    const other = openAgain();
    await addStar(database, "sun");
    await database.transaction(async (transaction) => {
      await transaction.tables<Tables>().updateTable("star").set({ planets: 9 }).execute();
      expect(await countPlanets(other)).toBe(0);
    });
    expect(await countPlanets(other)).toBe(9);
  });

  it("lose no update, though many read before they write", async () => {
    const database = await openWithTables();
    await addStar(database, "sun");
    const increment = () =>
      database.transaction(async (transaction) => {
        const tables = transaction.tables<Tables>();
        const row = await tables.selectFrom("star").select("planets").executeTakeFirstOrThrow();
        await tables
          .updateTable("star")
          .set({ planets: (row.planets ?? 0) + 1 })
          .execute();
      });
    await Promise.all(Array.from({ length: 8 }, increment));
    expect(await countPlanets(database)).toBe(8);
  });

  it("end with the database's error when it closes", async () => {
    const database = openAgain();
    await database.ping();
    await database.close();
    open = [];
    await expect(database.ping()).rejects.toThrow(/destroyed|open|pool/);
  });

  it("let work alone wait for work alone of another process", async () => {
    const both = [openAgain(), openAgain()];
    const log: string[] = [];
    const work = (database: Database, name: string) =>
      database.alone(async (transaction) => {
        log.push(`${name} begins`);
        for (let query = 0; query < 5; query++) await sql`select 1`.execute(transaction.tables());
        log.push(`${name} ends`);
      });
    await Promise.all(both.map((database, index) => work(database, String(index))));
    expect(log.map((line) => line.split(" ")[1])).toEqual(["begins", "ends", "begins", "ends"]);
  });
});

function star(id: string): Tables["star"] {
  return { id, name: `the ${id}`, is_bright: true, planets: 0, seen_at: 0, spectrum: null };
}
