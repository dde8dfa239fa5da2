/** Times that callers give for waiting. */
import { ValueError } from "../errors.js";

/** The longest that timers can wait. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** @throws {ValueError} The option `timeoutMs` is there, and no time that can be waited for. */
export function checkTimeout(timeoutMs: unknown): void {
  const isTime = typeof timeoutMs === "number" && timeoutMs >= 1 && timeoutMs <= MAX_TIMEOUT_MS;
  if (timeoutMs === undefined || isTime) return;
  const expected = `a number of milliseconds from 1 to ${MAX_TIMEOUT_MS}`;
  throw new ValueError({ argument: "timeoutMs", value: timeoutMs, expected });
}
