/** Waits that an `AbortSignal` ends, and the check of the option `timeoutMs`. */
import { ValueError } from "../errors.js";

/** The maximum delay of a timer. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** @throws {ValueError} The option is set, but is not a number from 1 to 2147483647. */
export function checkTimeout(timeoutMs: unknown): void {
  const isTime = typeof timeoutMs === "number" && timeoutMs >= 1 && timeoutMs <= MAX_TIMEOUT_MS;
  if (timeoutMs === undefined || isTime) return;
  const expected = `a number of milliseconds from 1 to ${MAX_TIMEOUT_MS}`;
  throw new ValueError({ argument: "timeoutMs", value: timeoutMs, expected });
}

/** Resolves after a time, or when the signal is aborted. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener("abort", end, { once: true });
  });
}
