/** Messages between the supervisor and its worker processes. */

export interface StopRequest {
  /** Whether to skip the shutdown delay: for an interrupt from a terminal. */
  readonly isHurried: boolean;
}

export type Message =
  /** To a worker: stop gracefully. */
  | ({ readonly kind: "stop" } & StopRequest)
  /** To a worker: reload files. */
  | { readonly kind: "reload" }
  /** Requests metrics: from the supervisor those of all workers, from a worker its own. */
  | { readonly kind: "collect"; readonly requestId: number }
  /** To the supervisor: the metrics of this worker. */
  | { readonly kind: "counted"; readonly requestId: number; readonly counts: unknown }
  /** To the requesting worker: the metrics of all workers. */
  | { readonly kind: "collected"; readonly requestId: number; readonly counts: readonly unknown[] };

/** @returns `undefined` for other messages on the same channel. */
export function toMessage(received: unknown): Message | undefined {
  return typeof received === "object" && received !== null && "kind" in received
    ? (received as Message)
    : undefined;
}
