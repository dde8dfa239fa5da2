/**
 * The order of lists, search over several members, and what a list has in addition: `?sort_key=name&sort_dir=desc&search=ada&details=true`.
 * Keystone has none of them.
 */
import type { Query } from "../query.js";

/** Parameters of lists that can be sorted and searched. */
export const ORDER_PARAMETERS = ["sort_key", "sort_dir", "search", "details"] as const;

/** Whether the total of the list is requested, and members of its items that Keystone doesn't have. */
export function wantsDetails(query: Query): boolean {
  return query["details"] === "true";
}

/** The member that a list is sorted by, instead of the id; items that are equal in it follow their ids. */
export interface ListOrder<Field extends string = string> {
  readonly field: Field;
  readonly isDescending: boolean;
}

/** `undefined` for the order of ids: without the parameter, or for a member that can't order, as Keystone ignores both. */
export function readOrder<Field extends string>(
  query: Query,
  fields: readonly Field[],
): ListOrder<Field> | undefined {
  const field = fields.find((known) => known === query["sort_key"]);
  return field && { field, isDescending: query["sort_dir"] === "desc" };
}

/** What to search for; `undefined` for no search. */
export function readSearch(query: Query): string | undefined {
  return query["search"] || undefined;
}

/** Whether one of an item's texts contains what is searched for. */
export function passesSearch(search: string | undefined, texts: readonly unknown[]): boolean {
  const wanted = search?.toLowerCase();
  return (
    wanted === undefined ||
    texts.some((text) => typeof text === "string" && text.toLowerCase().includes(wanted))
  );
}
