/** Calls the functions of a worker. The page starts two: what the map and the search need isn't late while a log is being read. */
import type { WorkerFunctions } from "./radio-worker.js";
import type { WorkerRequest, WorkerResponse } from "./worker-messages.js";

/** Each function of the worker; a rejected promise has the message of its error. */
export type WorkerClient = {
  readonly [Name in keyof WorkerFunctions]: (
    ...args: Parameters<WorkerFunctions[Name]>
  ) => Promise<Awaited<ReturnType<WorkerFunctions[Name]>>>;
};

interface PendingCall {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

export function startWorker(name: "map" | "log"): WorkerClient {
  const worker = new Worker(new URL("./radio-worker.ts", import.meta.url), { type: "module", name });
  const pending = new Map<number, PendingCall>();
  let last = 0;

  worker.addEventListener("message", ({ data }: MessageEvent<WorkerResponse>) => {
    const answered = pending.get(data.id);
    pending.delete(data.id);
    if ("error" in data) answered?.reject(new Error(data.error));
    else answered?.resolve(data.value);
  });
  worker.addEventListener("error", ({ message }) => {
    for (const { reject } of pending.values()) reject(new Error(message || "the worker did not load"));
    pending.clear();
  });

  function call(wanted: keyof WorkerFunctions, args: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const request: WorkerRequest = { id: ++last, name: wanted, args };
      pending.set(request.id, { resolve, reject });
      worker.postMessage(
        request,
        args.filter((value) => value instanceof ArrayBuffer),
      );
    });
  }
  return new Proxy({} as WorkerClient, {
    get:
      (_, property) =>
      (...args: unknown[]) =>
        call(property as keyof WorkerFunctions, args),
  });
}
