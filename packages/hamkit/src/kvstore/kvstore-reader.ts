/** Reads records of one generation from a store, and repeats the read after a concurrent copy. */
import { IOError, TimeoutError } from "../errors.js";
import type { DataSetState } from "./kvstore-state.js";
import { hasHashes, isOfGeneration, readFields } from "./kvstore-hash-reader.js";
import { entityField, isNumber, readLines, recordsField, type KeyNames } from "./kvstore-layout.js";
import {
  MAX_RECORDS,
  type KeyValueStore,
  type StoredRecords,
  type TogetherAnswer,
  type WantedKeys,
} from "./key-value-store.js";
import { createStateReader, incomplete } from "./kvstore-state.js";
import type { Fetched } from "./fetched-table.js";

export interface StoreReaderOptions {
  readonly store: KeyValueStore;
  readonly names: KeyNames;
  /** Receives a warning for each unreadable record. */
  readonly warn: (message: string) => void;
  /** Time limit of a read. */
  readonly timeoutMs: number;
  readonly now: () => number;
}

export interface StoreReader {
  /** The records of keys, of one generation. */
  records(wanted: readonly WantedKeys[]): Promise<Fetched>;
  /** The text of an entity's record; `undefined` for a missing one. */
  entity(adif: number): Promise<string | undefined>;
}

/** Reads of a data set that concurrent copies change. */
const MAX_ATTEMPTS = 5;

/** @throws {IOError} The store failed, or a part of the data set is missing. */
export function createStoreReader(options: StoreReaderOptions): StoreReader {
  const { store, names, timeoutMs } = options;
  const state = createStateReader(options);

  /** Reads with the state of the data set, and again with the new state after a concurrent copy. */
  async function read<Reply>(from: (current: DataSetState) => Promise<Reply | undefined>): Promise<Reply> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const reply = await from(await state.current());
      if (reply !== undefined) return reply;
      state.invalidate();
    }
    throw changing(store);
  }

  /** The texts of fields; `undefined` if a hash is missing or of another generation. */
  async function readHashes(
    fields: readonly string[],
    generation: string,
  ): Promise<readonly (string | undefined)[] | undefined> {
    if (!hasHashes(store)) return undefined;
    const { texts, generations } = await readFields(store, names, fields);
    return isOfGeneration(generations, generation) ? texts : undefined;
  }

  async function recordsFrom(
    { hashGeneration, generation, whitelists }: DataSetState,
    wanted: readonly WantedKeys[],
  ): Promise<Fetched | undefined> {
    if (hashGeneration === undefined) {
      const reply = await readTogether(options, wanted);
      if (reply.generation !== generation) return undefined;
      requireComplete(reply.records, wanted);
      return { wanted, records: reply.records, whitelists };
    }
    const fields = wanted.flatMap(({ section, keys }) => keys.map((key) => recordsField(section, key)));
    const texts = await readHashes(fields, hashGeneration);
    return texts && { wanted, records: texts.map(boundedLines), whitelists };
  }

  /** The text in a list, because a missing entity is not a reason to read again. */
  async function entityFrom(
    { hashGeneration }: DataSetState,
    adif: number,
  ): Promise<readonly (string | undefined)[] | undefined> {
    return hashGeneration === undefined
      ? store.texts([names.entity(adif)])
      : readHashes([entityField(adif)], hashGeneration);
  }

  /** @throws {IOError} A record that an index names is missing: a shorter prefix would be found instead. */
  function requireComplete(records: readonly StoredRecords[], wanted: readonly WantedKeys[]): void {
    const index = records.findIndex(
      (found) =>
        typeof found !== "number" && found.some(({ id, text }) => text === undefined && isNumber(id)),
    );
    if (index < 0) return;
    const key = wanted.flatMap(({ section, keys }) => keys.map((each) => names.index(section, each)))[index];
    throw incomplete(store, `a record that ${key} names is missing: the server evicted or lost it`);
  }

  return {
    records: (wanted) => inTime(store, timeoutMs, () => read((current) => recordsFrom(current, wanted))),
    async entity(adif) {
      const [text] = await inTime(store, timeoutMs, () => read((current) => entityFrom(current, adif)));
      return text;
    },
  };
}

function boundedLines(text: string | undefined): StoredRecords {
  const lines = readLines(text);
  return lines.length > MAX_RECORDS ? lines.length : lines;
}

/** Reads index and records together if the store can, or else in two steps. */
async function readTogether(
  options: StoreReaderOptions,
  wanted: readonly WantedKeys[],
): Promise<TogetherAnswer> {
  const { store, names } = options;
  return (await store.together?.(names.start, wanted)) ?? readInTwoSteps(options, wanted);
}

/**
 * Reads the numbers of the records, then the records. The generation is read before and after: if it is the same, no copy came
 * in between.
 */
async function readInTwoSteps(
  { store, names }: StoreReaderOptions,
  wanted: readonly WantedKeys[],
): Promise<TogetherAnswer> {
  const indexes = wanted.flatMap(({ section, keys }) => keys.map((key) => names.index(section, key)));
  const sections = wanted.flatMap(({ section, keys }) => keys.map(() => section));
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const [[before], sets] = await Promise.all([store.texts([names.generation]), store.sets(indexes)]);
    const keys = sets.flatMap((ids, index) =>
      ids.length > MAX_RECORDS ? [] : ids.map((id) => names.record(sections[index] ?? "calls", id)),
    );
    const texts = await store.texts([...keys, names.generation]);
    // In a cluster the old records may disappear before the new generation is visible.
    const isComplete = attempt > 0 || keys.every((_, index) => texts[index] !== undefined);
    if (isComplete && before === texts.at(-1)) {
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
    ids.length > MAX_RECORDS ? ids.length : ids.map((id) => ({ id, text: texts[next++] })),
  );
}

export function changing(store: KeyValueStore): IOError {
  return new IOError(store.name, "concurrent copies kept changing the data set while it was read; retry");
}

/**
 * The reply of a store within a time limit, after which the signal is aborted. Errors name the store.
 *
 * @throws {TimeoutError} The store did not reply in time.
 * @throws {IOError} The store failed; `cause` has the reason.
 */
export async function inTime<Reply>(
  { name }: KeyValueStore,
  timeoutMs: number,
  ask: (signal: AbortSignal) => Promise<Reply>,
): Promise<Reply> {
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
