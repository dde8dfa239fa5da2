/** Wakes one that waits. A ring that comes before is kept. */
import { setTimeout as delay } from "node:timers/promises";

export interface Bell {
  ring(): void;
  /** Resolves at the next ring, after a time, or when stopped; at once, if it has rung since the last time. */
  heard(ms: number, stop: AbortSignal): Promise<void>;
}

export function createBell(): Bell {
  let rung = new AbortController();
  return {
    ring: () => rung.abort(),
    async heard(ms, stop) {
      await delay(ms, undefined, { signal: AbortSignal.any([stop, rung.signal]) }).catch(() => {});
      rung = new AbortController();
    },
  };
}
