/** Times of an import are compared with those of tokens: a clock that is set meanwhile would end them early or late. */
import type { Clock } from "../platform/clock.js";
import { ImportError } from "./import-errors.js";

/** More than corrections by NTP. */
const MAX_JUMP_MS = 2000;

/**
 * Starts the comparison of the clock with elapsed time.
 *
 * @param monotonicMs Elapsed time that no one sets.
 * @returns A check that throws {@link ImportError} if the clock was set since.
 */
export function requireSteadyClock(clock: Clock, monotonicMs = () => performance.now()): () => void {
  const offset = () => clock.now() - monotonicMs();
  const before = offset();
  return () => {
    const jumpMs = offset() - before;
    if (Math.abs(jumpMs) <= MAX_JUMP_MS) return;
    throw new ImportError(
      "import/clock",
      `The clock of this host was set ${Math.abs(jumpMs / 1000).toFixed(0)} s ${jumpMs > 0 ? "forward" : "back"} during the import: nothing was changed, and the import can be repeated`,
    );
  };
}
