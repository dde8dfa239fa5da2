/**
 * Sends OTLP to a collector of OpenTelemetry, from a thread: clients and servers of HTTP share functions of Node, and V8 makes slower ones
 * where they are called for both. One request in three seconds costs all others of the process a fifth of their time.
 */
import { Worker } from "node:worker_threads";

export interface CollectorSettings {
  /** Takes JSON over HTTP. */
  readonly url: string;
  readonly signal: "traces" | "metrics";
  /** Time of a body, with what is tried again. */
  readonly maxMs: number;
}

export interface CollectorTask {
  readonly id: number;
  readonly body: Uint8Array;
}

export interface CollectorReport {
  readonly id: number;
  /** `undefined` for a success. */
  readonly failure: string | undefined;
}

export interface CollectorSender {
  /** @throws {Error} If the collector does not take it. */
  send(body: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Waits for what is being sent. */
  close(): Promise<void>;
}

/** Next to this file, and next to the bundle that includes this file. */
const THREAD = new URL("./collector-thread.js", import.meta.url);
const THREAD_MEMORY = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 };

/** The thread starts with the first body. It does not keep the process alive while it has nothing to send. */
export function createCollectorSender(settings: CollectorSettings): CollectorSender {
  const waiting = new Map<number, (failure: string | undefined) => void>();
  let thread: Worker | undefined;
  let last = 0;
  let whenIdle: (() => void) | undefined;

  function settle(id: number, failure: string | undefined): void {
    waiting.get(id)?.(failure);
    waiting.delete(id);
    if (waiting.size > 0) return;
    thread?.unref();
    whenIdle?.();
  }

  function startThread(): Worker {
    const started = new Worker(THREAD, { workerData: settings, resourceLimits: THREAD_MEMORY });
    let reason = "it was ended";
    started.on("message", ({ id, failure }: CollectorReport) => settle(id, failure));
    started.on("error", (error: Error) => (reason = error.message));
    started.on("exit", () => {
      if (thread === started) thread = undefined;
      for (const id of waiting.keys()) settle(id, `the sending thread ended: ${reason}`);
    });
    return started;
  }

  return {
    send: (body) =>
      new Promise((resolve, reject) => {
        const task: CollectorTask = { id: ++last, body };
        waiting.set(task.id, (failure) => (failure === undefined ? resolve() : reject(new Error(failure))));
        thread ??= startThread();
        thread.ref();
        thread.postMessage(task, [body.buffer]);
      }),
    async close() {
      if (waiting.size > 0)
        await new Promise<void>((resolve) => {
          whenIdle = resolve;
        });
      await thread?.terminate();
    },
  };
}
