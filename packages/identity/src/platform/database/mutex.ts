/** One at a time, in the order in which they came. */

/** A lock that is held by one. */
export interface Mutex {
  /**
   * Resolves when the lock is the caller's.
   *
   * @throws What `onTimeout` makes, when it took longer than that.
   */
  lock(): Promise<void>;
  unlock(): void;
}

/** @param options.timeoutMs How long anyone waits. */
export function createMutex({
  timeoutMs,
  onTimeout,
}: {
  readonly timeoutMs: number;
  readonly onTimeout: () => Error;
}): Mutex {
  let isHeld = false;
  const waiting = new Set<() => void>();

  return {
    lock() {
      if (!isHeld) {
        isHeld = true;
        return Promise.resolve();
      }
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(take);
          reject(onTimeout());
        }, timeoutMs);
        const take = () => {
          clearTimeout(timer);
          resolve();
        };
        waiting.add(take);
      });
    },
    unlock() {
      const [next] = waiting;
      if (next === undefined) {
        isHeld = false;
        return;
      }
      waiting.delete(next);
      next();
    },
  };
}
