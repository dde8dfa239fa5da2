/**
 * Lists of any length in bounded memory. One of up to {@link MAX_WHOLE_ITEMS} is a response like any other; a longer one is sent in
 * slices as fast as the client reads it, while other requests get their turn between slices.
 *
 * Between slices nothing is held: no transaction, no connection to the database. What changes while a list is sent may be in it or
 * not; what was there all the time is in it once. A failure in the midst of it breaks the connection, so that no client takes a part
 * for the whole.
 */
import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";

import type { FastifyReply } from "fastify";

import {
  listAnswer,
  listEnd,
  type ListAnswer,
  type ListAnswerOptions,
  type ListEnd,
  type Page,
} from "./paging.js";

/** Items that are held at once. */
export const MAX_WHOLE_ITEMS = 1000;
/** Items of one piece of text: of role assignments about 100 KB. */
const MAX_PIECE_ITEMS = 200;
/** A client that reads nothing for so long is given up. */
const MAX_STALL_MS = 60_000;

/** The part of fastify's reply that is needed: replies of all routes have it, whatever their schemas. */
type Reply = Pick<FastifyReply, "raw" | "request" | "type"> & { send(payload: unknown): unknown };

/**
 * Sends the items that a source gives, in its order.
 *
 * @param options.slices Items in slices of any size.
 * @param options.end Called once behind the last item.
 * @returns What the route answers.
 */
export async function sendSlices<Key extends string, Item>(
  reply: Reply,
  key: Key,
  { slices, end }: { readonly slices: AsyncIterable<readonly Item[]>; readonly end: () => ListEnd },
): Promise<ListAnswer<Key, Item>> {
  const source = slices[Symbol.asyncIterator]();
  const first: Item[] = [];
  while (first.length <= MAX_WHOLE_ITEMS) {
    const { done, value } = await source.next();
    if (done === true) return { [key]: first, ...end() } as ListAnswer<Key, Item>;
    first.push(...value);
  }
  reply.type("application/json; charset=utf-8");
  if (reply.request.method === "HEAD") {
    await source.return?.();
    return reply.send(Readable.from([])) as never;
  }
  reply.raw.setTimeout(MAX_STALL_MS, () => reply.raw.destroy());
  return reply.send(Readable.from(textOf(key, { first, source, end }), { objectMode: false })) as never;
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
        await nextTurn();
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

/** The response to a list that is no longer than what is held at once; `undefined` for a longer one. */
export async function wholeList<Key extends string, Item extends { readonly id: string }>(
  key: Key,
  readPage: (page: Page) => Promise<readonly Item[]>,
  options: ListAnswerOptions,
): Promise<ListAnswer<Key, Item> | undefined> {
  const { limit = Infinity, marker } = options.page;
  if (limit <= MAX_WHOLE_ITEMS) return listAnswer(key, await readPage({ limit, marker }), options);
  const items = await readPage({ limit: MAX_WHOLE_ITEMS, marker });
  return items.length > MAX_WHOLE_ITEMS ? undefined : listAnswer(key, items, options);
}

/**
 * Sends the items of a list that a store gives by pages.
 *
 * @param readPage Those that are on a page, and one more if there is another page, in the order of their ids.
 */
export async function sendPages<Key extends string, Item extends { readonly id: string }>(
  reply: Reply,
  key: Key,
  readPage: (page: Page) => Promise<readonly Item[]>,
  options: ListAnswerOptions,
): Promise<ListAnswer<Key, Item>> {
  const whole = await wholeList(key, readPage, options);
  if (whole !== undefined) return whole;
  let more: { readonly after: string } | undefined;
  return sendSlices(reply, key, {
    slices: slicesOf(readPage, options.page, (after) => {
      more = { after };
    }),
    end: () => listEnd(options, more),
  });
}

/** @param onMore Told the marker of the last item, where the page is full and there is one. */
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
