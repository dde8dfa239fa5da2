/** Copies a table into a key/value store. */
import { requireTable } from "../lookup/identify.js";
import type { TableContent, TableEntry, TableSource } from "../lookup/source.js";
import type { TableSection } from "../lookup/candidate-keys.js";
import { storeOf, type StoreClient } from "./store-client.js";
import {
  entityField,
  GENERATION_FIELD,
  keyNamesOf,
  newGeneration,
  recordsField,
  SAMPLE_FIELD,
  writeLine,
  type KeyNames,
} from "./kvstore-layout.js";
import type { StoredDataSet, StoredHashes, StoredText } from "./key-value-store.js";
import { inTime } from "./kvstore-reader.js";
import { writeEntity, writeInvalidOperation, writeRecord, writeZoneException } from "./kvstore-record.js";

/** The target of a copy. */
export interface CopyOptions {
  /** The store, or a client of it: of ioredis or redis (node-redis), single or cluster; or a `Map`. */
  readonly kvInstance: StoreClient | undefined;
  /** The prefix of the data set's keys; an underscore follows it. */
  readonly kvPrefix: string | undefined;
  /** Time limit of the whole copy; 60000 when left out. */
  readonly timeoutMs?: number;
}

/**
 * Copies a table into a key/value store and replaces the data set of the prefix. pyhamtools can read it too.
 *
 * On a single server, and in a cluster where the prefix has a hash tag such as `{cty}`, the copy is atomic: readers see the
 * old data or the new, and a failure leaves the old. In a cluster without a hash tag each call and prefix changes by itself.
 *
 * @throws {ArgumentTypeError} The table is missing.
 * @throws {ValueError} The store is of no known kind, or the prefix is not a string.
 * @throws {IOError} The store failed and keeps the old data.
 * @example
 * const store = new Map();
 * await copyIntoKvstore(await loadEmbeddedCountryFile(), { kvInstance: store, kvPrefix: "CF" });
 * store.get("CF_entity_230").includes("Fed. Rep. of Germany"); // => true
 */
export async function copyIntoKvstore(table: TableSource, options: CopyOptions): Promise<void> {
  const { kvInstance, kvPrefix, timeoutMs = 60_000 } = options;
  const store = storeOf(kvInstance);
  const dataSet = dataSetOf(requireTable(table), keyNamesOf(kvPrefix));
  await inTime(store, timeoutMs, (signal) => store.replace(dataSet, signal));
}

/** The stored form of a table. Entries without a number get numbers from `first` on. */
export function dataSetOf(table: TableSource, names: KeyNames, first = 0): StoredDataSet {
  const content: TableContent = table.content();
  const texts = new Map<string, string>();
  const sets = new Map<string, string[]>();
  const fields = new Map<string, string>();
  const add = <Value>(
    section: TableSection,
    entries: Iterable<TableEntry<Value>>,
    write: (entry: TableEntry<Value>) => string,
  ): void => {
    for (const [id, entry] of numbered([...entries], first)) {
      const text = write(entry);
      texts.set(names.record(section, id), text);
      appendLine(fields, recordsField(section, entry.key), { id: String(id), text });
      const index = names.index(section, entry.key);
      const ids = sets.get(index);
      if (ids === undefined) sets.set(index, [String(id)]);
      else ids.push(String(id));
    }
  };
  add("calls", content.calls, writeRecord);
  add("prefixes", content.prefixes, writeRecord);
  add("invalidOperations", content.invalidOperations ?? [], writeInvalidOperation);
  add("zoneExceptions", content.zoneExceptions ?? [], writeZoneException);
  for (const entity of content.entities) {
    const text = writeEntity(entity);
    texts.set(names.entity(entity.adif), text);
    fields.set(entityField(entity.adif), text);
  }
  fields.set(SAMPLE_FIELD, sampleOf(texts, names));
  const mark = newGeneration();
  const { start, owns, idOf, lock, generation } = names;
  return {
    start,
    owns,
    idOf,
    texts,
    sets,
    hashes: () => hashesOf(fields, names, mark),
    generation: [generation, mark],
    lock,
    numberedFrom: (other) => dataSetOf(table, names, other),
  };
}

function appendLine(fields: Map<string, string>, field: string, record: StoredText): void {
  const before = fields.get(field);
  const line = writeLine(record);
  fields.set(field, before === undefined ? line : `${before}\n${line}`);
}

/** Records, spread over the data set, by which readers notice that pyhamtools has overwritten it. */
const SAMPLES = 16;

function sampleOf(texts: ReadonlyMap<string, string>, { start }: KeyNames): string {
  const step = Math.max(1, Math.floor(texts.size / SAMPLES));
  return [...texts]
    .filter((_, index) => index % step === 0)
    .map(([key, text]) => writeLine({ id: key.slice(start.length), text }))
    .join("\n");
}

/** The fields by their hash. The last field of each hash is the generation. */
function hashesOf(
  fields: ReadonlyMap<string, string>,
  { hashes, hashOf }: KeyNames,
  generation: string,
): StoredHashes {
  const byHash = new Map(hashes.map((key) => [key, new Map<string, string>()]));
  for (const [field, text] of fields) byHash.get(hashOf(field))?.set(field, text);
  for (const hash of byHash.values()) hash.set(GENERATION_FIELD, generation);
  return byHash;
}

/** Each entry with its number in the file; those without one, or with a duplicate one, get the next free numbers. */
function* numbered<Value>(
  entries: readonly TableEntry<Value>[],
  first: number,
): Generator<[id: number, TableEntry<Value>]> {
  const taken = new Set<number>();
  let next = 1 + entries.reduce((highest, { id = -1 }) => Math.max(highest, id), first - 1);
  for (const entry of entries) {
    const { id } = entry;
    const isFree = id !== undefined && !taken.has(id);
    if (isFree) taken.add(id);
    yield [isFree ? id : next++, entry];
  }
}
