/** How many failed logins are allowed, and in which time they are forgotten. */

export interface FailureLimit {
  /** Failures at once; from 1 up. */
  readonly failures: number;
  /** Seconds until as many are forgotten, one after the other in equal steps. */
  readonly windowSeconds: number;
}

/** How long one failure counts. */
export function failureMs({ failures, windowSeconds }: FailureLimit): number {
  return Math.ceil((windowSeconds * 1000) / failures);
}

/** How many failures fit, in milliseconds that they count. */
export function capacityMs(limit: FailureLimit): number {
  return failureMs(limit) * limit.failures;
}
