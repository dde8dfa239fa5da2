/** The time of day, as an argument: nothing reads it from the world by itself. */

/** Milliseconds since 1970 in UTC. */
export type Moment = number;

/** Tells the time. */
export interface Clock {
  now(): Moment;
}

/** The clock of this computer. */
export const systemClock: Clock = { now: () => Date.now() };
