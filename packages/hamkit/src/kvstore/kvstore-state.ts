/**
 * The state of a data set: the layout to read, its generation, and the whitelists, which every lookup needs.
 *
 * It is read first, after a change of the generation, and once a minute. An incomplete data set, of which keys were evicted or
 * deleted, is an error, so that missing keys are never taken for unknown callsigns.
 */
import { IOError } from "../errors.js";
import type { Period } from "../lookup/source.js";
import {
  hasHashes,
  isOfGeneration,
  readHashFields,
  type FieldsReply,
  type HashStore,
} from "./kvstore-hash-reader.js";
import {
  entityField,
  isHashedGeneration,
  readStoredLines,
  SAMPLE_FIELD,
  type KeyNames,
} from "./kvstore-layout.js";
import type { KeyValueStore } from "./key-value-store.js";
import { readEntity } from "./kvstore-record.js";

export interface DataSetState {
  /** The generation of all hashes; `undefined` where the data is read from the layout shared with Python. */
  readonly hashGeneration: string | undefined;
  /** The generation in the layout shared with Python; `undefined` where pyhamtools copied. */
  readonly generation: string | undefined;
  /** The periods of whitelists, by ADIF code of the entity. */
  readonly whitelists: ReadonlyMap<number, Period>;
}

export interface StateReaderOptions {
  readonly store: KeyValueStore;
  readonly names: KeyNames;
  readonly warn: (message: string) => void;
  readonly now: () => number;
}

export interface StateReader {
  /** The state, at most {@link MAX_AGE_MS} old. */
  current(): Promise<DataSetState>;
  /** Discards the state, after a lookup found another generation. */
  invalidate(): void;
}

/** pyhamtools copies without a generation; its changes of whitelists take effect after this time. */
const MAX_AGE_MS = 60_000;
/** Reads of inconsistent hashes without a lock: a copy may end between two replies. */
const MAX_ATTEMPTS = 5;
/** Delay during a copy that is not atomic. The caller's time limit ends it. */
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
    const [reply, [generation, lock]] = await Promise.all([
      readHashFields(store, names, fields, names.hashes),
      store.texts([names.generation, names.lock]),
    ]);
    const verdict = judge(options, reply, generation);
    if (verdict === "shared") return readSharedState(options);
    if (verdict === "complete") {
      const [sample, ...entities] = reply.texts;
      if (await isOverwritten(options, sample)) {
        warn("hash_*: another program has changed the records since the copy; its records are used");
        return readSharedState(options);
      }
      const [hashGeneration] = reply.generations.values();
      return { hashGeneration, generation, whitelists: whitelistsIn(entities, warn) };
    }
    if (lock !== undefined) await pause(COPY_PAUSE_MS);
    else if (attempt >= MAX_ATTEMPTS) throw verdict;
  }
}

/** Whether the hashes are complete, or the shared layout is read instead, or the error of incomplete hashes. */
function judge(
  { store, names }: HashedOptions,
  { generations }: FieldsReply,
  current: string | undefined,
): "complete" | "shared" | IOError {
  const missing = names.hashes.filter((key) => generations.get(key) === undefined);
  if (missing.length === names.hashes.length && !isHashedGeneration(current)) return "shared";
  if (missing.length > 0) {
    const which = missing.length > 3 ? `${missing.slice(0, 3).join(", ")}, ...` : missing.join(", ");
    const reason = `${missing.length} of the ${names.hashes.length} hashes of the data set are missing (${which})`;
    return incomplete(store, `${reason}: the server evicted or lost them`);
  }
  const [generation = ""] = generations.values();
  if (!isOfGeneration(generations, generation))
    return incomplete(store, "the hashes of the data set belong to different copies");
  // Releases without hashes leave them unchanged and change the generation.
  return current === undefined || current === generation ? "complete" : "shared";
}

/** The error of an incomplete data set, with the remedy. */
export function incomplete({ name }: KeyValueStore, reason: string): IOError {
  return new IOError(name, `${reason}. Copy the data set again, and set maxmemory-policy noeviction`);
}

/** Whether a sample of the records was changed since the copy: pyhamtools copies without removing the hashes. */
async function isOverwritten({ store, names }: HashedOptions, sample: string | undefined): Promise<boolean> {
  const lines = readStoredLines(sample);
  if (lines.length === 0) return false;
  const texts = await store.texts(lines.map(({ id }) => names.start + id));
  return lines.some(({ text }, index) => texts[index] !== undefined && texts[index] !== text);
}

/** The state in the layout shared with Python, where missing keys look like unknown callsigns. */
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
    // Most entities have none and are not parsed.
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
