/** Hands values from callbacks to readers of an async iteration; the oldest are dropped for a slow reader. */

export interface Queue<Value> {
  /** The number of values that were dropped. */
  readonly dropped: number;
  push(value: Value): void;
  /** Ends the iteration after the values that wait, with a failure or without. */
  end(failure?: Error): void;
  next(): Promise<IteratorResult<Value, undefined>>;
  /** Resolves when the queue is less than half full, or at the end of the iteration. A producer that can wait for it loses nothing. */
  room(): Promise<void>;
}

interface Reader<Value> {
  readonly resolve: (result: IteratorResult<Value, undefined>) => void;
  readonly reject: (failure: Error) => void;
}

/** @param maxLength Values that may wait, from 1. */
export function createQueue<Value>(maxLength: number): Queue<Value> {
  let waiting: Value[] = [];
  /** Values before it were read: shifting a long array moves all others. */
  let first = 0;
  let dropped = 0;
  let isEnded = false;
  let failure: Error | undefined;
  const readers: Reader<Value>[] = [];
  let writers: (() => void)[] = [];
  const hasRoom = () => isEnded || waiting.length - first < maxLength / 2;
  const wakeWriters = () => {
    if (writers.length === 0 || !hasRoom()) return;
    const woken = writers;
    writers = [];
    for (const wake of woken) wake();
  };

  const finish = ({ resolve, reject }: Reader<Value>) => {
    if (failure === undefined) return resolve({ done: true, value: undefined });
    reject(failure);
    failure = undefined; // reported once
  };
  return {
    get dropped() {
      return dropped;
    },
    push(value) {
      if (isEnded) return;
      const reader = readers.shift();
      if (reader !== undefined) return reader.resolve({ done: false, value });
      waiting.push(value);
      if (waiting.length - first > maxLength) {
        first++;
        dropped++;
      }
      if (first > 1024 && first * 2 > waiting.length) {
        waiting = waiting.slice(first);
        first = 0;
      }
    },
    end(cause) {
      if (isEnded) return;
      isEnded = true;
      failure = cause;
      for (const reader of readers.splice(0)) finish(reader);
      wakeWriters();
    },
    room: () =>
      new Promise((resolve) => {
        if (hasRoom()) resolve();
        else writers.push(resolve);
      }),
    next: () =>
      new Promise((resolve, reject) => {
        if (first < waiting.length) {
          const value = waiting[first++] as Value;
          if (first === waiting.length) {
            waiting = [];
            first = 0;
          }
          resolve({ done: false, value });
          wakeWriters();
        } else if (isEnded) finish({ resolve, reject });
        else readers.push({ resolve, reject });
      }),
  };
}
