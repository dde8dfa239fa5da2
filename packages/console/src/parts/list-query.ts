/** The query of lists: pages by marker, and the search by name that the service does. */
import type { PageRequest } from "../api/paged-list.svelte.ts";

/** The parameters of a page. */
export function pageQuery({ limit, marker }: PageRequest): { limit: string; marker?: string } {
  return { limit: String(limit), ...(marker === undefined ? {} : { marker }) };
}

/** A search for a part of the name. The document lists `name` only; every filter may have a comparator. */
export function nameContains(text: string): { name?: string } {
  return text === "" ? {} : ({ name__icontains: text } as { name?: string });
}

/** A filter by `enabled`, from a query of the page: `yes`, `no`, or nothing. */
export function enabledFilter(value: string | null): { enabled?: "true" | "false" } {
  return value === "yes" ? { enabled: "true" } : value === "no" ? { enabled: "false" } : {};
}
