/** Long lists in pages: `?limit=100`, and then the link to the next. */
import { errorClass, InvalidError, NotFoundError } from "../../errors.js";
import type { Links } from "../links.js";
import type { Query } from "../query.js";

/** The requested part of a list. */
export interface Page {
  /** Maximum of items; `undefined` for all of them. */
  readonly limit: number | undefined;
  /** The id of the last item of the page before; `undefined` for the beginning. */
  readonly marker: string | undefined;
  /** Whether the page begins with the marker's item instead of after it. */
  readonly includesMarker?: boolean | undefined;
}

/** The limit is not an integer, or negative. */
export class LimitError extends errorClass(
  InvalidError,
  "request/limit",
  (value: string) =>
    `Invalid input for field/attribute limit. Value: ${value}. ${INTEGER.test(value) ? `${value} is less than the minimum of 0` : `'${value}' is not of type 'integer'`}`,
) {}

/** The list has no item of this id. */
export class MarkerNotFoundError extends errorClass(
  NotFoundError,
  "request/marker",
  (marker: string) => `Marker ${marker} could not be found.`,
) {}

const INTEGER = /^[+-]?\d+$/;

/**
 * Reads the page from the parameters. A limit of 0 asks for no items.
 *
 * @param options.defaultPageSize The limit of a request that names none; `undefined` for no limit.
 * @throws {LimitError}
 */
export function readPage(
  query: Query,
  { defaultPageSize }: { readonly defaultPageSize: number | undefined },
): Page {
  const { limit, marker } = query;
  if (limit === undefined) return { limit: defaultPageSize, marker };
  const value = INTEGER.test(limit) ? Number(limit) : -1;
  if (value < 0) throw new LimitError(limit);
  return { limit: Math.min(value, Number.MAX_SAFE_INTEGER), marker };
}

/**
 * Narrows a list that is read as a whole to a page, and one more item if there is another page.
 *
 * @throws {MarkerNotFoundError}
 */
export function partOf<Item>(
  items: readonly Item[],
  { limit = Infinity, marker }: Page,
  idOf: (item: Item) => string,
): readonly Item[] {
  const before = marker === undefined ? -1 : items.findIndex((item) => idOf(item) === marker);
  if (marker !== undefined && before === -1) throw new MarkerNotFoundError(marker);
  return items.slice(before + 1, before + 2 + limit);
}

/** The response to a list. */
export type ListResponse<Key extends string, Item> = { readonly [key in Key]: Item[] } & ListEnd;

/** What follows the items of a list. */
export interface ListEnd {
  readonly links: { readonly next: string | null; readonly self: string; readonly previous: null };
  readonly truncated?: true;
  /** Items on all pages; of a first page with details alone. */
  readonly total?: number;
}

export interface ListResponseOptions {
  readonly page: Page;
  readonly links: Links;
  /** The path and query of the request. */
  readonly url: string;
  /** Items on all pages, if that was asked for. */
  readonly total?: number | undefined;
}

/**
 * The response to a list.
 *
 * @param key The member that holds the items.
 * @param items The items on the page, and one more if there is another page.
 */
export function listResponse<Key extends string, Item extends { readonly id: string }>(
  key: Key,
  items: readonly Item[],
  { page, ...options }: ListResponseOptions,
): ListResponse<Key, Item> {
  const shown = page.limit === undefined ? items : items.slice(0, page.limit);
  const more = shown.length < items.length ? { after: shown.at(-1)?.id } : undefined;
  return { [key]: shown, ...listEnd({ page, ...options }, more) } as unknown as ListResponse<Key, Item>;
}

/** @param more Set where there is another page: the marker of the last item, if this page has any. */
export function listEnd(
  { page, links, url, total }: ListResponseOptions,
  more: { readonly after: string | undefined } | undefined,
): ListEnd {
  const next = more?.after === undefined ? null : links.to(nextUrl(url, more.after, page.limit));
  const end = {
    links: { next, self: links.to(withoutSlash(url)), previous: null },
    ...(total !== undefined && { total }),
  };
  return more === undefined ? end : { ...end, truncated: true };
}

function withoutSlash(url: string): string {
  return url.replace(/\/(?=\?|$)/, "");
}

/** The same request with another marker. */
function nextUrl(url: string, marker: string, limit: number | undefined): string {
  const [path = "", query = ""] = withoutSlash(url).split(/\?(.*)/s);
  const kept = query.split("&").filter((part) => part !== "" && !/^marker(?:=|$)/.test(part));
  const isLimited = kept.some((part) => /^limit(?:=|$)/.test(part));
  const added = [`marker=${encodeURIComponent(marker)}`, ...(isLimited ? [] : [`limit=${limit}`])];
  return `${path}?${[...kept, ...added].join("&")}`;
}
