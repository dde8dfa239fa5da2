/**
 * Traces of requests: which work a request led to, and how long each took. Off unless a tracer is set: {@link traced} then calls its work,
 * and nothing else. This module loads no library; `otlp-tracer.ts` does, on demand.
 */

/** Kinds of work that are spans of a request. */
export type TracedWork =
  /** A query; its text has no values. */
  | "query"
  /** A request to another server; its method and host. */
  | "request"
  /** An operation on a directory. */
  | "directory"
  /** A hash of a password is made or compared. */
  | "password"
  /** A message of SAML is read in a thread. */
  | "saml";

export interface Tracer {
  traced<Result>(work: TracedWork, detail: string, run: () => Promise<Result>): Promise<Result>;
  /** Headers for a request of the current work, so that the server it goes to continues the trace. */
  headers(): Readonly<Record<string, string>>;
}

let tracer: Tracer | undefined;

/** For the process; `undefined` to trace nothing. */
export function setTracer(next: Tracer | undefined): void {
  tracer = next;
}

/** Runs work as a span of the request that it is done for, if that is traced. */
export function traced<Result>(
  work: TracedWork,
  detail: string,
  run: () => Promise<Result>,
): Promise<Result> {
  return tracer === undefined ? run() : tracer.traced(work, detail, run);
}

const NO_HEADERS = {};

/** W3C Trace Context of the current work; empty if it is not traced. */
export function traceHeaders(): Readonly<Record<string, string>> {
  return tracer === undefined ? NO_HEADERS : tracer.headers();
}
