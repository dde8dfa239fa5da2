/** The clock, passed as an argument: no code reads the system time itself. */

/** Milliseconds since 1970 in UTC. */
export type Moment = number;

export interface Clock {
  now(): Moment;
}

export const systemClock: Clock = { now: () => Date.now() };
