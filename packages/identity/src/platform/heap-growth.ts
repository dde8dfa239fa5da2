/** The heap's growth: requests retain little memory. */
import { performance } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/**
 * Has V8 collect garbage before the heap grows: by default it first grows to twice the live size, and to 32 MB of new objects. For all
 * threads of the process. Before Node 24, the start of a thread resets the first flag: so each thread calls this again.
 *
 * V8 then makes machine code of hot functions alone, not the slow kind of all that run a few times: 3 MB, for no time of requests.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--heap-growing-percent=15");
  setFlagsFromString("--no-sparkplug");
}

/** Ends {@link limitHeapGrowth}, for a command that makes much garbage and ends soon. */
export function allowHeapGrowth(): void {
  setFlagsFromString("--semi-space-growth-factor=2");
  setFlagsFromString("--heap-growing-percent=100");
  setFlagsFromString("--sparkplug");
}

/**
 * Bytes for new objects, in both halves of their space. In the 2 MB of a new process, garbage collection takes up to a fifth of the
 * time of a request.
 */
const NEW_SPACE_BYTES = 4 * 2 ** 20;
const CHECK_MS = 1000;
/** Of the event loop's time: from here on, new objects need their space. */
const ACTIVE = 0.2;
/** From here on, V8 doesn't optimize for size, which would cost throughput. */
const BUSY = 0.5;
/** Ends the attempts, should V8 not grow. */
const MAX_ATTEMPTS = 100;

/**
 * Keeps the main thread's space for new objects at the size at which garbage collection takes little of a request's time. V8 shrinks it
 * when the process is idle, and grows it only where many new objects stay alive: it is grown again when requests come.
 *
 * While the process is not busy, V8 optimizes for size: it collects old objects sooner, and moves those of more pages together. The heap
 * is 2 to 4 MB smaller under a mixed load, for a tenth of the little time that requests take then.
 */
export function adaptHeapToLoad(): void {
  growNewSpace();
  let before = performance.eventLoopUtilization();
  setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    if (utilization > ACTIVE) growNewSpace();
    setFlagsFromString(utilization > BUSY ? "--no-optimize-for-size" : "--optimize-for-size");
    before = now;
  }, CHECK_MS).unref();
}

function growNewSpace(): void {
  if (isGrown()) return;
  setFlagsFromString("--semi-space-growth-factor=2");
  let alive: object[] = [];
  for (let attempt = 0; attempt < MAX_ATTEMPTS && !isGrown(); attempt++)
    alive = alive.slice(-30_000).concat(Array.from({ length: 5_000 }, () => ({})));
  limitHeapGrowth();
}

/** By the half that new objects are in: Node 26 counts the other one when it has been used. Each page has a header. */
function isGrown(): boolean {
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
  return space !== undefined && space.space_used_size + space.space_available_size > 0.45 * NEW_SPACE_BYTES;
}
