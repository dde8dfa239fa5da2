/** Lists of resources: pages by index (RFC 7644, section 3.4.2.4), and filters that no index answers. */
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
/** Resources that are read at a time where each is compared with the filter. */
const SLICE = 50;

interface PageSource<Item> {
  /** Whether at most a few items are read. */
  readonly isNarrow: boolean;
  /** Whether an item is in the list; all are, if left out. */
  readonly matches: ((item: Item) => boolean) | undefined;
  readonly count: () => Promise<number>;
  readonly read: (query: {
    readonly limit: number;
    readonly offset?: number;
    readonly after?: string;
  }) => Promise<readonly Item[]>;
  readonly idOf: (item: Item) => string;
}

export async function readPageOf<Item>(
  { startIndex, count }: ScimPageQuery,
  { isNarrow, matches, count: countAll, read, idOf }: PageSource<Item>,
): Promise<ScimPage<Item>> {
  const offset = startIndex - 1;
  if (matches === undefined && !isNarrow) {
    const total = await countAll();
    return { total, items: count === 0 ? [] : await read({ limit: count, offset }) };
  }
  const items: Item[] = [];
  let total = 0;
  for (let after: string | undefined; ;) {
    const slice = await read({ limit: SLICE, ...(after !== undefined && { after }) });
    for (const item of slice) {
      if (matches?.(item) === false) continue;
      if (total >= offset && items.length < count) items.push(item);
      total++;
    }
    const last = slice.at(-1);
    if (slice.length < SLICE || last === undefined) return { total, items };
    after = idOf(last);
    // Others are served between two slices.
    await new Promise((resolve) => setImmediate(resolve));
  }
}
