/** A key/value store as a source: several programs, also in Python, share one data set. */
import { candidateKeys, type CandidateKeys, type TableSection } from "../lookup/candidate-keys.js";
import { identifyAt } from "../lookup/identify.js";
import type { Identification, Moment, Query, SearchedTable, ServiceSource } from "../lookup/source.js";
import type { CallsignRecord, EntityRecord } from "../lookup/record.js";
import { storeOf, type StoreClient } from "./store-client.js";
import { keyNamesOf } from "./kvstore-layout.js";
import { createStoreReader } from "./kvstore-reader.js";
import { readEntity } from "./kvstore-record.js";
import { createTableMaker } from "./fetched-table.js";
import type { WantedKeys } from "./key-value-store.js";

/** The store and its data set. */
export interface KvstoreOptions {
  /** The store, or a client of it: of ioredis or redis (node-redis), single or cluster; or a `Map`. */
  readonly kvInstance: StoreClient | undefined;
  /** The prefix of the data set's keys, without the underscore behind it. */
  readonly kvPrefix: string | undefined;
  /** Receives a warning for each unreadable record, once. */
  readonly warn?: (message: string) => void;
  /** Time limit of a lookup; 5000 when left out. */
  readonly timeoutMs?: number | undefined;
}

/** A data set in a store, with all methods of a source. */
export interface Kvstore extends Required<
  Pick<
    ServiceSource,
    "kind" | "name" | "identifyMany" | "exact" | "prefix" | "entity" | "isInvalidOperation" | "zoneException"
  >
> {
  /** The identification of a callsign at a moment. */
  identify(callsign: string, at: Moment): Promise<Identification>;
}

/** Of one data set. */
const MAX_WARNINGS = 20;
/** Concurrent lookups of `identifyMany`. */
const SLICE = 1000;

/**
 * A source that reads a data set that `copyIntoKvstore` or pyhamtools copied.
 *
 * A lookup is one round trip, which concurrent lookups share. Data that pyhamtools copied needs two if the server runs no
 * read-only scripts.
 *
 * A data set of which the server has evicted or lost a part is an `IOError`, never an unknown callsign; in data that pyhamtools
 * copied, lost parts can't be detected.
 *
 * @throws {ValueError} The store is of no known kind, or the prefix is not a string.
 * @example
 * const store = new Map();
 * await copyIntoKvstore(await loadEmbeddedCountryFile(), { kvInstance: store, kvPrefix: "CF" });
 * const answer = await createKvstore({ kvInstance: store, kvPrefix: "CF" }).identify("HC2/DH1TW", Date.now());
 * answer.kind === "identified" && answer.record.country; // => "Ecuador"
 */
export function createKvstore(options: KvstoreOptions): Kvstore {
  const { kvInstance, kvPrefix, warn = () => undefined, timeoutMs = 5000 } = options;
  const store = storeOf(kvInstance);
  const names = keyNamesOf(kvPrefix);
  const name = `${kvPrefix} at ${store.name}`;
  const warnOnce = onceEach((message) => warn(`${store.name}: skipped ${names.start}${message}`));
  const reader = createStoreReader({ store, names, warn: warnOnce, timeoutMs, now: () => Date.now() });
  const toTable = createTableMaker(name, warnOnce);
  const ask = createBatches(async (wanted) => toTable(await reader.records(wanted)));

  async function identifyLater(keys: CandidateKeys, callsign: string, at: Moment): Promise<Identification> {
    const prefixes = keys.prefixes.flatMap(spellings);
    return identifyAt(callsign, await ask({ ...keys, prefixes }), at);
  }

  async function identify(callsign: string, at: Moment): Promise<Identification> {
    const keys = typeof callsign === "string" ? candidateKeys(callsign, at) : undefined;
    return keys ? identifyLater(keys, callsign, at) : identifyAt(callsign, EMPTY_TABLE, at);
  }

  return {
    kind: "service",
    name,
    identify,
    async identifyMany(queries: readonly Query[]) {
      const answers: Identification[] = [];
      for (let from = 0; from < queries.length; from += SLICE) {
        const slice = queries.slice(from, from + SLICE);
        answers.push(...(await Promise.all(slice.map(({ callsign, at }) => identify(callsign, at)))));
      }
      return answers;
    },
    exact: async (call, at): Promise<CallsignRecord | undefined> =>
      (await ask({ calls: [call] })).exact(call, at),
    prefix: async (text, at) => (await ask({ prefixes: spellings(text) })).prefix(text, at),
    isInvalidOperation: async (call, at) =>
      (await ask({ invalidOperations: [call] })).isInvalidOperation?.(call, at) ?? false,
    zoneException: async (call, at) => (await ask({ zoneExceptions: [call] })).zoneException?.(call, at),
    async entity(adif): Promise<EntityRecord | undefined> {
      if (!Number.isInteger(adif) || adif < 0) return undefined;
      const text = await reader.entity(adif);
      if (text === undefined) return undefined;
      const entity = readEntity(text);
      if (!("problem" in entity)) return entity.record;
      warnOnce(`entity_${adif}: ${entity.problem}`);
      return undefined;
    },
  };
}

/** For texts that cannot be callsigns. */
const EMPTY_TABLE: SearchedTable = {
  name: "",
  exact: () => undefined,
  prefix: () => undefined,
  longestPrefix: () => undefined,
};

/** Files have main prefixes such as 3D2/R in lower case, 3D2/r, and pyhamtools stores that. */
function spellings(prefix: string): string[] {
  const isSlashed = prefix.at(-2) === "/" && /[A-Z]$/.test(prefix);
  return isSlashed ? [prefix, prefix.slice(0, -1) + prefix.slice(-1).toLowerCase()] : [prefix];
}

/** Warns of each message once, up to {@link MAX_WARNINGS}. */
function onceEach(warn: (message: string) => void): (message: string) => void {
  const known = new Set<string>();
  return (message) => {
    if (known.size >= MAX_WARNINGS || known.has(message)) return;
    known.add(message);
    warn(message);
  };
}

/** The keys of some twenty callsigns: the next batch is prepared during the request, and other clients wait only briefly. */
const MAX_BATCH_KEYS = 200;
/** Concurrent requests. Further batches wait here and not in the memory of the client library. */
const MAX_RUNNING = 8;

interface Batch<Reply> {
  readonly keys: Readonly<Record<TableSection, Set<string>>>;
  readonly reply: Promise<Reply>;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (failure: unknown) => void;
}

/** A function that reads keys in a batch with others and returns the result of the whole batch. */
function createBatches<Reply>(
  read: (wanted: readonly WantedKeys[]) => Promise<Reply>,
): (keys: Partial<CandidateKeys>) => Promise<Reply> {
  const waiting: Batch<Reply>[] = [];
  let running = 0;
  let isScheduled = false;

  const start = (): void => {
    isScheduled = false;
    while (running < MAX_RUNNING) {
      const batch = waiting.shift();
      if (batch === undefined) return;
      running++;
      void run(batch);
    }
  };

  async function run({ keys, resolve, reject }: Batch<Reply>): Promise<void> {
    try {
      resolve(await read(wantedOf(keys)));
    } catch (failure) {
      reject(failure);
    }
    running--;
    start();
  }

  return (keys) => {
    let batch = waiting.at(-1);
    if (batch === undefined || sizeOf(batch.keys) >= MAX_BATCH_KEYS) {
      batch = createBatch<Reply>();
      waiting.push(batch);
    }
    for (const section of SECTIONS) for (const key of keys[section] ?? []) batch.keys[section].add(key);
    if (!isScheduled) {
      isScheduled = true;
      afterThisTick(start);
    }
    return batch.reply;
  };
}

const SECTIONS = [
  "invalidOperations",
  "calls",
  "zoneExceptions",
  "prefixes",
] as const satisfies TableSection[];

function createBatch<Reply>(): Batch<Reply> {
  const keys = {
    invalidOperations: new Set<string>(),
    calls: new Set<string>(),
    zoneExceptions: new Set<string>(),
    prefixes: new Set<string>(),
  };
  let settle: Pick<Batch<Reply>, "resolve" | "reject"> | undefined;
  const reply = new Promise<Reply>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { keys, reply, ...(settle as unknown as Pick<Batch<Reply>, "resolve" | "reject">) };
}

function sizeOf(keys: Batch<unknown>["keys"]): number {
  let size = 0;
  for (const section of SECTIONS) size += keys[section].size;
  return size;
}

function wantedOf(keys: Batch<unknown>["keys"]): WantedKeys[] {
  return SECTIONS.filter((section) => keys[section].size > 0).map((section) => ({
    section,
    keys: [...keys[section]],
  }));
}

/** After all reads of this turn of the event loop; without `setImmediate` (browsers), of the next microtask. */
function afterThisTick(task: () => void): void {
  if (typeof globalThis.setImmediate === "function") setImmediate(task);
  else void Promise.resolve().then(task);
}
