/** Lists of resources: pages by index (RFC 7644, section 3.4.2.4), and filters that no index answers. */
import { setImmediate as nextTurn } from "node:timers/promises";

export interface ScimPageQuery {
  /** From 1. */
  readonly startIndex: number;
  readonly count: number;
}

export interface ScimPage<Item> {
  readonly total: number;
  readonly items: readonly Item[];
}

/** Resources of a response whose request says nothing, and at most. */
export const DEFAULT_COUNT = 100;
export const MAX_COUNT = 200;
/** Resources that are read at a time. */
export const SLICE = 50;
/** Resources are compared with a filter for so long in one turn of the event loop: one of many values by a long filter may take as long. */
const MAX_TURN_MS = 10;

interface PageSource<Item> {
  /** The items that a filter is compared with, in slices in their order; `undefined` if all of the provider's are in the list. */
  readonly slices: AsyncIterable<readonly Item[]> | undefined;
  /** Whether an item of these is in the list. */
  readonly matches: (item: Item) => boolean;
  readonly count: () => Promise<number>;
  readonly read: (query: { readonly limit: number; readonly offset: number }) => Promise<readonly Item[]>;
}

export async function readPageOf<Item>(
  { startIndex, count }: ScimPageQuery,
  { slices, matches, count: countAll, read }: PageSource<Item>,
): Promise<ScimPage<Item>> {
  const offset = startIndex - 1;
  if (slices === undefined) {
    const total = await countAll();
    return { total, items: count === 0 ? [] : await read({ limit: count, offset }) };
  }
  const items: Item[] = [];
  let total = 0;
  for await (const slice of slices) {
    let begun = performance.now();
    for (const item of slice) {
      if (performance.now() - begun > MAX_TURN_MS) {
        await nextTurn();
        begun = performance.now();
      }
      if (!matches(item)) continue;
      if (total >= offset && items.length < count) items.push(item);
      total++;
    }
    await nextTurn();
  }
  return { total, items };
}

/** Reads items to their end, each slice behind the last item of the one before. */
export async function* slicesOf<Item>(
  read: (query: { readonly limit: number; readonly after: string }) => Promise<readonly Item[]>,
  idOf: (item: Item) => string,
): AsyncGenerator<readonly Item[]> {
  for (let after = ""; ;) {
    const slice = await read({ limit: SLICE, after });
    yield slice;
    const last = slice.at(-1);
    if (slice.length < SLICE || last === undefined) return;
    after = idOf(last);
  }
}
