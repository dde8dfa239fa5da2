/**
 * The worker of live spots: connects to the page's server, or to services that the user has turned on, and sends what arrives in
 * batches. The page's own policy forbids connections to other servers; this worker makes them, and knows nothing but the locator.
 */
import type { LiveMessage, LiveOutput, LiveRequest, LiveSpot } from "./live-spot.js";

const BATCH_MS = 250;
/** A message with more would hold up the page. */
const MAX_BATCH = 400;

let waiting: LiveSpot[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;
let running: AbortController | undefined;

addEventListener("message", ({ data }: MessageEvent<LiveRequest>) => void start(data));

/** Ends what was running before. */
async function start(request: LiveRequest): Promise<void> {
  running?.abort();
  running = new AbortController();
  const { signal } = running;
  const output: LiveOutput = { signal, send: (message) => postMessage(message), sendSpot };
  try {
    if (request.kind === "server") {
      const { readServer } = await import("./read-server-events.js");
      readServer(request.url, output);
    } else {
      const { readDirectly } = await import("./direct-sources.js");
      if (!signal.aborted) await readDirectly(request, output);
    }
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    if (!signal.aborted)
      postMessage({ kind: "source", source: { source: "Live", state: "failed", problem } });
  }
}

function sendSpot(spot: LiveSpot): void {
  waiting.push(spot);
  // What the page would drop at once.
  if (waiting.length > 5000) waiting = waiting.slice(-5000);
  timer ??= setTimeout(flush, BATCH_MS);
}

function flush(): void {
  const spots = waiting.slice(0, MAX_BATCH);
  waiting = waiting.slice(MAX_BATCH);
  timer = waiting.length > 0 ? setTimeout(flush, BATCH_MS / 2) : undefined;
  postMessage({ kind: "spots", spots } satisfies LiveMessage);
}
