/** Warnings of values that a queue has dropped for a slow reader. */

/** What hands out values, and counts those that it dropped. */
interface DroppingQueue {
  readonly dropped: number;
}

/** A flood drops with each value. */
const PAUSE_MS = 5000;

/**
 * A function that warns of what the queue has dropped since the last warning: at once, then after five seconds at the earliest.
 *
 * @param options.what The values, in the plural, such as "spots".
 * @param options.reader Who is too slow, such as "the output".
 */
export function dropWarning(
  queue: DroppingQueue,
  {
    what,
    reader,
    warn,
    now = () => performance.now(),
  }: {
    readonly what: string;
    readonly reader: string;
    readonly warn: (message: string) => void;
    readonly now?: () => number;
  },
): () => void {
  let warned = 0;
  let warnedAt = -Infinity;
  return () => {
    const missed = queue.dropped - warned;
    if (missed === 0 || now() - warnedAt < PAUSE_MS) return;
    warn(`${what} dropped, since ${reader} is too slow: ${missed}`);
    warned = queue.dropped;
    warnedAt = now();
  };
}
