/**
 * Lists of any length in bounded memory. One of up to {@link MAX_WHOLE_ITEMS} is a response like any other; a longer one is sent in
 * slices as fast as the client reads it, and other requests run between slices.
 *
 * No transaction and no database connection stays open between slices. An item that changes while the list is sent may be in it or
 * not; every other item is in it once. A failure halfway breaks the connection, so that no client takes a part for the whole.
 */
import {
  listResponse,
  listEnd,
  type ListResponse,
  type ListResponseOptions,
  type ListEnd,
  type Page,
} from "./paging.js";
import { streamPieces, type Reply } from "./text-pieces.js";

/** Items in memory at once. */
export const MAX_WHOLE_ITEMS = 1000;
/** Items of one piece of text: of role assignments about 100 KB. */
const MAX_PIECE_ITEMS = 200;

/**
 * Sends items in the order of their source.
 *
 * @param options.slices Items in slices of any size.
 * @param options.end Called once after the last item.
 * @returns The result of the route's handler.
 */
export async function sendSlices<Key extends string, Item>(
  reply: Reply,
  key: Key,
  { slices, end }: { readonly slices: AsyncIterable<readonly Item[]>; readonly end: () => ListEnd },
): Promise<ListResponse<Key, Item>> {
  const source = slices[Symbol.asyncIterator]();
  const first: Item[] = [];
  while (first.length <= MAX_WHOLE_ITEMS) {
    const { done, value } = await source.next();
    if (done === true) return { [key]: first, ...end() } as ListResponse<Key, Item>;
    first.push(...value);
  }
  reply.type("application/json; charset=utf-8");
  return streamPieces(reply, textOf(key, { first, source, end }));
}

interface ListSource<Item> {
  readonly first: readonly Item[];
  readonly source: AsyncIterator<readonly Item[]>;
  readonly end: () => ListEnd;
}

async function* textOf<Item>(key: string, { first, source, end }: ListSource<Item>): AsyncGenerator<string> {
  let lead = `{${JSON.stringify(key)}:[`;
  try {
    for (let items = first; ;) {
      for (let start = 0; start < items.length; start += MAX_PIECE_ITEMS) {
        const texts = items.slice(start, start + MAX_PIECE_ITEMS).map((item) => JSON.stringify(item));
        yield lead + texts.join(",");
        lead = ",";
      }
      const { done, value } = await source.next();
      if (done === true) break;
      items = value;
    }
    yield `],${JSON.stringify(end()).slice(1)}`;
  } finally {
    await source.return?.();
  }
}

/** The response to a list of up to {@link MAX_WHOLE_ITEMS}; `undefined` for a longer one. */
async function wholeList<Key extends string, Item extends { readonly id: string }>(
  key: Key,
  readPage: (page: Page) => Promise<readonly Item[]>,
  options: ListResponseOptions,
): Promise<ListResponse<Key, Item> | undefined> {
  const { limit = Infinity, marker } = options.page;
  if (limit <= MAX_WHOLE_ITEMS) return listResponse(key, await readPage({ limit, marker }), options);
  const items = await readPage({ limit: MAX_WHOLE_ITEMS, marker });
  return items.length > MAX_WHOLE_ITEMS ? undefined : listResponse(key, items, options);
}

/** A cache of responses as text. `make` returns `undefined` for a list that is not cached, and so does the cache. */
export type CachedList = (make: () => Promise<object | undefined>) => Promise<Buffer | undefined>;

/**
 * Sends the items of a list that a store reads by pages.
 *
 * @param readPage Reads a page in the order of the ids, and one more item if there is another page.
 * @param options.cached The response may come from a cache.
 */
export async function sendPages<Key extends string, Item extends { readonly id: string }>(
  reply: Reply,
  key: Key,
  readPage: (page: Page) => Promise<readonly Item[]>,
  { cached, ...options }: ListResponseOptions & { readonly cached?: CachedList | undefined },
): Promise<ListResponse<Key, Item>> {
  const whole = await (cached === undefined
    ? wholeList(key, readPage, options)
    : cached(() => wholeList(key, readPage, options)));
  if (Buffer.isBuffer(whole)) return sendJson(reply, whole);
  if (whole !== undefined) return whole;
  let more: { readonly after: string } | undefined;
  return sendSlices(reply, key, {
    slices: slicesOf(readPage, options.page, (after) => {
      more = { after };
    }),
    end: () => listEnd(options, more),
  });
}

/** Sends a response that is JSON text. The route's schema describes it. */
function sendJson(reply: Reply, text: Buffer): never {
  reply.type("application/json; charset=utf-8");
  return text as never;
}

/** @param onMore Called with the marker of the last item, if another page follows. */
async function* slicesOf<Item extends { readonly id: string }>(
  readPage: (page: Page) => Promise<readonly Item[]>,
  { limit = Infinity, marker }: Page,
  onMore: (after: string) => void,
): AsyncGenerator<readonly Item[]> {
  for (let left = limit, from = marker; left > 0;) {
    const size = Math.min(left, MAX_WHOLE_ITEMS);
    const items = await readPage({ limit: size, marker: from });
    const shown = items.slice(0, size);
    yield shown;
    from = shown.at(-1)?.id;
    if (from === undefined || shown.length === items.length) return;
    left -= size;
    if (left === 0) onMore(from);
  }
}

/** The first items of slices. @param onMore Called with the last item of the page, if others follow. */
export async function* firstOf<Item>(
  slices: AsyncIterable<readonly Item[]>,
  limit: number | undefined,
  onMore: (last: Item | undefined) => void,
): AsyncGenerator<readonly Item[]> {
  let left = limit ?? Infinity;
  let last: Item | undefined;
  for await (const slice of slices) {
    const shown = slice.slice(0, left);
    last = shown.at(-1) ?? last;
    left -= shown.length;
    if (shown.length > 0) yield shown;
    if (shown.length < slice.length) {
      onMore(last);
      break;
    }
  }
}
