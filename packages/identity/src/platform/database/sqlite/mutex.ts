/** One at a time, in the order in which they came. */
import { setImmediate as nextTurn } from "node:timers/promises";

/**
 * A lock that is held by one.
 *
 * What SQLite does under a lock never waits for the event loop, so without a bound a queue of holders, or as many requests as are
 * ready at once, would be worked off in a single turn of it, in which no connection is accepted and nothing is answered.
 */
export interface Mutex {
  /**
   * Resolves when the lock is the caller's.
   *
   * @param options.isPatient Waits without end.
   * @throws What `onTimeout` makes, when it took longer than that.
   */
  lock(options?: { readonly isPatient: boolean }): Promise<void>;
  unlock(): void;
  /** For the holder, between pieces of work: resolves in the next turn if this one was used up, and is `undefined` otherwise. */
  rest(): Promise<void> | undefined;
}

export interface MutexOptions {
  /** How long anyone waits. */
  readonly timeoutMs: number;
  readonly onTimeout: () => Error;
  /** How long the lock is handed out in one turn of the event loop; who comes after that waits for the next turn. */
  readonly maxTurnMs?: number;
}

export function createMutex({ timeoutMs, onTimeout, maxTurnMs = Infinity }: MutexOptions): Mutex {
  let isHeld = false;
  let isResting = false;
  /** When the lock was first taken in this turn of the event loop. */
  let turnBeganAt: number | undefined;
  const waiting = new Set<() => void>();

  function take(): void {
    isHeld = true;
    noteTurn();
  }

  function noteTurn(): void {
    if (turnBeganAt !== undefined || maxTurnMs === Infinity) return;
    turnBeganAt = performance.now();
    setImmediate(() => {
      turnBeganAt = undefined;
    });
  }

  const isUsedUp = () => turnBeganAt !== undefined && performance.now() - turnBeganAt >= maxTurnMs;

  function handOver(): void {
    const [next] = waiting;
    if (next === undefined) return;
    waiting.delete(next);
    take();
    next();
  }

  return {
    lock({ isPatient } = { isPatient: false }) {
      if (!isHeld && !isResting) {
        take();
        return Promise.resolve();
      }
      return new Promise((resolve, reject) => {
        const timer = isPatient
          ? undefined
          : setTimeout(() => {
              waiting.delete(resolveNow);
              reject(onTimeout());
            }, timeoutMs);
        const resolveNow = () => {
          clearTimeout(timer);
          resolve();
        };
        waiting.add(resolveNow);
      });
    },
    unlock() {
      isHeld = false;
      if (!isUsedUp()) return handOver();
      isResting = true;
      setImmediate(() => {
        isResting = false;
        handOver();
      });
    },
    rest() {
      if (isUsedUp()) return nextTurn().then(noteTurn);
      noteTurn();
      return undefined;
    },
  };
}
