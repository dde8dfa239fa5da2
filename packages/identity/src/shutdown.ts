/** How a service stops: it is announced, then requests in flight are completed, and then it ends in any case. */
import { setTimeout as delay } from "node:timers/promises";

import type { App } from "./app.js";

/** How long requests in flight may take to complete, and all that is closed after them. */
const STOP_MS = 10_000;

/**
 * @param delayMs How long requests are still accepted after the announcement, with `/readyz` at 503.
 * @returns Whether all completed.
 */
export async function shutDown(
  app: Pick<App, "announceStop">,
  close: () => Promise<void>,
  delayMs: number,
): Promise<boolean> {
  app.announceStop();
  await delay(delayMs);
  const end = new AbortController();
  const late = delay(STOP_MS, false, { signal: end.signal }).catch(() => false);
  const isDone = await Promise.race([close().then(() => true), late]);
  end.abort();
  return isDone;
}
