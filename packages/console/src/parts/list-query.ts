/** The query of lists: pages by marker, and the search by name that the service does. */
import type { PageRequest } from "../api/paged-list.svelte.ts";
import type { SortOrder } from "../ui/table/columns.ts";

/** The parameters of a page. */
export function pageQuery({ limit, marker }: PageRequest): { limit: string; marker?: string } {
  return { limit: String(limit), ...(marker === undefined ? {} : { marker }) };
}

/** A search for a part of the name. The document lists `name` only; every filter may have a comparator. */
export function nameContains(text: string): { name?: string } {
  return text === "" ? {} : ({ name__icontains: text } as { name?: string });
}

/** A search for a part of the name, of the e-mail address or of the id. */
export function searchFor(text: string): { search?: string } {
  return text === "" ? {} : { search: text };
}

/** The order that the address asks for, `name` or `-name`: by name, if it doesn't. */
export function orderOf(search: URLSearchParams): SortOrder {
  const text = search.get("sort") ?? "name";
  return text.startsWith("-")
    ? { key: text.slice(1), isDescending: true }
    : { key: text, isDescending: false };
}

/** For the total of a list, and what its rows have in addition. */
export const DETAILS = { details: "true" } as const;

/** The order as parameters of a list. */
export function orderQuery({ key, isDescending }: SortOrder): { sort_key: string; sort_dir?: string } {
  return { sort_key: key, ...(isDescending ? { sort_dir: "desc" } : {}) };
}

/** What lists that the service sorts, searches and counts are asked for: search, order and domain, by the address of the page. */
export function searchedQuery(search: URLSearchParams) {
  const domainId = search.get("domain") ?? "";
  return {
    ...searchFor(search.get("q") ?? ""),
    ...orderQuery(orderOf(search)),
    ...DETAILS,
    ...(domainId === "" ? {} : { domain_id: domainId }),
  };
}

/** A filter by `enabled`, from a query of the page: `yes`, `no`, or nothing. */
export function enabledFilter(value: string | null): { enabled?: "true" | "false" } {
  return value === "yes" ? { enabled: "true" } : value === "no" ? { enabled: "false" } : {};
}
