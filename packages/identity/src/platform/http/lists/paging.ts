/** Long lists in pages: `?limit=100`, and then the link to the next. */
import { errorClass, InvalidError } from "../../errors.js";
import type { Links } from "../links.js";
import type { Query } from "../query.js";

/** The requested part of a list. */
export interface Page {
  /** Maximum of items; `undefined` for all of them. */
  readonly limit: number | undefined;
  /** The id of the last item of the page before; `undefined` for the beginning. */
  readonly marker: string | undefined;
}

/** The limit is not an integer. */
export class LimitError extends errorClass(
  InvalidError,
  "request/limit",
  (value: string) =>
    `Invalid input for field/attribute limit. Value: ${value}. '${value}' is not of type 'integer'`,
) {}

/**
 * Reads the page from the parameters. A limit of 0 or less asks for no items.
 *
 * @param options.listLimit The limit of a request that names none; `undefined` for no limit.
 * @throws {LimitError}
 */
export function readPage(query: Query, { listLimit }: { readonly listLimit: number | undefined }): Page {
  const { limit, marker } = query;
  if (limit === undefined) return { limit: listLimit, marker };
  if (!/^[+-]?\d{1,15}$/.test(limit)) throw new LimitError(limit);
  return { limit: Math.max(0, Number(limit)), marker };
}

/** The response to a list. */
export type ListResponse<Key extends string, Item> = { readonly [key in Key]: Item[] } & ListEnd;

/** What follows the items of a list. */
export interface ListEnd {
  readonly links: { readonly next: string | null; readonly self: string; readonly previous: null };
  readonly truncated?: true;
}

export interface ListResponseOptions {
  readonly page: Page;
  readonly links: Links;
  /** The path and query of the request. */
  readonly url: string;
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
  { page, links, url }: ListResponseOptions,
): ListResponse<Key, Item> {
  const shown = page.limit === undefined ? items : items.slice(0, page.limit);
  const more = shown.length < items.length ? { after: shown.at(-1)?.id } : undefined;
  return { [key]: shown, ...listEnd({ page, links, url }, more) } as unknown as ListResponse<Key, Item>;
}

/** @param more Set where there is another page: the marker of the last item, if this page has any. */
export function listEnd(
  { page, links, url }: ListResponseOptions,
  more: { readonly after: string | undefined } | undefined,
): ListEnd {
  const next = more?.after === undefined ? null : links.to(nextUrl(url, more.after, page.limit));
  const end = { links: { next, self: links.to(withoutSlash(url)), previous: null } };
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
