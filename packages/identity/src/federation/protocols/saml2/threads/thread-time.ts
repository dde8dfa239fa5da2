/** The processor time of a thread. Only Linux shows it to other threads, while the thread is busy. */
import { readFileSync } from "node:fs";

/** Linux counts in hundredths of a second. @see proc_pid_stat(5) */
const MS_PER_TICK = 10;

/**
 * @param statFile Such as `/proc/1/task/2/stat`.
 * @returns 0 where the thread has ended.
 */
export function threadTimeMs(statFile: string): number {
  try {
    // User and kernel time, after the thread's name in parentheses, which may contain blanks.
    const fields = readFileSync(statFile, "latin1").split(") ").at(-1)?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
  } catch {
    return 0;
  }
}
