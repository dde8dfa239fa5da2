/** Work about one thing, one piece after the other; work about other things goes on beside it. */
import { createBoundedQueue, type BoundedQueue } from "./bounded-queue.js";

export interface KeyedQueue {
  /**
   * What the work comes to, done when no other work about the same thing is under way.
   *
   * @throws {BusyError} Too many wait for the same thing.
   */
  run<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
}

/** @param options.maxWaiting How many may wait for one thing. */
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
