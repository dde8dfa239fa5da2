/** A fair mutex that yields to the event loop. */
import { setImmediate as nextTurn } from "node:timers/promises";

/**
 * FIFO.
 *
 * SQLite's work is synchronous, so without `maxTurnMs` a queue of holders would run in a single turn of the event loop, in which
 * no connection is accepted and no response is sent.
 */
export interface Mutex {
  /**
   * Acquires the lock.
   *
   * @param options.isPatient Waits without timeout.
   * @throws The error of `onTimeout`, after the timeout.
   */
  lock(options?: { readonly isPatient: boolean }): Promise<void>;
  unlock(): void;
  /** For the holder, between pieces of work: resolves in the next turn if this one is used up; otherwise `undefined`. */
  rest(): Promise<void> | undefined;
}

export interface MutexOptions {
  /** Maximum wait for the lock. */
  readonly timeoutMs: number;
  readonly onTimeout: () => Error;
  /** How long the lock is granted within one turn of the event loop; later waiters get it in the next turn. */
  readonly maxTurnMs?: number;
}

export function createMutex({ timeoutMs, onTimeout, maxTurnMs = Infinity }: MutexOptions): Mutex {
  let isHeld = false;
  let isResting = false;
  /** When the lock was first acquired in this turn of the event loop. */
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
