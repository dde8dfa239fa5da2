/** A worker's link to its supervisor: stop and reload requests, and the metrics of all workers; and their messages. */
import type { MetricsPeers } from "../platform/health/metrics.js";

/** Timeout of the metrics of all workers: longer than the supervisor's. */
const COLLECT_MS = 3000;

/** The IPC channel to the supervisor. */
export interface Channel {
  send(message: Message): unknown;
  on(event: "message", listener: (received: unknown) => void): unknown;
}

export interface WorkerLink extends MetricsPeers {
  /** Whether no worker has served yet: the others are started when this one serves. */
  readonly isFirst: boolean;
  /** Resolves when the supervisor requests a stop. */
  readonly stopped: Promise<StopRequest>;
  /** Registers a function for reload requests. */
  onReload(reload: () => void): void;
  /** Tells the supervisor whether this worker listens only to say what it waits for. */
  setWaiting(isWaiting: boolean): void;
}

export function createWorkerLink(
  { id, isFirst }: Pick<WorkerLink, "id" | "isFirst">,
  channel: Channel,
): WorkerLink {
  const pending = new Map<number, (counts: readonly unknown[]) => void>();
  const reloads: (() => void)[] = [];
  let share: (() => Promise<unknown>) | undefined;
  let lastId = 0;
  let stop: ((request: StopRequest) => void) | undefined;
  const stopped = new Promise<StopRequest>((resolve) => {
    stop = resolve;
  });

  channel.on("message", (received) => {
    const message = toMessage(received);
    if (message?.kind === "stop") stop?.(message);
    if (message?.kind === "reload") for (const reload of reloads) reload();
    if (message?.kind === "collect") void respond(message.requestId);
    if (message?.kind === "collected") pending.get(message.requestId)?.(message.counts);
  });

  async function respond(requestId: number): Promise<void> {
    channel.send({ kind: "counted", requestId, counts: await share?.() });
  }

  return {
    id,
    isFirst,
    stopped,
    onReload: (reload) => void reloads.push(reload),
    setWaiting: (isWaiting) => void channel.send({ kind: "waiting", isWaiting }),
    share(counts) {
      share = counts;
    },
    async collect() {
      const requestId = ++lastId;
      const collected = new Promise<readonly unknown[]>((resolve) => {
        pending.set(requestId, resolve);
        setTimeout(() => resolve([]), COLLECT_MS).unref();
      });
      channel.send({ kind: "collect", requestId });
      const counts = await collected;
      pending.delete(requestId);
      return counts.length > 0 ? counts : [await share?.()];
    },
  };
}

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
  /** To the supervisor: this worker listens, and serves nothing; or does no longer. */
  | { readonly kind: "waiting"; readonly isWaiting: boolean }
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
