/** Costly work, a few pieces at a time: the others wait in line, and too many of them are turned away at once. */
import { UnavailableError } from "../errors.js";

/** So much waits already that waiting is no use. */
export class BusyError extends UnavailableError {
  override readonly name = "BusyError";
  override readonly code = "service/busy";
  /** How many pieces of work wait. */
  readonly waiting: number;

  constructor(waiting: number) {
    super(`${waiting} requests of this kind wait already; try again later`);
    this.waiting = waiting;
  }
}

export interface BoundedQueueOptions {
  /** How many pieces of work may be under way at a time. */
  readonly concurrency: number;
  /** How many may wait besides. */
  readonly maxWaiting: number;
}

export interface BoundedQueue {
  /**
   * What the work comes to, done when its turn has come.
   *
   * @throws {BusyError} Too many wait.
   */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** A queue; work begins in the order in which it was asked for. */
export function createBoundedQueue({ concurrency, maxWaiting }: BoundedQueueOptions): BoundedQueue {
  /** In the order of their arrival, as a set has them: the first goes in constant time, which that of an array does not. */
  const waiting = new Set<() => void>();
  let underWay = 0;

  async function enter(): Promise<void> {
    if (underWay < concurrency) {
      underWay++;
      return;
    }
    if (waiting.size >= maxWaiting) throw new BusyError(waiting.size);
    await new Promise<void>((resolve) => {
      waiting.add(resolve);
    });
  }

  /** The place goes to the next in line. */
  function leave(): void {
    const [next] = waiting;
    if (next === undefined) {
      underWay--;
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
