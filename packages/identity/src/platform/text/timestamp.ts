/** Timestamps of the API: UTC, with microseconds. */
import type { Moment } from "../clock.js";

/** `2026-11-21T02:57:02.000000Z` */
export function formatTimestamp(moment: Moment): string {
  return `${new Date(moment).toISOString().slice(0, -1)}000Z`;
}
