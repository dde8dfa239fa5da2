/**
 * The state of a data set: which layout it is read from, its generation, and the whitelists, which every answer depends on.
 *
 * It is read at first, when a look-up finds another generation, and once a minute. A data set of which a part was evicted or
 * deleted is an error here, so that missing keys are never taken for unknown callsigns.
 */
import { IOError } from "../errors.js";
import type { Period } from "../lookup/source.js";
import {
  hasHashes,
  isOfGeneration,
  readFields,
  type FieldsAnswer,
  type HashStore,
} from "./kvstore-hash-reader.js";
import { entityField, isHashedGeneration, SAMPLE_FIELD, type KeyNames } from "./kvstore-layout.js";
import type { KeyValueStore } from "./key-value-store.js";
import { readEntity } from "./kvstore-record.js";
import { readLines } from "./stored-lines.js";

export interface DataSetState {
  /** The generation that each hash must have; `undefined` where the data is read from the layout shared with Python. */
  readonly hashGeneration: string | undefined;
  /** The generation in the layout shared with Python; `undefined` where pyhamtools copied. */
  readonly generation: string | undefined;
  /** When operations from an entity need an entry of their own, by ADIF code. */
  readonly whitelists: ReadonlyMap<number, Period>;
}

export interface StateReaderOptions {
  readonly store: KeyValueStore;
  readonly names: KeyNames;
  readonly warn: (message: string) => void;
  readonly now: () => number;
}

export interface StateReader {
  /** The state, read at most {@link MAX_AGE_MS} ago. */
  current(): Promise<DataSetState>;
  /** Has the state read again: a look-up found another generation. */
  invalidate(): void;
}

/** pyhamtools copies without a generation; what it changes in the whitelists is noticed after this time. */
const MAX_AGE_MS = 60_000;
/** Reads of hashes that differ, without a copy under way: one is done between two replies. */
const MAX_ATTEMPTS = 5;
/** Wait while a copy is made in several steps. The caller's time limit ends it. */
const COPY_PAUSE_MS = 50;

export function createStateReader(options: StateReaderOptions): StateReader {
  const { store, now } = options;
  let state: Promise<DataSetState> | undefined;
  let readAt = Number.NEGATIVE_INFINITY;

  return {
    current() {
      if (state && Math.abs(now() - readAt) < MAX_AGE_MS) return state;
      readAt = now();
      const reading = hasHashes(store) ? readHashedState({ ...options, store }) : readSharedState(options);
      reading.catch(() => {
        if (state === reading) state = undefined;
      });
      return (state = reading);
    },
    invalidate() {
      state = undefined;
    },
  };
}

type HashedOptions = StateReaderOptions & { readonly store: HashStore };

async function readHashedState(options: HashedOptions): Promise<DataSetState> {
  const { store, names, warn } = options;
  const fields = [SAMPLE_FIELD, ...names.entityCodes.map(entityField)];
  for (let attempt = 1; ; attempt++) {
    const [answer, [generation, lock]] = await Promise.all([
      readFields(store, names, fields, names.hashes),
      store.texts([names.generation, names.lock]),
    ]);
    const verdict = judge(options, answer, generation);
    if (verdict === "shared") return readSharedState(options);
    if (verdict === "whole") {
      const [sample, ...entities] = answer.texts;
      if (await isOverwritten(options, sample)) {
        warn("hash_*: another program has changed the records since they were copied; its records count");
        return readSharedState(options);
      }
      const [hashGeneration] = answer.generations.values();
      return { hashGeneration, generation, whitelists: whitelistsIn(entities, warn) };
    }
    if (lock !== undefined) await pause(COPY_PAUSE_MS);
    else if (attempt >= MAX_ATTEMPTS) throw verdict;
  }
}

/** Whether the hashes are read, or not, or why they can't be. */
function judge(
  { store, names }: HashedOptions,
  { generations }: FieldsAnswer,
  current: string | undefined,
): "whole" | "shared" | IOError {
  const missing = names.hashes.filter((key) => generations.get(key) === undefined);
  if (missing.length === names.hashes.length && !isHashedGeneration(current)) return "shared";
  if (missing.length > 0) {
    const which = missing.length > 3 ? `${missing.slice(0, 3).join(", ")}, ...` : missing.join(", ");
    const reason = `${missing.length} of the ${names.hashes.length} hashes of the data set are missing (${which})`;
    return incomplete(store, `${reason}: the server evicted or lost them`);
  }
  const [generation = ""] = generations.values();
  if (!isOfGeneration(generations, generation))
    return incomplete(store, "its hashes are of different copies");
  // Releases before the hashes leave them as they are, and change the generation.
  return current === undefined || current === generation ? "whole" : "shared";
}

/** Why a data set can't be read, and what to do. */
export function incomplete({ name }: KeyValueStore, reason: string): IOError {
  return new IOError(name, `${reason}. Copy the data set again, and set maxmemory-policy noeviction`);
}

/** Whether one of some records differs from what was copied: pyhamtools copies without removing the hashes. */
async function isOverwritten({ store, names }: HashedOptions, sample: string | undefined): Promise<boolean> {
  const lines = readLines(sample);
  if (lines.length === 0) return false;
  const texts = await store.texts(lines.map(({ id }) => names.start + id));
  return lines.some(({ text }, index) => texts[index] !== undefined && texts[index] !== text);
}

/** The state of a data set in the layout shared with Python, in which missing keys can't be told from unknown ones. */
async function readSharedState({ store, names, warn }: StateReaderOptions): Promise<DataSetState> {
  const keys = [...names.entityCodes.map((adif) => names.entity(adif)), names.generation];
  const texts = await store.texts(keys);
  const generation = texts.at(-1);
  const reason = await store.whyIncomplete?.(names.start);
  if (reason !== undefined) throw incomplete(store, reason);
  return { hashGeneration: undefined, generation, whitelists: whitelistsIn(texts.slice(0, -1), warn) };
}

/** @param entities The texts of entities, each at the index of its ADIF code. */
function whitelistsIn(
  entities: readonly (string | undefined)[],
  warn: (message: string) => void,
): ReadonlyMap<number, Period> {
  const periods = new Map<number, Period>();
  for (const [adif, text] of entities.entries()) {
    // Most entities have none, and needn't be parsed.
    if (!text?.includes('"whitelist"')) continue;
    const entity = readEntity(text);
    if ("problem" in entity) warn(`entity_${adif}: ${entity.problem}`);
    else if (entity.whitelist) periods.set(adif, entity.whitelist);
  }
  return periods;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}
