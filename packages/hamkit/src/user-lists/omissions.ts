/** What of a list could not be read: counted, and told of once, with the first as an example. */
import type { Logger } from "../io/default-logger.js";
import { showValue } from "../show-value.js";

export interface Omissions {
  count: number;
  /** Where the first one is and what it is, for people. */
  first: string;
}

export function noOmissions(): Omissions {
  return { count: 0, first: "" };
}

/** Counts one more. The value may be anything, so it is shown escaped and shortened. */
export function omit(omissions: Omissions, where: string, value: unknown): void {
  omissions.count++;
  if (omissions.count === 1) omissions.first = `${where}: ${showValue(value)}`;
}

/** Tells of them, if there are any. */
export function warnOfOmissions(logger: Logger, list: string, things: string, omissions: Omissions): void {
  const { count, first } = omissions;
  if (count > 0)
    logger.warn(`${list}: left out ${count} ${things} that can't be read. The first is ${first}`);
}
