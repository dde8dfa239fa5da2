/** Counts the skipped entries of a list, and logs them once with the first as an example. */
import type { Logger } from "../io/default-logger.js";
import { showValue } from "../show-value.js";

export interface Omissions {
  count: number;
  /** Place and value of the first one, for messages. */
  first: string;
}

export function noOmissions(): Omissions {
  return { count: 0, first: "" };
}

/** Counts one more. The value may be anything, so it is escaped and truncated. */
export function omit(omissions: Omissions, where: string, value: unknown): void {
  omissions.count++;
  if (omissions.count === 1) omissions.first = `${where}: ${showValue(value)}`;
}

/** Logs one warning, if entries were skipped. */
export function warnOfOmissions(logger: Logger, list: string, entries: string, omissions: Omissions): void {
  const { count, first } = omissions;
  if (count > 0) logger.warn(`${list}: skipped ${count} ${entries} as invalid, the first is ${first}`);
}
