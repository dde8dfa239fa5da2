/** When an entry of a database holds. */

/** A moment as the tables compare it: milliseconds since 1970 in UTC. */
export type Moment = number;

/** When an entry holds, by whole seconds; the first and the last belong to it. Left out: from ever, for ever. */
export interface Period {
  readonly start?: Moment | undefined;
  readonly end?: Moment | undefined;
}

/** From ever, for ever. */
export const ALWAYS: Period = Object.freeze({});

const SECOND_MS = 1000;

/** Whether a moment lies in a period. */
export function holds({ start, end }: Period, at: Moment): boolean {
  return (start === undefined || at >= start) && (end === undefined || at < end + SECOND_MS);
}
