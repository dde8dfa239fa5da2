/** Replaces a data set in Redis. */
import type { StoredDataSet, StoredHashes } from "../key-value-store.js";
import { sendOne, toList, toText, type Command, type Connection, type RedisLink } from "./redis-link.js";

/** Commands that are sent together, so that neither side buffers all of them. */
const CHUNK = 2000;
/** Keys of one command. */
const KEYS_AT_ONCE = 200;
/** Transactions that concurrent copies abort. */
const MAX_ATTEMPTS = 100;

/**
 * Replaces the data set in one transaction: readers see the old one or the new one, and a failure leaves the old one.
 *
 * The transaction watches the generation, so that a copy starts again when a concurrent one has finished.
 */
export async function replaceAtOnce(
  link: RedisLink,
  dataSet: StoredDataSet,
  signal: AbortSignal,
): Promise<void> {
  const { sentPrefix } = link;
  const generation = sentPrefix + dataSet.generation[0];
  const connection = await link.connect(link.storedPrefix + dataSet.generation[0]);
  signal.addEventListener("abort", () => connection.close());
  try {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      await sendOne(connection, ["WATCH", generation]);
      const stale = await keysOf(connection, link, dataSet);
      await sendOne(connection, ["MULTI"]);
      await sendAll(connection, deletions(stale, sentPrefix), signal);
      await sendAll(connection, writes(dataSet, sentPrefix), signal);
      const reply = await sendOne(connection, ["EXEC"]);
      if (reply === null) continue;
      for (const one of toList(reply)) if (one instanceof Error) throw one;
      return;
    }
  } finally {
    connection.close();
  }
  throw new Error(`concurrent copies aborted the transaction ${MAX_ATTEMPTS} times`);
}

/**
 * Replaces the data set key by key, for a cluster that spreads it over servers: each call and prefix has its old record or its
 * new one.
 *
 * New records are written first, under free numbers; then the indexes refer to them; then the hashes are replaced; then the old
 * records are deleted. A lock excludes other copies. A failed copy leaves records without a reference, which the next one
 * deletes; a failure during the replacement of the hashes leaves a data set that readers reject.
 */
export async function replaceOneByOne(
  link: RedisLink,
  dataSet: StoredDataSet,
  signal: AbortSignal,
): Promise<void> {
  const unlock = await lock(link, dataSet.lock, signal);
  const send = (commands: Iterable<Command>): Promise<unknown[]> => sendAll(link, commands, signal);
  try {
    const nodes = await link.masters();
    const old = (await Promise.all(nodes.map((node) => keysOf(node, link, dataSet)))).flat();
    const numbered = dataSet.numberedFrom(freeNumber(old, dataSet));
    const { texts, sets, generation } = numbered;
    const hashes = numbered.hashes();
    const own = (key: string): string => link.sentPrefix + key;

    await send(mapped(texts, ([key, text]) => ["SET", own(key), text]));
    const reused = old.filter((key) => sets.has(key));
    const members = (await send(reused.map((key) => ["SMEMBERS", own(key)]))).map(toList);
    await send(mapped(sets, ([key, ids]) => ["SADD", own(key), ...ids]));
    await send(
      reused.flatMap((key, index): Command[] => {
        const ids = new Set(sets.get(key));
        const removed = (members[index] ?? []).map((id) => toText(id) ?? "").filter((id) => !ids.has(id));
        return removed.length === 0 ? [] : [["SREM", own(key), ...removed]];
      }),
    );
    // Readers wait until all hashes have the same generation.
    await send(mapped(hashes.keys(), (key) => ["DEL", own(key)]));
    await send(hashWrites(hashes, link.sentPrefix));
    const kept = new Set([...texts.keys(), ...sets.keys(), ...hashes.keys(), generation[0]]);
    const stale = old.filter((key) => !kept.has(key));
    const isRecord = (key: string): boolean => dataSet.idOf(key) !== undefined;
    await send(stale.filter((key) => !isRecord(key)).map((key) => ["DEL", own(key)]));
    await send([["SET", own(generation[0]), generation[1]]]);
    await send(stale.filter(isRecord).map((key) => ["DEL", own(key)]));
  } finally {
    await unlock();
  }
}

/** The first of enough free numbers: 0, or the number after the highest one. */
function freeNumber(keys: readonly string[], { idOf, texts }: StoredDataSet): number {
  let min = Number.POSITIVE_INFINITY;
  let max = -1;
  for (const key of keys) {
    const id = idOf(key) ?? Number.NaN;
    if (id < min) min = id;
    if (id > max) max = id;
  }
  return texts.size <= min ? 0 : max + 1;
}

/** The lock of an aborted copy expires after this time. */
const LOCK_MS = 120_000;
const LOCK_PAUSE_MS = 100;

/** Excludes other copies until the returned function is called. */
async function lock(link: RedisLink, key: string, signal: AbortSignal): Promise<() => Promise<void>> {
  const name = link.sentPrefix + key;
  const mark = `${Date.now()}-${Math.random()}`;
  for (;;) {
    signal.throwIfAborted();
    const reply = await sendOne(link, ["SET", name, mark, "NX", "PX", String(LOCK_MS)]);
    if (reply !== null) break;
    await new Promise((resolve) => {
      setTimeout(resolve, LOCK_PAUSE_MS);
    });
  }
  return async () => {
    // An expired lock may belong to another copy by now.
    if (toText(await sendOne(link, ["GET", name])) === mark) await sendOne(link, ["DEL", name]);
  };
}

function* mapped<Item, Result>(items: Iterable<Item>, map: (item: Item) => Result): Generator<Result> {
  for (const item of items) yield map(item);
}

/** The keys of the existing data set. */
async function keysOf(
  connection: Connection,
  { storedPrefix }: RedisLink,
  { start, owns }: StoredDataSet,
): Promise<string[]> {
  const found = new Set<string>();
  for await (const keys of scan(connection, storedPrefix + start))
    for (const key of keys) found.add(key.slice(storedPrefix.length));
  return [...found].filter((key) => owns(key));
}

function* deletions(keys: readonly string[], prefix: string): Generator<Command> {
  for (const some of chunksOf(keys, KEYS_AT_ONCE)) yield ["DEL", ...some.map((key) => prefix + key)];
}

function* writes({ texts, sets, hashes, generation }: StoredDataSet, prefix: string): Generator<Command> {
  for (const some of chunksOf([...texts, generation], KEYS_AT_ONCE)) {
    yield ["MSET", ...some.flatMap(([key, text]) => [prefix + key, text])];
  }
  for (const [key, members] of sets) yield ["SADD", prefix + key, ...members];
  yield* hashWrites(hashes(), prefix);
}

function* hashWrites(hashes: StoredHashes, prefix: string): Generator<Command> {
  for (const [key, fields] of hashes)
    for (const some of chunksOf(fields, KEYS_AT_ONCE)) yield ["HSET", prefix + key, ...some.flat()];
}

function* chunksOf<Item>(items: Iterable<Item>, size: number): Generator<Item[]> {
  let chunk: Item[] = [];
  for (const item of items) {
    chunk.push(item);
    if (chunk.length === size) {
      yield chunk;
      chunk = [];
    }
  }
  if (chunk.length > 0) yield chunk;
}

/** Sends commands, and throws the first error reply. */
async function sendAll(
  connection: Connection,
  commands: Iterable<Command>,
  signal: AbortSignal,
): Promise<unknown[]> {
  const all: unknown[] = [];
  for (const some of chunksOf(commands, CHUNK)) {
    signal.throwIfAborted();
    for (const reply of await connection.send(some)) {
      if (reply instanceof Error) throw reply;
      all.push(reply);
    }
  }
  return all;
}

/** Keys that a step of SCAN examines. */
const SCANNED_AT_ONCE = "2000";

/** The keys that begin with a text, a list for each step; a key may occur twice. */
export async function* scan(connection: Connection, start: string): AsyncGenerator<string[]> {
  const pattern = `${globEscaped(start)}*`;
  let cursor = "0";
  do {
    const reply = await sendOne(connection, ["SCAN", cursor, "MATCH", pattern, "COUNT", SCANNED_AT_ONCE]);
    const [next, keys] = toList(reply);
    yield toList(keys).map((key) => toText(key) ?? "");
    cursor = toText(next) ?? "0";
  } while (cursor !== "0");
}

/** A pattern of Redis that matches the text itself. */
function globEscaped(text: string): string {
  return text.replaceAll(/[*?[\]\\^-]/g, String.raw`\$&`);
}
