/** What the processes that serve, and the one that looks after them, say to each other. */

/** How the service is to stop. */
export interface StopRequest {
  /** Whether it stops listening at once, without the delay that is set: it was interrupted from a terminal. */
  readonly isHurried: boolean;
}

export type Message =
  /** To a worker: end in good order. */
  | ({ readonly kind: "stop" } & StopRequest)
  /** To a worker: read files again. */
  | { readonly kind: "reload" }
  /** To the supervisor: what has everybody counted? To a worker: what have you? */
  | { readonly kind: "collect"; readonly question: number }
  /** To the supervisor: what this worker has counted. */
  | { readonly kind: "counted"; readonly question: number; readonly counts: unknown }
  /** To the worker that asked. */
  | { readonly kind: "collected"; readonly question: number; readonly counts: readonly unknown[] };

/** Other things may be said on the same channel. */
export function toMessage(said: unknown): Message | undefined {
  return typeof said === "object" && said !== null && "kind" in said ? (said as Message) : undefined;
}
