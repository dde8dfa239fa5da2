/** Tables of items that have an id. The columns are declared once; row type, conversion and the usual queries follow from them. */
import type { Kysely, SelectQueryBuilder } from "kysely";

import type { NotFoundError } from "../errors.js";
import { required } from "../found.js";
import type { Queries } from "./database.js";
import { pageOf, type ListQuery } from "./list-query.js";
import { orConflict, type ConflictOf } from "./unique-write.js";

/** A column that holds its value as JSON. */
export interface JsonColumn<Name extends string = string> {
  readonly json: Name;
}

export function json<Name extends string>(name: Name): JsonColumn<Name> {
  return { json: name };
}

/** The column of each member of an item. */
type ColumnsOf<Item> = { readonly [Member in keyof Item]-?: string | JsonColumn };

type NameOf<Column> = Column extends JsonColumn<infer Name> ? Name : Column extends string ? Column : never;

/** A row, by the names of its columns. */
type Row<Item, Columns extends ColumnsOf<Item>> = {
  [Member in keyof Item as NameOf<Columns[Member]>]: Columns[Member] extends JsonColumn
    ? string | Extract<Item[Member], null>
    : Item[Member];
};

/** The row type of a table. */
export type RowOf<Table extends { toItem: (row: never) => unknown }> = Parameters<Table["toItem"]>[0];

interface AnyTables {
  readonly table: { id: string };
}

/**
 * Declares a table: `tableOf<Region>()("region", { id: "id", parentRegionId: "parent_region_id", extra: json("extra") }, ...)`.
 *
 * The second call is there because TypeScript infers either all type arguments or none.
 */
export function tableOf<Item extends { readonly id: string }>() {
  return <Name extends string, const Columns extends ColumnsOf<Item>>(
    name: Name,
    columns: Columns,
    notFound: new (id: string) => NotFoundError,
  ) => {
    type ItemRow = Row<Item, Columns>;
    type Select = SelectQueryBuilder<Record<Name, ItemRow>, Name, ItemRow>;

    const members = Object.entries<string | JsonColumn>(columns).map(([member, column]) =>
      typeof column === "string"
        ? { member, column, isJson: false }
        : { member, column: column.json, isJson: true },
    );

    /** A new object, to which stores may assign members from other tables: a spread copy is several times slower. */
    function toItem(row: ItemRow): Item {
      const values = row as Readonly<Record<string, unknown>>;
      const item: Record<string, unknown> = {};
      for (const { member, column, isJson } of members) {
        const value = values[column];
        item[member] = isJson && value !== null ? JSON.parse(value as string) : value;
      }
      return item as Item;
    }

    function toRow(item: Item): ItemRow {
      const values = item as Readonly<Record<string, unknown>>;
      const row: Record<string, unknown> = {};
      for (const { member, column, isJson } of members) {
        const value = values[member];
        row[column] = isJson && value !== null ? JSON.stringify(value) : value;
      }
      return row as ItemRow;
    }

    // Kysely's types don't follow a name that is a type parameter: inside, every table is called `table`.
    const here = name as string as "table";
    const select = (queries: Queries) => anyTables(queries).selectFrom(here).selectAll() as unknown as Select;

    /** The first item of a query on this table. */
    async function first(query: Select): Promise<Item | undefined> {
      const row = (await query.executeTakeFirst()) as ItemRow | undefined;
      return row && toItem(row);
    }

    async function all(query: Select): Promise<Item[]> {
      return ((await query.execute()) as ItemRow[]).map(toItem);
    }

    function find(queries: Queries, id: string): Promise<Item | undefined> {
      return first(anyTables(queries).selectFrom(here).selectAll().where("id", "=", id) as unknown as Select);
    }

    return {
      toItem,
      toRow,
      /** All rows, to be narrowed by conditions. */
      select,
      first,
      all,
      find,

      /** @throws {NotFoundError} Of the class that was declared. */
      require: (queries: Queries, id: string): Promise<Item> =>
        required(find(queries, id), () => new notFound(id)),

      /** A page of the items, in the order of their ids, and one more if there is another page. */
      list: (
        queries: Queries,
        query: ListQuery<keyof ItemRow & string>,
        narrow: (select: Select) => Select = (every) => every,
      ): Promise<Item[]> => all(pageOf(narrow(select(queries)), `${name}.id`, query)),

      /** @param conflict What to throw where the row violates a unique constraint; the violation itself, if left out. */
      insert: (queries: Queries, item: Item, conflict?: ConflictOf): Promise<void> =>
        orConflict(
          () =>
            anyTables(queries)
              .insertInto(here)
              .values(toRow(item) as never)
              .execute(),
          conflict,
        ),

      /** @param conflict As for `insert`. */
      update: (queries: Queries, item: Item, conflict?: ConflictOf): Promise<void> =>
        orConflict(
          () =>
            anyTables(queries)
              .updateTable(here)
              .set(toRow(item) as never)
              .where("id", "=", item.id)
              .execute(),
          conflict,
        ),

      /** Rows that refer to it are deleted with it, or set to null, as their foreign keys say. */
      delete: async (queries: Queries, id: string): Promise<void> => {
        await anyTables(queries).deleteFrom(here).where("id", "=", id).execute();
      },
    };
  };
}

function anyTables(queries: Queries): Kysely<AnyTables> {
  return queries.tables<AnyTables>();
}
