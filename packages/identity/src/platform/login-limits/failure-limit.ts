/** A limit on failed logins: a leaky bucket of failures that expire over a window. */

export interface FailureLimit {
  /** Burst of failures; >= 1. */
  readonly failures: number;
  /** Seconds until that many failures expire, one by one at equal intervals. */
  readonly windowSeconds: number;
}

/** Time that one failure adds. */
export function failureMs({ failures, windowSeconds }: FailureLimit): number {
  return Math.ceil((windowSeconds * 1000) / failures);
}

/** The capacity of the bucket, in milliseconds. */
export function capacityMs(limit: FailureLimit): number {
  return failureMs(limit) * limit.failures;
}
