/** Combines concurrent reads of keys into batches. */
import type { CandidateKeys, TableSection } from "../lookup/candidate-keys.js";
import type { WantedKeys } from "./key-value-store.js";

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
export function createBatches<Reply>(
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
