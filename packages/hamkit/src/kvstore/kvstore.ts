/** A key/value store as a source: several programs, Python's among them, share one data set. */
import { candidateKeys, type CandidateKeys } from "../lookup/candidate-keys.js";
import { identifyAt } from "../lookup/identify.js";
import type { Identification, Moment, Query, SearchedTable, ServiceSource } from "../lookup/source.js";
import type { CallsignRecord, EntityRecord } from "../lookup/record.js";
import { createBatches } from "./kvstore-batches.js";
import { storeOf, type StoreClient } from "./store-client.js";
import { keyNamesOf } from "./kvstore-layout.js";
import { createStoreReader } from "./kvstore-reader.js";
import { readEntity } from "./kvstore-record.js";
import { createTableMaker } from "./fetched-table.js";

/** Which data set is asked, and where. */
export interface KvstoreOptions {
  /** The store, or a client of it: of ioredis or redis (node-redis), single or cluster; or a `Map`. */
  readonly kvInstance: StoreClient | undefined;
  /** What the data set's keys begin with, without the underscore behind it. */
  readonly kvPrefix: string | undefined;
  /** Is told of records that can't be read, once of each. */
  readonly warn?: (message: string) => void;
  /** How long the store may take to answer; 5000 when left out. */
  readonly timeoutMs?: number | undefined;
}

/** A data set in a store: everything that a table in memory can be asked. */
export interface Kvstore extends Required<
  Pick<
    ServiceSource,
    "kind" | "name" | "identifyMany" | "exact" | "prefix" | "entity" | "isInvalidOperation" | "zoneException"
  >
> {
  /** All that the data set knows of a callsign at that moment. */
  identify(callsign: string, at: Moment): Promise<Identification>;
}

/** So many warnings are enough to see that something is wrong. */
const MOST_WARNINGS = 20;
/** So many callsigns are asked for at a time. */
const SLICE = 1000;

/**
 * A source that asks a key/value store, where `copyIntoKvstore` or pyhamtools put the data.
 *
 * A look-up costs one round trip. Look-ups of the same moment share it. What pyhamtools copied costs two where the server runs no
 * read-only scripts.
 *
 * A data set of which the server has evicted or lost a part is an `IOError`, never an unknown callsign; where pyhamtools copied,
 * lost parts can't be noticed.
 *
 * @throws {ValueError} The store is none that is known, or the prefix is no string.
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
  const warnOnce = onceEach((message) => warn(`${store.name}: passed over ${names.start}${message}`));
  const reader = createStoreReader({ store, names, warn: warnOnce, timeoutMs, now: () => Date.now() });
  const toTable = createTableMaker(name, warnOnce);
  const ask = createBatches(async (wanted) => toTable(await reader.records(wanted)));

  async function identifyLater(keys: CandidateKeys, callsign: string, at: Moment): Promise<Identification> {
    const prefixes = keys.prefixes.flatMap(spellings);
    return identifyAt(callsign, await ask({ ...keys, prefixes }), at);
  }

  async function identify(callsign: string, at: Moment): Promise<Identification> {
    const keys = typeof callsign === "string" ? candidateKeys(callsign, at) : undefined;
    return keys ? identifyLater(keys, callsign, at) : identifyAt(callsign, NOTHING, at);
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

/** What no table needs to be asked for. */
const NOTHING: SearchedTable = {
  name: "",
  exact: () => undefined,
  prefix: () => undefined,
  longestPrefix: () => undefined,
};

/** Files spell main prefixes such as 3D2/R with a small letter, and pyhamtools stores them so. */
function spellings(prefix: string): string[] {
  const isSlashed = prefix.at(-2) === "/" && /[A-Z]$/.test(prefix);
  return isSlashed ? [prefix, prefix.slice(0, -1) + prefix.slice(-1).toLowerCase()] : [prefix];
}

/** Each message once, and no more than show that something is wrong. */
function onceEach(warn: (message: string) => void): (message: string) => void {
  const told = new Set<string>();
  return (message) => {
    if (told.size >= MOST_WARNINGS || told.has(message)) return;
    told.add(message);
    warn(message);
  };
}
