/** Putting a data set in the place of another one in Redis. */
import type { StoredDataSet, StoredHashes } from "../key-value-store.js";
import { sendOne, toList, toText, type Command, type Connection, type RedisLink } from "./redis-link.js";
import { scan } from "./redis-scan.js";

/** So many commands go to the server at a time, so that neither side has to hold all of them as one text. */
const CHUNK = 2000;
/** So many keys go into one command. */
const KEYS_AT_ONCE = 200;
/** So many times another copy may come in between. */
const MOST_ATTEMPTS = 100;

/**
 * In one transaction: others see the old data set or the new one, and a failure leaves the old one.
 *
 * The generation is watched meanwhile, so that of several copies made at once each begins anew when another one is done.
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
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
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
  throw new Error("other copies came in between again and again");
}

/**
 * Key by key, for a cluster in which a data set is spread: each call and prefix has its old record or its new one.
 *
 * New records are written first, under numbers that are free; then the indexes are turned to them; then the hashes are replaced;
 * then the old records go. A lock keeps other copies out. A copy that fails leaves records that nothing points to, and the next one
 * removes them; one that fails while the hashes are replaced leaves a data set that readers refuse.
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
    const turned = old.filter((key) => sets.has(key));
    const members = (await send(turned.map((key) => ["SMEMBERS", own(key)]))).map(toList);
    await send(mapped(sets, ([key, ids]) => ["SADD", own(key), ...ids]));
    await send(
      turned.flatMap((key, index): Command[] => {
        const stay = new Set(sets.get(key));
        const leave = (members[index] ?? []).map((id) => toText(id) ?? "").filter((id) => !stay.has(id));
        return leave.length === 0 ? [] : [["SREM", own(key), ...leave]];
      }),
    );
    // Readers of the hashes wait meanwhile, as each lacks its generation or has the new one.
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

/** A number from which on no record has one, or 0 where there is room below the ones that are there. */
function freeNumber(keys: readonly string[], { idOf, texts }: StoredDataSet): number {
  let lowest = Number.POSITIVE_INFINITY;
  let highest = -1;
  for (const key of keys) {
    const id = idOf(key) ?? Number.NaN;
    if (id < lowest) lowest = id;
    if (id > highest) highest = id;
  }
  return texts.size <= lowest ? 0 : highest + 1;
}

/** After this time the lock of a copy that broke off gives way. */
const LOCK_MS = 120_000;
const LOCK_PAUSE_MS = 100;

/** Keeps others from copying; the function that is given back lets them. */
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
    // Whoever came after a lock that had run out keeps theirs.
    if (toText(await sendOne(link, ["GET", name])) === mark) await sendOne(link, ["DEL", name]);
  };
}

function* mapped<Item, Result>(items: Iterable<Item>, map: (item: Item) => Result): Generator<Result> {
  for (const item of items) yield map(item);
}

/** The keys of the data set that is there. */
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

/** Sends commands that must not be refused. */
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
