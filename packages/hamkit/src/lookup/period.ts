/** The period in which an entry is valid. */

/** Milliseconds since 1970 in UTC. */
export type Moment = number;

/** A period of whole seconds that includes its first and its last one. An absent end is open. */
export interface Period {
  readonly start?: Moment | undefined;
  readonly end?: Moment | undefined;
}

/** The period without ends. */
export const ALWAYS: Period = Object.freeze({});

const SECOND_MS = 1000;

/** Whether a period includes a moment. */
export function includes({ start, end }: Period, at: Moment): boolean {
  return (start === undefined || at >= start) && (end === undefined || at < end + SECOND_MS);
}
