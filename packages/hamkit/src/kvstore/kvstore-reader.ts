/** Reading a data set from a store: all of one generation, and again where a copy came in between. */
import { IOError, TimeoutError } from "../errors.js";
import type { DataSetState } from "./kvstore-state.js";
import { hasHashes, isOfGeneration, readFields } from "./kvstore-hash-reader.js";
import { entityField, recordsField, type KeyNames } from "./kvstore-layout.js";
import {
  MOST_RECORDS,
  type KeyValueStore,
  type StoredRecords,
  type TogetherAnswer,
  type WantedKeys,
} from "./key-value-store.js";
import { createStateReader, incomplete } from "./kvstore-state.js";
import type { Fetched } from "./fetched-table.js";
import { isNumber, readLines } from "./stored-lines.js";

export interface StoreReaderOptions {
  readonly store: KeyValueStore;
  readonly names: KeyNames;
  /** Is told of records that can't be read. */
  readonly warn: (message: string) => void;
  /** How long the store may take to answer. */
  readonly timeoutMs: number;
  readonly now: () => number;
}

export interface StoreReader {
  /** The records of keys, all of one generation. */
  records(wanted: readonly WantedKeys[]): Promise<Fetched>;
  /** The text of an entity's record; `undefined` where the data set has no such entity. */
  entity(adif: number): Promise<string | undefined>;
}

/** A data set that changes is read again this often at most. */
const MAX_ATTEMPTS = 5;

/** @throws {IOError} The store failed, or a part of the data set is missing. */
export function createStoreReader(options: StoreReaderOptions): StoreReader {
  const { store, names, timeoutMs } = options;
  const state = createStateReader(options);

  /** Reads by the state of the data set; again, with its new state, where it was replaced meanwhile. */
  async function read<Answer>(from: (current: DataSetState) => Promise<Answer | undefined>): Promise<Answer> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const answer = await from(await state.current());
      if (answer !== undefined) return answer;
      state.invalidate();
    }
    throw changing(store);
  }

  /** The texts of fields of the hashes; `undefined` where one that may have them is missing or of another generation. */
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
      const answer = await readTogether(options, wanted);
      if (answer.generation !== generation) return undefined;
      requireWhole(answer.records, wanted);
      return { wanted, records: answer.records, whitelists };
    }
    const fields = wanted.flatMap(({ section, keys }) => keys.map((key) => recordsField(section, key)));
    const texts = await readHashes(fields, hashGeneration);
    return texts && { wanted, records: texts.map(boundedLines), whitelists };
  }

  /** The text in a list, as a missing entity is an answer too. */
  async function entityFrom(
    { hashGeneration }: DataSetState,
    adif: number,
  ): Promise<readonly (string | undefined)[] | undefined> {
    return hashGeneration === undefined
      ? store.texts([names.entity(adif)])
      : readHashes([entityField(adif)], hashGeneration);
  }

  /** @throws {IOError} A record that an index names is missing: without it a shorter prefix would answer. */
  function requireWhole(records: readonly StoredRecords[], wanted: readonly WantedKeys[]): void {
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
  return lines.length > MOST_RECORDS ? lines.length : lines;
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
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
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

export function changing(store: KeyValueStore): IOError {
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
