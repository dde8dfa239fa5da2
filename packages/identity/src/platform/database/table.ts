/** Tables whose columns are declared once: row type, conversion and the usual queries follow from them; lists, filtered and in pages. */
import { sql, type Kysely, type SelectQueryBuilder, type Expression, type SqlBool } from "kysely";

import { required, type NotFoundError } from "../errors.js";
import { likePattern, type ListFilter } from "../http/lists/list-filters.js";
import type { ListOrder } from "../http/lists/list-order.js";
import type { Page } from "../http/lists/paging.js";
import { UniqueViolation } from "./database-errors.js";
import type { EventResource, ResourceEvent } from "../events.js";
import type { Queries, Transaction } from "./database.js";

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

/**
 * Declares the columns of a table: `rowsOf<Protocol>()({ idpId: "idp_id", id: "id", settings: json("settings") })`.
 *
 * The second call is there because TypeScript infers either all type arguments or none.
 */
export function rowsOf<Item extends object>() {
  return <const Columns extends ColumnsOf<Item>>(columns: Columns) => {
    type ItemRow = Row<Item, Columns>;

    const members = Object.entries<string | JsonColumn>(columns).map(([member, column]) =>
      typeof column === "string"
        ? { member, column, isJson: false }
        : { member, column: column.json, isJson: true },
    );

    return {
      /** A new object, to which stores may assign members from other tables: a spread copy is several times slower. */
      toItem: (row: ItemRow): Item => {
        const values = row as Readonly<Record<string, unknown>>;
        const item: Record<string, unknown> = {};
        for (const { member, column, isJson } of members) {
          const value = values[column];
          item[member] = isJson && value !== null ? JSON.parse(value as string) : value;
        }
        return item as Item;
      },

      toRow: (item: Item): ItemRow => {
        const values = item as Readonly<Record<string, unknown>>;
        const row: Record<string, unknown> = {};
        for (const { member, column, isJson } of members) {
          const value = values[member];
          row[column] = isJson && value !== null ? JSON.stringify(value) : value;
        }
        return row as ItemRow;
      },
    };
  };
}

/** An item that was created or replaced. */
export interface PutResult<Item> {
  readonly item: Item;
  readonly isNew: boolean;
}

interface AnyTables {
  readonly table: { id: string };
}

/** The events of a table's changes. */
interface TableEvents {
  readonly resource: EventResource;
  /** Changes that are no events. */
  readonly without?: readonly ResourceEvent["operation"][];
}

/**
 * Declares a table of items that have an id: `tableOf<Region>()("region", { id: "id", ... }, RegionNotFoundError)`.
 *
 * With `events`, inserts, updates and deletes of items are published by their transaction; deletes by foreign keys are not.
 */
export function tableOf<Item extends { readonly id: string }>() {
  return <
    Name extends string,
    const Columns extends ColumnsOf<Item>,
    Events extends TableEvents | undefined = undefined,
  >(
    name: Name,
    columns: Columns,
    notFound: new (id: string) => NotFoundError,
    events?: Events,
  ) => {
    type Changes = Events extends TableEvents ? Transaction : Queries;

    type ItemRow = Row<Item, Columns>;
    type Select = SelectQueryBuilder<Record<Name, ItemRow>, Name, ItemRow>;

    const { toItem, toRow } = rowsOf<Item>()(columns);

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

    function publish(changes: Changes, operation: ResourceEvent["operation"], id: string): void {
      if (events === undefined || events.without?.includes(operation)) return;
      (changes as Transaction).publish({ resource: events.resource, operation, id });
    }

    /** @param conflict What to throw where a row violates a unique constraint; the violation itself, if left out. */
    async function insertAll(queries: Changes, items: readonly Item[], conflict?: ConflictOf): Promise<void> {
      const rows = items.map(toRow) as never;
      await orConflict(() => anyTables(queries).insertInto(here).values(rows).execute(), conflict);
      for (const { id } of items) publish(queries, "created", id);
    }

    /** @param conflict As for `insertAll`. */
    const insert = (queries: Changes, item: Item, conflict?: ConflictOf): Promise<void> =>
      insertAll(queries, [item], conflict);

    /** @param conflict As for `insertAll`. */
    async function update(queries: Changes, item: Item, conflict?: ConflictOf): Promise<void> {
      const query = anyTables(queries)
        .updateTable(here)
        .set(toRow(item) as never)
        .where("id", "=", item.id);
      await orConflict(() => query.execute(), conflict);
      publish(queries, "updated", item.id);
    }

    return {
      toItem,
      toRow,
      /** All rows, to be narrowed by conditions. */
      select,
      first,
      all,
      find,
      insert,
      insertAll,
      update,

      /** @throws {NotFoundError} Of the class that was declared. */
      require: (queries: Queries, id: string): Promise<Item> =>
        required(find(queries, id), () => new notFound(id)),

      /** A page of the items, in the order of their ids, and one more if there is another page. */
      list: (
        queries: Queries,
        query: ListQuery<keyof ItemRow & string>,
        narrow: (select: Select) => Select = (every) => every,
      ): Promise<Item[]> => all(pageOf(narrow(select(queries)), `${name}.id`, query)),

      /** How many items a list has, on all its pages. */
      count: (
        queries: Queries,
        query: Pick<ListQuery<keyof ItemRow & string>, "filters" | "search">,
        narrow: (select: Select) => Select = (every) => every,
      ): Promise<number> => rowCountOf(matching(narrow(select(queries)), `${name}.id`, query)),

      /** Inserts an item or replaces that of its id. @throws What `existing` makes, if it may not be replaced. */
      async put<Put extends Item>(
        queries: Changes,
        item: Put,
        { replaces, existing }: { readonly replaces: boolean; readonly existing: () => Error },
      ): Promise<PutResult<Put>> {
        const isNew = (await find(queries, item.id)) === undefined;
        if (!isNew && !replaces) throw existing();
        await (isNew ? insert : update)(queries, item);
        return { item, isNew };
      },

      /**
       * Rows that refer to it are deleted with it, or set to null, as their foreign keys say.
       *
       * @throws {NotFoundError} Of the class that was declared.
       */
      async delete(queries: Changes, id: string): Promise<void> {
        const { numDeletedRows } = await anyTables(queries)
          .deleteFrom(here)
          .where("id", "=", id)
          .executeTakeFirstOrThrow();
        if (numDeletedRows === 0n) throw new notFound(id);
        publish(queries, "deleted", id);
      },
    };
  };
}

function anyTables(queries: Queries): Kysely<AnyTables> {
  return queries.tables<AnyTables>();
}

/** Which items of a list are requested. */
export interface ListQuery<Field extends string = string> {
  readonly filters: readonly ListFilter<Field>[];
  readonly page: Page;
  /** The order of ids, if left out. */
  readonly order?: ListOrder | undefined;
  /** A part of the name or id that items have to have. */
  readonly search?: string | undefined;
}

/** Ids or rows of one query of a walk through all of them. */
export const MAX_IDS = 1000;

/** A list whole and unfiltered. */
export const WHOLE_LIST: ListQuery<never> = { filters: [], page: { limit: undefined, marker: undefined } };

/**
 * Narrows a query to a page of its rows, and one more row if there is another page.
 *
 * @param id The column of ids, with its table. The fields of filters are columns that only one of the query's tables has.
 * @param searched Texts that a search looks into besides the id; those of the column `name`, if left out.
 */
export function pageOf<Tables, Names extends keyof Tables, Selected>(
  query: SelectQueryBuilder<Tables, Names, Selected>,
  id: string,
  {
    filters = [],
    page: { limit, marker, includesMarker = false },
    order,
    search,
  }: Partial<Pick<ListQuery, "filters" | "order" | "search">> & Pick<ListQuery, "page">,
  searched?: readonly Expression<string | null>[],
): SelectQueryBuilder<Tables, Names, Selected> {
  const [table = ""] = id.split(".");
  let rows = query;
  if (order === undefined) {
    const follows = includesMarker ? sql`>=` : sql`>`;
    rows = rows.orderBy(sql.ref(id));
    if (marker !== undefined) rows = rows.where(sql<SqlBool>`${sql.ref(id)} ${follows} ${marker}`);
  } else {
    const key = sortKeyOf(`${table}.${order.field}`);
    rows = inOrder(rows, id, order);
    if (marker !== undefined) {
      const follows = order.isDescending ? sql`<` : sql`>`;
      const own = sql`select ${sortKeyOf(`marked.${order.field}`)}, marked.id from ${sql.table(table)} as marked where marked.id = ${marker}`;
      rows = rows.where(sql<SqlBool>`(${key}, ${sql.ref(id)}) ${follows} (${own})`);
    }
  }
  rows = matching(rows, id, { filters, search }, searched);
  return limit === undefined ? rows : rows.limit(limit + 1);
}

/** Orders rows as a sorted list has them. @param id The column of ids, with its table. */
export function inOrder<Tables, Names extends keyof Tables, Selected>(
  rows: SelectQueryBuilder<Tables, Names, Selected>,
  id: string,
  { field, isDescending }: ListOrder,
): SelectQueryBuilder<Tables, Names, Selected> {
  const [table = ""] = id.split(".");
  const direction = isDescending ? "desc" : "asc";
  return rows.orderBy(sortKeyOf(`${table}.${field}`), direction).orderBy(sql.ref(id), direction);
}

/** Narrows a query to the rows that filters and a search let through; the parameters are those of {@link pageOf}. */
export function matching<Tables, Names extends keyof Tables, Selected>(
  query: SelectQueryBuilder<Tables, Names, Selected>,
  id: string,
  { filters = [], search }: Partial<Pick<ListQuery, "filters" | "search">>,
  searched?: readonly Expression<string | null>[],
): SelectQueryBuilder<Tables, Names, Selected> {
  const [table = ""] = id.split(".");
  let rows = query;
  if (search !== undefined) {
    const filter: ListFilter = { field: "", comparator: "contains", ignoresCase: true, value: search };
    const texts = [sql.ref<string>(id), ...(searched ?? [sql.ref<string>(`${table}.name`)])];
    const found = texts.map((text) => filterCondition(filter, text));
    rows = rows.where(sql<SqlBool>`(${sql.join(found, sql` or `)})`);
  }
  for (const filter of filters) rows = rows.where(filterCondition(filter, sql.ref(filter.field)));
  return rows;
}

/** The number of rows of a query. */
export async function rowCountOf<Tables, Names extends keyof Tables, Selected>(
  query: SelectQueryBuilder<Tables, Names, Selected>,
): Promise<number> {
  const row = await query
    .clearSelect()
    .select(sql<number | string>`count(*)`.as("count"))
    .executeTakeFirstOrThrow();
  return Number((row as { readonly count: number | string }).count);
}

/** As people sort: texts without regard to case, and those that are missing first. */
function sortKeyOf(column: string) {
  return column.endsWith(".enabled") ? sql.ref(column) : sql`lower(coalesce(${sql.ref(column)}, ''))`;
}

/** The filter as a condition on the column of its field. */
export function filterCondition(filter: ListFilter, column: Expression<string | null>): Expression<SqlBool> {
  const { comparator, ignoresCase, value } = filter;
  if (comparator === "equals") return sql<SqlBool>`${column} = ${value}`;
  const pattern = likePattern(comparator, value);
  return ignoresCase
    ? sql<SqlBool>`lower(${column}) like lower(${pattern}) escape '!'`
    : sql<SqlBool>`${column} like ${pattern} escape '!'`;
}

/** Makes the error that names the conflicting resource. */
export type ConflictOf = () => Error;

/**
 * Runs a write.
 *
 * @throws The error that `conflict` makes, with the {@link UniqueViolation} as its `cause` for the log; the violation itself, if
 *   left out.
 */
export async function orConflict(write: () => Promise<unknown>, conflict?: ConflictOf): Promise<void> {
  try {
    await write();
  } catch (cause) {
    if (conflict === undefined || !(cause instanceof UniqueViolation)) throw cause;
    throw Object.assign(conflict(), { cause });
  }
}
