/** Findings of the doctor's checks. */

/** One line of output: the subject, its state and, unless ok, a remedy. */
export interface Finding {
  readonly state: "ok" | "warning" | "failure";
  /** The checked item, in a word or two. */
  readonly subject: string;
  readonly text: string;
}

export type Check = () => Promise<readonly Finding[]> | readonly Finding[];

export function ok(subject: string, text: string): Finding {
  return { state: "ok", subject, text };
}

/** The service works, but should be fixed. */
export function warning(subject: string, text: string): Finding {
  return { state: "warning", subject, text };
}

/** The service does not work. */
export function failure(subject: string, text: string): Finding {
  return { state: "failure", subject, text };
}
