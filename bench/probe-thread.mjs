/** Sends a request again and again from a thread of its own, so that what the sender of a benchmark parses holds nothing up. */
import { setTimeout } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";

const PROBE_MS = 5;

const end = new AbortController();
parentPort.once("message", () => end.abort());

const ask = async () => {
  const start = performance.now();
  await (await fetch(workerData)).text();
  return performance.now() - start;
};
// Opens the connection.
await ask();
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- Threads have no origins.
parentPort.postMessage("begun");
let longest = 0;
while (!end.signal.aborted) {
  longest = Math.max(longest, await ask());
  await setTimeout(PROBE_MS);
}
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- Threads have no origins.
parentPort.postMessage(longest);
