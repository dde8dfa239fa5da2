/** Shows the progress of an import on standard error: a bar with the time left on a terminal, else a line now and then. */
import type { Clock, Moment } from "@hamkit/identity/import-support/storage";

import type { ImportProgress } from "../import-run.js";

export interface ProgressOutput {
  readonly stderr: { write(text: string): unknown };
  readonly isInteractive: boolean;
  readonly clock: Clock;
}

const BAR_WIDTH = 30;
/** How often a bar and a line are written. */
const BAR_MS = 200;
const LINE_MS = 5000;

export function createProgressBar({ stderr, isInteractive, clock }: ProgressOutput) {
  const startedAt = clock.now();
  let shownAt: Moment = startedAt;
  const everyMs = isInteractive ? BAR_MS : LINE_MS;
  return {
    show(progress: ImportProgress): void {
      const now = clock.now();
      if (now - shownAt < everyMs) return;
      shownAt = now;
      const text = describeProgress(progress, now - startedAt);
      stderr.write(isInteractive ? `\r\u001B[K${text}` : `${text}\n`);
    },
    end(): void {
      if (isInteractive) stderr.write("\r\u001B[K");
    },
  };
}

/** `[#####     ] 52 %, 520,000 of 1,000,000 rows, 12 s left: assignment` */
export function describeProgress({ table, done, total }: ImportProgress, elapsedMs: number): string {
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const bar = "#".repeat(Math.round(share * BAR_WIDTH)).padEnd(BAR_WIDTH);
  const leftSeconds = share === 0 ? undefined : Math.ceil((elapsedMs * (1 / share - 1)) / 1000);
  const left = leftSeconds === undefined ? "" : `, ${durationText(leftSeconds)} left`;
  const rows = `${done.toLocaleString("en")} of ${Math.max(done, total).toLocaleString("en")} rows`;
  return `[${bar}] ${Math.floor(share * 100)} %, ${rows}${left}: ${table}`;
}

function durationText(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}
