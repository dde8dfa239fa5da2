/** Reading a data set from a store: in one step where it can, else in two, and again where it changed meanwhile. */
import { IOError, TimeoutError } from "../errors.js";
import type { Period } from "../lookup/ports.js";
import type { KeyNames } from "./kvstore-layout.js";
import {
  MOST_RECORDS,
  type KeyValueStore,
  type StoredRecords,
  type TogetherAnswer,
  type WantedKeys,
} from "./kvstore-port.js";
import { readEntity } from "./kvstore-record.js";
import type { Fetched } from "./kvstore-table.js";

export interface StoreReaderOptions {
  readonly store: KeyValueStore;
  readonly names: KeyNames;
  /** Is told of records that can't be read. */
  readonly warn: (message: string) => void;
  /** How long the store may take to answer. */
  readonly timeoutMs: number;
  readonly now: () => number;
}

/** What all entities say of entries that they need. */
interface Whitelists {
  readonly generation: string | undefined;
  readonly readAt: number;
  readonly periods: ReadonlyMap<number, Period>;
}

/** So many times a data set that changes is read again. */
const MOST_ATTEMPTS = 5;
/** pyhamtools copies without a generation; what it changes in the whitelists is noticed after this time. */
const WHITELIST_AGE_MS = 60_000;

/** A function that reads the records of keys, all of one generation. */
export function createStoreReader(
  options: StoreReaderOptions,
): (wanted: readonly WantedKeys[]) => Promise<Fetched> {
  const { store, names, warn, timeoutMs, now } = options;
  let whitelists: Promise<Whitelists> | undefined;
  let readAt = Number.NEGATIVE_INFINITY;

  async function readWhitelists(): Promise<Whitelists> {
    const keys = names.entities();
    const texts = await store.texts([...keys, names.generation]);
    const periods = new Map<number, Period>();
    for (const adif of keys.keys()) {
      // Most entities have none, and needn't be taken apart.
      const text = texts[adif];
      if (!text?.includes('"whitelist"')) continue;
      const entity = readEntity(text);
      if ("problem" in entity) warn(`entity_${adif}: ${entity.problem}`);
      else if (entity.whitelist) periods.set(adif, entity.whitelist);
    }
    return { generation: texts.at(-1), readAt: now(), periods };
  }

  /** The whitelists; read again in the same round trip as something else where they have become old. */
  function currentWhitelists(): Promise<Whitelists> {
    if (whitelists && Math.abs(now() - readAt) < WHITELIST_AGE_MS) return whitelists;
    readAt = now();
    const reading = readWhitelists();
    reading.catch(() => {
      if (whitelists === reading) whitelists = undefined;
    });
    return (whitelists = reading);
  }

  async function read(wanted: readonly WantedKeys[]): Promise<Fetched> {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      const [{ generation, records }, lists] = await Promise.all([
        readTogether(options, wanted),
        currentWhitelists(),
      ]);
      if (lists.generation === generation) return { wanted, records, whitelists: lists.periods };
      readAt = Number.NEGATIVE_INFINITY;
    }
    throw changing(store);
  }

  return (wanted) => inTime(store, timeoutMs, () => read(wanted));
}

/** In one step, if the store can. */
async function readTogether(
  options: StoreReaderOptions,
  wanted: readonly WantedKeys[],
): Promise<TogetherAnswer> {
  const { store, names } = options;
  return (await store.together?.(names.start, wanted)) ?? readInTwoSteps(options, wanted);
}

/**
 * First the numbers of the records, then the records. The generation is asked for before and behind: where it is the same,
 * so is all between.
 */
async function readInTwoSteps(
  { store, names }: StoreReaderOptions,
  wanted: readonly WantedKeys[],
): Promise<TogetherAnswer> {
  const indexes = wanted.flatMap(({ section, keys }) => keys.map((key) => names.index(section, key)));
  const sections = wanted.flatMap(({ section, keys }) => keys.map(() => section));
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    const [[before], sets] = await Promise.all([store.texts([names.generation]), store.sets(indexes)]);
    const keys = sets.flatMap((ids, index) =>
      ids.length > MOST_RECORDS ? [] : ids.map((id) => names.record(sections[index] ?? "calls", id)),
    );
    const texts = await store.texts([...keys, names.generation]);
    // In a cluster the old records may be gone a moment before the new generation is seen.
    const isWhole = attempt > 0 || keys.every((_, index) => texts[index] !== undefined);
    if (isWhole && before === texts.at(-1)) {
      return { generation: before, records: withTexts(sets, texts) };
    }
  }
  throw changing(store);
}

function withTexts(
  sets: readonly (readonly string[])[],
  texts: readonly (string | undefined)[],
): StoredRecords[] {
  let next = 0;
  return sets.map((ids) =>
    ids.length > MOST_RECORDS ? ids.length : ids.map((id) => ({ id, text: texts[next++] })),
  );
}

function changing(store: KeyValueStore): IOError {
  return new IOError(store.name, "the data set changed again and again while it was being read");
}

/**
 * What a store answers, with an end to the waiting, of which the signal tells, and with failures that name the store.
 *
 * @throws {TimeoutError} It doesn't answer in time.
 * @throws {IOError} It failed; `cause` says how.
 */
export async function inTime<Answer>(
  { name }: KeyValueStore,
  timeoutMs: number,
  ask: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new TimeoutError(name, `no answer for ${timeoutMs} ms`));
      controller.abort();
    }, timeoutMs);
  });
  try {
    return await Promise.race([ask(controller.signal), tooLate]);
  } catch (cause) {
    if (cause instanceof IOError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new IOError(name, `the store failed: ${reason}`, { cause });
  } finally {
    clearTimeout(timer);
  }
}
