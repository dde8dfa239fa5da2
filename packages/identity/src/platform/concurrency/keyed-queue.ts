/** Serializes work per key; work of different keys runs concurrently. */
import { createBoundedQueue, type BoundedQueue } from "./bounded-queue.js";

export interface KeyedQueue {
  /**
   * Runs the work when no other work of the same key is running.
   *
   * @throws {BusyError} The queue of this key is full.
   */
  run<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
}

/** @param options.maxWaiting Queue length per key. */
export function createKeyedQueue({ maxWaiting }: { readonly maxWaiting: number }): KeyedQueue {
  const queues = new Map<string, { readonly queue: BoundedQueue; users: number }>();
  return {
    async run(key, work) {
      const entry = queues.get(key) ?? {
        queue: createBoundedQueue({ concurrency: 1, maxWaiting }),
        users: 0,
      };
      queues.set(key, entry);
      entry.users++;
      try {
        return await entry.queue.run(work);
      } finally {
        if (--entry.users === 0) queues.delete(key);
      }
    },
  };
}
