/** Limits repeated warnings to one an hour. */
import { HOUR_MS, type Clock, type Moment } from "./clock.js";

/** The keys of an hour: where there are more, the oldest may be reported again. */
const MAX_KEYS = 1000;

/** Whether a key is due: it has not been in the last hour. It counts from then on. */
export type IsDue = (...key: readonly string[]) => boolean;

export function createHourly({ clock }: { readonly clock: Clock }): IsDue {
  /** When each key was due, in this order. */
  const dueAt = new Map<string, Moment>();
  return (...parts) => {
    const key = JSON.stringify(parts);
    const now = clock.now();
    if (now < (dueAt.get(key) ?? -Infinity) + HOUR_MS) return false;
    dueAt.delete(key);
    dueAt.set(key, now);
    const [oldest] = dueAt.keys();
    if (dueAt.size > MAX_KEYS && oldest !== undefined) dueAt.delete(oldest);
    return true;
  };
}
