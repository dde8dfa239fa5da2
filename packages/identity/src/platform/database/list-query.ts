/** Lists of rows, filtered and in pages. */
import { sql, type Expression, type SelectQueryBuilder, type SqlBool } from "kysely";

import { likePattern, type ListFilter } from "../http/lists/list-filters.js";
import type { Page } from "../http/lists/paging.js";

/** Which items of a list are requested. */
export interface ListQuery<Field extends string = string> {
  readonly filters: readonly ListFilter<Field>[];
  readonly page: Page;
}

/** Ids or rows of one query of a walk through all of them. */
export const MAX_IDS = 1000;

/** A list whole and unfiltered. */
export const WHOLE_LIST: ListQuery<never> = { filters: [], page: { limit: undefined, marker: undefined } };

/**
 * Narrows a query to a page of its rows in the order of their ids, and one more row if there is another page.
 *
 * @param id The column that orders, with its table. The fields of filters are columns that only one of the query's tables has.
 */
export function pageOf<Tables, Names extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, Names, Row>,
  id: string,
  { filters = [], page: { limit, marker } }: Partial<Pick<ListQuery, "filters">> & Pick<ListQuery, "page">,
): SelectQueryBuilder<Tables, Names, Row> {
  let rows = query.orderBy(sql.ref(id));
  if (marker !== undefined) rows = rows.where(sql<SqlBool>`${sql.ref(id)} > ${marker}`);
  for (const filter of filters) rows = rows.where(filterCondition(filter, sql.ref(filter.field)));
  return limit === undefined ? rows : rows.limit(limit + 1);
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
