/** Processor time, which a busy machine does not change as it does elapsed time. */

/** Milliseconds of processor time that this process has used, in all of its threads. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
