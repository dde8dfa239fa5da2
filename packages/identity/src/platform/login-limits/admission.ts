/**
 * Admission of login attempts: one begins when every limit that it counts for has room even if all attempts in flight fail.
 *
 * If only attempts in flight are in the way it waits, because good ones cost nothing; if failures alone are, it is refused.
 * Waiting attempts of one lane (an account from one network) begin in the order of their arrival, and lanes take turns, so
 * that a lane with hundreds of attempts keeps no other waiting.
 */
import { capacityMs, failureMs, type FailureLimit } from "./failure-limit.js";
import type { SharedExpiries } from "./shared-expiries.js";

/** Failures that are counted under one key. */
export interface Counter {
  /** Which of the limits it is, for refusals. */
  readonly name: string;
  readonly key: string;
  readonly limit: FailureLimit;
  /** Attempts in flight at most, apart from failures; any number if left out. */
  readonly maxInFlight?: number;
}

/** Attempts that share a number of places in flight. */
export interface Pool {
  readonly name: string;
  readonly maxInFlight: number;
}

/** What an attempt counts for. */
export interface Plan {
  readonly pool: Pool;
  readonly counters: readonly Counter[];
  /** Attempts of one lane wait in line. */
  readonly lane: string;
  /** Where it counts while it waits, and how many may wait there at a time. */
  readonly waitingRooms: readonly WaitingRoom[];
}

export interface WaitingRoom {
  readonly key: string;
  readonly maxWaiting: number;
}

/** How an attempt ended. Only a failure costs: `unknown` is where an error kept it from being found out. */
export type AttemptResult = "succeeded" | "failed" | "unknown";

/** An attempt that has begun. */
export interface Admission {
  /** To be called once. */
  end(result: AttemptResult): void;
}

export interface Refusal {
  /** The limit's name; `waiting` where too many wait, or this one for too long. */
  readonly limit: string;
  readonly key: string;
  /** Whole seconds from 1 up. */
  readonly retryAfterSeconds: number;
  /** Seconds in which the limit forgets all failures. */
  readonly windowSeconds: number;
}

export interface AdmissionsOptions {
  readonly failures: SharedExpiries;
  readonly maxWaitMs: number;
}

export interface Admissions {
  /**
   * @param plan Asked again each time that the attempt may begin: what it counts for may change while it waits.
   * @param onSuccess Called when the attempt succeeds, before waiting attempts are admitted.
   */
  admit(plan: () => Plan, onSuccess?: () => void): Promise<Admission | Refusal>;
  /** How many wait. */
  readonly waiting: number;
  /** How many have begun to wait so far. */
  readonly waited: number;
}

interface Waiter {
  readonly plan: () => Plan;
  readonly rooms: readonly WaitingRoom[];
  readonly onSuccess: () => void;
  readonly settle: (result: Admission | Refusal) => void;
  readonly timer: NodeJS.Timeout;
}

export function isRefusal(result: Admission | Refusal): result is Refusal {
  return "limit" in result;
}

export function createAdmissions({ failures, maxWaitMs }: AdmissionsOptions): Admissions {
  /** By name of pool, and by key of counter. */
  const inFlight = createTally();
  /** By key of waiting room. */
  const waitingIn = createTally();
  /** In the order of their turns. */
  const lanes = new Map<string, Set<Waiter>>();
  let waiting = 0;
  let waited = 0;

  function isFull({ name, maxInFlight }: Pool): boolean {
    return inFlight.get(name) >= maxInFlight;
  }

  /** Whether the attempts in flight leave no room, as all of them may fail. */
  function isTaken({ key, limit, maxInFlight = Infinity }: Counter): boolean {
    const count = inFlight.get(key);
    return (
      count >= maxInFlight || failures.remainingMs(key) + failureMs(limit) * (count + 1) > capacityMs(limit)
    );
  }

  /** By the limit that keeps it waiting longest, where failures alone leave no room. */
  function refusalOf({ counters }: Plan): Refusal | undefined {
    let longest: Refusal | undefined;
    for (const { name, key, limit } of counters) {
      const overMs = failures.remainingMs(key) + failureMs(limit) - capacityMs(limit);
      const retryAfterSeconds = Math.ceil(overMs / 1000);
      if (retryAfterSeconds > (longest?.retryAfterSeconds ?? 0))
        longest = { limit: name, key, retryAfterSeconds, windowSeconds: limit.windowSeconds };
    }
    return longest;
  }

  function begin({ pool, counters }: Plan, onSuccess: () => void): Admission {
    const places = [pool.name, ...counters.map(({ key }) => key)];
    for (const place of places) inFlight.add(place, 1);
    return {
      end(result) {
        if (result === "succeeded") onSuccess();
        if (result === "failed")
          for (const { key, limit } of counters) failures.extend(key, failureMs(limit));
        for (const place of places) inFlight.add(place, -1);
        admitWaiting();
      },
    };
  }

  /** One of each lane in turn: a lane that has had its turn comes last, and is met again. */
  function admitWaiting(): void {
    for (const [lane, waiters] of lanes) admitFirst(lane, waiters);
  }

  function admitFirst(lane: string, waiters: Set<Waiter>): void {
    for (const waiter of waiters) {
      const plan = waiter.plan();
      if (isFull(plan.pool)) return;
      const refusal = refusalOf(plan);
      if (refusal === undefined && plan.counters.some(isTaken)) return;
      leave(lane, waiter);
      waiter.settle(refusal ?? begin(plan, waiter.onSuccess));
      if (refusal !== undefined) continue;
      if (lanes.delete(lane)) lanes.set(lane, waiters);
      return;
    }
  }

  function leave(lane: string, waiter: Waiter): void {
    clearTimeout(waiter.timer);
    waiting--;
    for (const { key } of waiter.rooms) waitingIn.add(key, -1);
    const waiters = lanes.get(lane);
    waiters?.delete(waiter);
    if (waiters?.size === 0) lanes.delete(lane);
  }

  function wait(plan: () => Plan, onSuccess: () => void): Promise<Admission | Refusal> {
    const { lane, waitingRooms: rooms } = plan();
    const tooMany: Refusal = { limit: "waiting", key: "waiting", retryAfterSeconds: 1, windowSeconds: 60 };
    if (rooms.some(({ key, maxWaiting }) => waitingIn.get(key) >= maxWaiting))
      return Promise.resolve(tooMany);
    waiting++;
    waited++;
    for (const { key } of rooms) waitingIn.add(key, 1);
    return new Promise((settle) => {
      const timer = setTimeout(() => {
        leave(lane, waiter);
        settle(tooMany);
      }, maxWaitMs);
      const waiter: Waiter = { plan, rooms, onSuccess, settle, timer };
      const waiters = lanes.get(lane) ?? new Set();
      lanes.set(lane, waiters.add(waiter));
    });
  }

  return {
    async admit(plan, onSuccess = () => {}) {
      const planned = plan();
      const refusal = refusalOf(planned);
      if (refusal !== undefined) return refusal;
      const mustWait = lanes.has(planned.lane) || isFull(planned.pool) || planned.counters.some(isTaken);
      return mustWait ? wait(plan, onSuccess) : begin(planned, onSuccess);
    },
    get waiting() {
      return waiting;
    },
    get waited() {
      return waited;
    },
  };
}

/** Counts of keys; those at 0 are not kept. */
function createTally() {
  const counts = new Map<string, number>();
  return {
    get: (key: string) => counts.get(key) ?? 0,
    add(key: string, change: number) {
      const count = (counts.get(key) ?? 0) + change;
      if (count === 0) counts.delete(key);
      else counts.set(key, count);
    },
  };
}
