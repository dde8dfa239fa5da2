/** The processor time that a thread has used. Linux alone tells it while the thread is busy, and to other threads. */
import { readFileSync } from "node:fs";

/** Linux counts in hundredths of a second. @see proc_pid_stat(5) */
const MS_PER_TICK = 10;

/**
 * @param statFile Such as `/proc/1/task/2/stat`.
 * @returns 0 where the thread has ended.
 */
export function threadTimeMs(statFile: string): number {
  try {
    // Time as a user and in the kernel, behind the thread's name in parentheses, which may hold blanks itself.
    const fields = readFileSync(statFile, "latin1").split(") ").at(-1)?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
  } catch {
    return 0;
  }
}
