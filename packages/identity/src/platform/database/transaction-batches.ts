/**
 * Transactions that would only wait for each other, made as one: those that come while one of their key runs are the next one together.
 * They share its begin, its locks and its commit, which take most of the time of a small change.
 */
import { AsyncResource } from "node:async_hooks";

import { BusyError } from "../concurrency/bounded-queue.js";
import { DatabaseUnavailable, OutcomeUnknown } from "./database-errors.js";
import type { Database, Topic, Transaction, TransactionOptions } from "./database.js";

/** Where work runs in a transaction: the database, or batches of it. */
export type Transactions = Pick<Database, "transaction">;

export interface BatchOptions {
  /** Works of other keys run beside these. */
  readonly key: string;
  /** Takes long: it gets a transaction of its own, when its turn comes. */
  readonly isLong?: boolean;
}

export interface TransactionBatches {
  /**
   * Transactions that run one after the other, or together. Each work sees what those before it have written, and may run again: if one
   * of them throws, all are repeated in transactions of their own.
   *
   * They throw {@link BusyError} if too many wait.
   */
  of(options: BatchOptions): Transactions;
}

/**
 * How long a transaction waits for its share of the works: clients that have their response send the next work soon, and the first of them
 * would be a transaction of its own.
 */
const GATHERING_MS = 10;
/** Works of one transaction: other transactions may wait for its locks, and on SQLite every query does. */
const MAX_WORKS = 8;

interface WaitingWork {
  readonly work: (transaction: Transaction) => Promise<unknown>;
  readonly changes: readonly Topic[] | undefined;
  readonly isLong: boolean;
  readonly resolve: (result: never) => void;
  readonly reject: (reason: unknown) => void;
}

interface WorkQueue {
  readonly works: WaitingWork[];
  /** Called when a work is added. */
  onWork: (() => void) | undefined;
}

/** @param options.maxWaiting Works of a key that wait, besides those that run. */
export function createTransactionBatches(
  database: Transactions,
  { maxWaiting }: { readonly maxWaiting: number },
): TransactionBatches {
  /** By key, while one runs. */
  const queues = new Map<string, WorkQueue>();

  async function serve(key: string, queue: WorkQueue, first: WaitingWork): Promise<void> {
    let former = 0;
    for (let batch = [first]; batch.length > 0;) {
      await settle(batch);
      // Half of those that come again and again: the other half is answered, and asks again, while it runs.
      const comers = batch.length + Math.max(former, queue.works.length);
      const share = Math.min(MAX_WORKS, Math.ceil(comers / 2));
      if (share > 1) await gathered(queue, share);
      former = batch.length;
      batch = nextBatch(queue.works, share);
    }
    queues.delete(key);
  }

  async function settle(batch: readonly WaitingWork[]): Promise<void> {
    if (batch.length > 1 && (await settleTogether(batch))) return;
    for (const { work, changes, resolve, reject } of batch)
      await database.transaction(work, optionsOf(changes)).then(resolve as never, reject);
  }

  /** @returns Whether the works are settled. */
  async function settleTogether(batch: readonly WaitingWork[]): Promise<boolean> {
    const changes = batch.every((each) => each.changes !== undefined)
      ? [...new Set(batch.flatMap((each) => each.changes ?? []))]
      : undefined;
    try {
      const results = await database.transaction(async (transaction) => {
        const made: unknown[] = [];
        for (const { work } of batch) made.push(await work(transaction));
        return made;
      }, optionsOf(changes));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as never);
      return true;
    } catch (failure) {
      // One of them is wrong, and it is not known which; or they may be stored, or the next one would wait as long for a database that is down.
      if (!(failure instanceof OutcomeUnknown || failure instanceof DatabaseUnavailable)) return false;
      for (const { reject } of batch) reject(failure);
      return true;
    }
  }

  return {
    of: ({ key, isLong = false }) => ({
      transaction: (work, { changes } = {}) =>
        new Promise((resolve, reject) => {
          // What it publishes is of its own request, not of the one that runs the batch.
          const waiting = {
            work: AsyncResource.bind(work),
            changes,
            isLong,
            resolve: resolve as (result: never) => void,
            reject,
          };
          const queue = queues.get(key);
          if (queue === undefined) {
            const begun: WorkQueue = { works: [], onWork: undefined };
            queues.set(key, begun);
            void serve(key, begun, waiting);
          } else if (queue.works.length < maxWaiting) {
            queue.works.push(waiting);
            queue.onWork?.();
          } else reject(new BusyError(queue.works.length));
        }),
    }),
  };
}

/** Resolves when some works wait, or soon. */
function gathered(queue: WorkQueue, count: number): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(late);
      queue.onWork = undefined;
      resolve();
    };
    const late = setTimeout(end, GATHERING_MS);
    queue.onWork = () => {
      if (queue.works.length >= count) end();
    };
    queue.onWork();
  });
}

/** Takes the first works: up to so many, or one that takes long. */
function nextBatch(queue: WaitingWork[], count: number): WaitingWork[] {
  const long = queue.findIndex(({ isLong }) => isLong);
  return queue.splice(0, long === 0 ? 1 : Math.min(count, long === -1 ? queue.length : long));
}

function optionsOf(changes: readonly Topic[] | undefined): TransactionOptions {
  return changes === undefined ? {} : { changes };
}
