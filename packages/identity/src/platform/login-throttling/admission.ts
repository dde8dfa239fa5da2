/**
 * Admission control of login attempts: an attempt is admitted if every limit it counts for would hold even if all attempts in
 * flight failed.
 *
 * If only attempts in flight prevent that, it is queued, because successful ones cost nothing; if past failures do, it is refused.
 * Queued attempts are FIFO per lane (an account from one network), and lanes are served round-robin, so that a long lane does
 * not starve others.
 */
import type { SharedExpiries } from "./shared-expiries.js";

/** A limit on failures counted under one key. */
export interface Counter {
  /** The name of the limit, for refusals. */
  readonly name: string;
  readonly key: string;
  readonly limit: FailureLimit;
  /** Attempts in flight, independent of failures; unlimited by default. */
  readonly maxInFlight?: number;
}

/** Attempts that share a limit on attempts in flight. */
export interface Pool {
  readonly name: string;
  readonly maxInFlight: number;
}

/** The limits that apply to an attempt. */
export interface Plan {
  readonly pool: Pool;
  readonly counters: readonly Counter[];
  /** Queued attempts of one lane are FIFO. */
  readonly lane: string;
  /** Limits on queued attempts that it counts for. */
  readonly queueLimits: readonly QueueLimit[];
}

export interface QueueLimit {
  readonly key: string;
  readonly maxWaiting: number;
}

/** The result of an attempt. Only a failure counts; `unknown` means that an error prevented the check. */
export type AttemptResult = "succeeded" | "failed" | "unknown";

/** An admitted attempt. */
export interface Admission {
  /** Call it exactly once. */
  end(result: AttemptResult): void;
}

export interface Refusal {
  /** The name of the limit; `waiting` if the queue is full, or the wait timed out. */
  readonly limit: string;
  readonly key: string;
  /** Whole seconds, >= 1. */
  readonly retryAfterSeconds: number;
  /** Seconds until all failures of the limit expire. */
  readonly windowSeconds: number;
}

export interface AdmissionsOptions {
  readonly failures: SharedExpiries;
  readonly maxWaitMs: number;
}

export interface Admissions {
  /**
   * @param plan Evaluated again on each try: the applicable limits may change while the attempt is queued.
   * @param onSuccess Called when the attempt succeeds, before queued attempts are admitted.
   */
  admit(plan: () => Plan, onSuccess?: () => void): Promise<Admission | Refusal>;
  /** Queued attempts. */
  readonly waiting: number;
  /** Total of attempts queued so far. */
  readonly waited: number;
}

interface Waiter {
  readonly plan: () => Plan;
  readonly queueLimits: readonly QueueLimit[];
  readonly onSuccess: () => void;
  readonly settle: (result: Admission | Refusal) => void;
  readonly timer: NodeJS.Timeout;
}

export function isRefusal(result: Admission | Refusal): result is Refusal {
  return "limit" in result;
}

export function createAdmissions({ failures, maxWaitMs }: AdmissionsOptions): Admissions {
  /** By pool name, and by counter key. */
  const inFlight = createTally();
  /** By key of queue limit. */
  const queued = createTally();
  /** In round-robin order. */
  const lanes = new Map<string, Set<Waiter>>();
  let waiting = 0;
  let waited = 0;

  function isFull({ name, maxInFlight }: Pool): boolean {
    return inFlight.get(name) >= maxInFlight;
  }

  /** Whether the limit would be exceeded if all attempts in flight failed. */
  function isTaken({ key, limit, maxInFlight = Infinity }: Counter): boolean {
    const count = inFlight.get(key);
    return (
      count >= maxInFlight || failures.remainingMs(key) + failureMs(limit) * (count + 1) > capacityMs(limit)
    );
  }

  /** Refuses by the limit with the longest delay, if past failures exhaust one. */
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
    const keys = [pool.name, ...counters.map(({ key }) => key)];
    for (const key of keys) inFlight.add(key, 1);
    return {
      end(result) {
        if (result === "succeeded") onSuccess();
        if (result === "failed")
          for (const { key, limit } of counters) failures.extend(key, failureMs(limit));
        for (const key of keys) inFlight.add(key, -1);
        admitWaiting();
      },
    };
  }

  /** Round-robin: a served lane moves to the end, and the iteration visits it again. */
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
    for (const { key } of waiter.queueLimits) queued.add(key, -1);
    const waiters = lanes.get(lane);
    waiters?.delete(waiter);
    if (waiters?.size === 0) lanes.delete(lane);
  }

  function wait(plan: () => Plan, onSuccess: () => void): Promise<Admission | Refusal> {
    const { lane, queueLimits } = plan();
    const tooMany: Refusal = { limit: "waiting", key: "waiting", retryAfterSeconds: 1, windowSeconds: 60 };
    if (queueLimits.some(({ key, maxWaiting }) => queued.get(key) >= maxWaiting))
      return Promise.resolve(tooMany);
    waiting++;
    waited++;
    for (const { key } of queueLimits) queued.add(key, 1);
    return new Promise((settle) => {
      const timer = setTimeout(() => {
        leave(lane, waiter);
        settle(tooMany);
      }, maxWaitMs);
      const waiter: Waiter = { plan, queueLimits, onSuccess, settle, timer };
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

/** Counters by key; zeros are not stored. */
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

/** A limit on failed logins: a leaky bucket of failures that expire over a window. */

export interface FailureLimit {
  /** Burst of failures; >= 1. */
  readonly failures: number;
  /** Seconds until that many failures expire, one by one at equal intervals. */
  readonly windowSeconds: number;
}

/** Time that one failure adds. */
function failureMs({ failures, windowSeconds }: FailureLimit): number {
  return Math.ceil((windowSeconds * 1000) / failures);
}

/** The capacity of the bucket, in milliseconds. */
function capacityMs(limit: FailureLimit): number {
  return failureMs(limit) * limit.failures;
}
