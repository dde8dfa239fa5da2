/** One action on many things: some requests at a time, each failure with its reason. */
import { messageOf } from "../api/errors.ts";

/** Requests under way at once: other clients have room beside them. */
const MAX_RUNNING = 4;

export interface Failed<Row> {
  readonly row: Row;
  readonly reason: string;
}

/**
 * Runs an action on each row. A failure doesn't stop the others; after an abort no further one is begun.
 *
 * @param onprogress Called with the number of rows that are finished.
 */
export async function runOnEach<Row>(
  rows: readonly Row[],
  action: (row: Row) => Promise<unknown>,
  { signal, onprogress }: { readonly signal: AbortSignal; readonly onprogress: (count: number) => void },
): Promise<{ readonly done: readonly Row[]; readonly failed: readonly Failed<Row>[] }> {
  const done: Row[] = [];
  const failed: Failed<Row>[] = [];
  const waiting = [...rows];

  async function work(): Promise<void> {
    for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) {
      if (signal.aborted) {
        failed.push({ row, reason: "not begun: stopped before" });
        continue;
      }
      try {
        await action(row);
        done.push(row);
      } catch (error) {
        failed.push({ row, reason: messageOf(error) });
      }
      onprogress(done.length + failed.length);
    }
  }

  await Promise.all(Array.from({ length: MAX_RUNNING }, work));
  return { done, failed };
}
