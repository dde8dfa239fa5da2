/** Filters and pages of lists as stores use them: the same results on each kind of database. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { Database } from "../../../../src/platform/database/database.js";
import { migrate } from "../../../../src/platform/database/migrate.js";
import { openDatabase } from "../../../../src/platform/database/open-database.js";
import { createLinks } from "../../../../src/platform/http/links.js";
import { pageOf } from "../../../../src/platform/database/table.js";
import { passesFilter, readFilters } from "../../../../src/platform/http/lists/list-filters.js";
import { listResponse, readPage } from "../../../../src/platform/http/lists/paging.js";
import { parseQuery } from "../../../../src/platform/http/query.js";
import { databases, type TestDatabase } from "../../../databases.js";

interface Tables {
  readonly thing: { id: string; name: string };
}

const NAMES = [
  "snapshot",
  "SNAPSHOT",
  "snap",
  "volumes",
  "100%",
  "1000",
  "a_b",
  "axb",
  "wow!",
  "ÄSCHE",
  "äsche",
];
const links = createLinks("http://id.example.com/base");

let place: TestDatabase;
let database: Database;
beforeAll(async () => {
  place = await databases.create();
  database = openDatabase(place.url);
  await migrate(database, [
    {
      name: "0001-things",
      async up(schema, types) {
        await schema.schema
          .createTable("thing")
          .addColumn("id", types.text, (column) => column.primaryKey())
          .addColumn("name", types.text, (column) => column.notNull())
          .execute();
      },
    },
  ]);
  const things = NAMES.map((name, index) => ({ id: `id-${String(index).padStart(2, "0")}`, name }));
  await database.tables<Tables>().insertInto("thing").values(things).execute();
});
afterAll(async () => {
  await database.close();
  await place.remove();
});

/** As a route answers: by the text behind the question mark. */
async function ask(text: string, defaultPageSize?: number) {
  const query = parseQuery(text);
  const page = readPage(query, { defaultPageSize });
  const all = database.tables<Tables>().selectFrom("thing").selectAll();
  const filters = readFilters(query, ["name"]);
  const items = await pageOf(all, "thing.id", { filters, page }).execute();
  return listResponse("things", items, {
    page,
    links,
    url: text === "" ? "/v3/things/" : `/v3/things?${text}`,
  });
}

describe(`a list on ${databases.name}`, () => {
  it.each([
    ["name=snapshot", ["snapshot"]],
    ["name=snapshot&name=snap", []],
    ["name__contains=snap", ["snapshot", "snap"]],
    ["name__icontains=SNAP", ["snapshot", "SNAPSHOT", "snap"]],
    ["name__startswith=snaps", ["snapshot"]],
    ["name__istartswith=snaps", ["snapshot", "SNAPSHOT"]],
    ["name__endswith=shot", ["snapshot"]],
    ["name__iendswith=shot", ["snapshot", "SNAPSHOT"]],
    ["name__contains=0%25", ["100%"]],
    ["name__contains=a_", ["a_b"]],
    ["name__endswith=!", ["wow!"]],
    ["name__icontains=%C3%A4SCHE", ["äsche"]],
    ["name__contains=", NAMES],
    ["name__bogus=x&colour=red&name__contains__contains=x", NAMES],
    ["name__contains=snap&name__endswith=shot", ["snapshot"]],
    ["name=' or 1=1 --", []],
  ])("filtered by %s", async (query, names) => {
    expect((await ask(query)).things.map(({ name }) => name)).toEqual(names);
    const filters = readFilters(parseQuery(query), ["name"]);
    const passing = NAMES.filter((name) => filters.every((filter) => passesFilter(filter, name)));
    expect(passing).toEqual(names);
  });

  it("is complete without a limit", async () => {
    expect(await ask("")).toMatchObject({
      things: { length: NAMES.length },
      links: { next: null, self: "http://id.example.com/base/v3/things", previous: null },
    });
    expect(await ask("")).not.toHaveProperty("truncated");
  });

  it("comes in pages, each with the address of the next (paging-that-goes-on)", async () => {
    const first = await ask("limit=4&name__contains=");
    expect(first).toMatchObject({
      things: { length: 4 },
      truncated: true,
      links: {
        self: "http://id.example.com/base/v3/things?limit=4&name__contains=",
        next: "http://id.example.com/base/v3/things?limit=4&name__contains=&marker=id-03",
      },
    });
    const seen = first.things.map(({ name }) => name);
    for (let next = first.links.next; next !== null;) {
      const page = await ask(next.split("?")[1] ?? "");
      seen.push(...page.things.map(({ name }) => name));
      next = page.links.next;
    }
    expect(seen).toEqual(NAMES);
  });

  it("has a limit of its own where the operator sets one, which the next page keeps", async () => {
    const page = await ask("", 2);
    expect(page.things).toHaveLength(2);
    expect(page.links.next).toBe("http://id.example.com/base/v3/things?marker=id-01&limit=2");
    expect((await ask("limit=3", 2)).things).toHaveLength(3);
  });

  it("of no items is marked as truncated, and has no next link", async () => {
    expect(await ask("limit=0")).toMatchObject({ things: [], truncated: true, links: { next: null } });
  });

  it("refuses a limit that is no number", async () => {
    await expect(ask("limit=abc")).rejects.toMatchObject({
      kind: "invalid",
      message: "Invalid input for field/attribute limit. Value: abc. 'abc' is not of type 'integer'",
    });
    await expect(ask("limit=")).rejects.toMatchObject({ kind: "invalid" });
    await expect(ask("limit=1e3")).rejects.toMatchObject({ kind: "invalid" });
  });
});
