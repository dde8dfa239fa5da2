/** Processor time, which a busy machine does not change as it does elapsed time. */
import { openSync, readSync } from "node:fs";

/** Milliseconds of processor time that this process has used, in all of its threads. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** CPU time of this thread in ms, without the garbage collector's threads. From Linux's /proc. */
function threadTime(): () => number {
  const file = openSync("/proc/thread-self/schedstat", "r");
  const buffer = Buffer.alloc(64);
  return () => {
    const length = readSync(file, buffer, 0, buffer.length, 0);
    return Number(buffer.toString("latin1", 0, length).split(" ")[0]) / 1e6;
  };
}

/** Measures the turns of the event loop by the CPU time of this thread, until it is stopped. */
export function watchTurns() {
  const usedMs = threadTime();
  let isRunning = true;
  let longest = 0;
  let used = usedMs();
  const turn = () => {
    const now = usedMs();
    longest = Math.max(longest, now - used);
    used = now;
    if (isRunning) setImmediate(turn);
  };
  setImmediate(turn);
  return {
    /** Of the longest turn since the last call. */
    longestMs(): number {
      const found = longest;
      longest = 0;
      return found;
    },
    stop: () => void (isRunning = false),
  };
}
