/** What an examination finds. */

/** One line: what was looked at, how it is, and, unless it is well, what to do. */
export interface Finding {
  readonly state: "ok" | "warning" | "failure";
  /** What was looked at, in a word or two. */
  readonly subject: string;
  readonly text: string;
}

/** Looks at one thing. */
export type Check = () => Promise<readonly Finding[]> | readonly Finding[];

export function ok(subject: string, text: string): Finding {
  return { state: "ok", subject, text };
}

/** The service runs, yet not as it should. */
export function warning(subject: string, text: string): Finding {
  return { state: "warning", subject, text };
}

/** The service does not run like this. */
export function failure(subject: string, text: string): Finding {
  return { state: "failure", subject, text };
}
