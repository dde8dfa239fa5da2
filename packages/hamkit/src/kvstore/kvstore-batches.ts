/** Questions of the same moment go to the store together. */
import type { CandidateKeys, TableSection } from "../lookup/candidate-keys.js";
import type { WantedKeys } from "./key-value-store.js";

/** Some twenty callsigns: while the server works on them the next ones are made ready, and nobody else waits long. */
const MOST_KEYS = 200;
/** More questions than these are on the way wait here, and not in the client's memory. */
const MOST_RUNNING = 8;

interface Batch<Answer> {
  readonly keys: Readonly<Record<TableSection, Set<string>>>;
  readonly answer: Promise<Answer>;
  readonly succeed: (answer: Answer) => void;
  readonly fail: (failure: unknown) => void;
}

/** A function that reads keys together with others, and gives all that was read. */
export function createBatches<Answer>(
  read: (wanted: readonly WantedKeys[]) => Promise<Answer>,
): (keys: Partial<CandidateKeys>) => Promise<Answer> {
  const waiting: Batch<Answer>[] = [];
  let running = 0;
  let isScheduled = false;

  const start = (): void => {
    isScheduled = false;
    while (running < MOST_RUNNING) {
      const batch = waiting.shift();
      if (batch === undefined) return;
      running++;
      void run(batch);
    }
  };

  async function run({ keys, succeed, fail }: Batch<Answer>): Promise<void> {
    try {
      succeed(await read(wantedOf(keys)));
    } catch (failure) {
      fail(failure);
    }
    running--;
    start();
  }

  return (keys) => {
    let batch = waiting.at(-1);
    if (batch === undefined || sizeOf(batch.keys) >= MOST_KEYS) {
      batch = createBatch<Answer>();
      waiting.push(batch);
    }
    for (const section of SECTIONS) for (const key of keys[section] ?? []) batch.keys[section].add(key);
    if (!isScheduled) {
      isScheduled = true;
      afterThisTick(start);
    }
    return batch.answer;
  };
}

const SECTIONS = [
  "invalidOperations",
  "calls",
  "zoneExceptions",
  "prefixes",
] as const satisfies TableSection[];

function createBatch<Answer>(): Batch<Answer> {
  const keys = {
    invalidOperations: new Set<string>(),
    calls: new Set<string>(),
    zoneExceptions: new Set<string>(),
    prefixes: new Set<string>(),
  };
  let ends: Pick<Batch<Answer>, "succeed" | "fail"> | undefined;
  const answer = new Promise<Answer>((succeed, fail) => {
    ends = { succeed, fail };
  });
  return { keys, answer, ...(ends as unknown as Pick<Batch<Answer>, "succeed" | "fail">) };
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

/** When everything that runs now has asked. Browsers have no `setImmediate`; there the next microtask has to do. */
function afterThisTick(task: () => void): void {
  if (typeof globalThis.setImmediate === "function") setImmediate(task);
  else void Promise.resolve().then(task);
}
