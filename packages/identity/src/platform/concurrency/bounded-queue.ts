/** A bounded FIFO queue with limited concurrency, for costly work. When the queue is full, work is rejected immediately. */
import { errorClass, UnavailableError } from "../errors.js";

/** The queue is full. */
export class BusyError extends errorClass(
  UnavailableError,
  "service/busy",
  (waiting: number) => `Overloaded: ${waiting} requests of this kind are already queued; try again later`,
) {}

export interface BoundedQueueOptions {
  /** Work running at a time. */
  readonly concurrency: number;
  /** Length of the queue, in addition to running work. */
  readonly maxWaiting: number;
}

export interface BoundedQueue {
  /**
   * Runs the work when its turn comes, in FIFO order.
   *
   * @throws {BusyError} The queue is full.
   */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
}

export function createBoundedQueue({ concurrency, maxWaiting }: BoundedQueueOptions): BoundedQueue {
  /** In order of arrival. A set, because removing the first is O(1). */
  const waiting = new Set<() => void>();
  let running = 0;

  async function enter(): Promise<void> {
    if (running < concurrency) {
      running++;
      return;
    }
    if (waiting.size >= maxWaiting) throw new BusyError(waiting.size);
    await new Promise<void>((resolve) => {
      waiting.add(resolve);
    });
  }

  function leave(): void {
    const [next] = waiting;
    if (next === undefined) {
      running--;
      return;
    }
    waiting.delete(next);
    next();
  }

  return {
    async run(work) {
      await enter();
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
