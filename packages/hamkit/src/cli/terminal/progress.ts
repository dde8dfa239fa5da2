/** A progress bar and a sign of life, on terminals only. */
import type { CommandIo } from "../session.js";

export interface Progress {
  /** Shows the number of finished items. */
  show(done: number): void;
  /** Removes the bar. */
  end(): void;
}

const WIDTH = 30;

/** A bar on standard error, redrawn when its percentage changes. */
export function createProgress({ stderr, env }: CommandIo, label: string, total: number): Progress {
  if (!canRedraw({ stderr, env }) || total === 0) return { show: () => {}, end: () => {} };
  let shown = -1;
  return {
    show(done) {
      const percent = Math.floor((done / total) * 100);
      if (percent === shown) return;
      shown = percent;
      const full = Math.floor((done / total) * WIDTH);
      stderr.write(`\r${label} [${"#".repeat(full)}${" ".repeat(WIDTH - full)}] ${percent} %`);
    },
    end() {
      if (shown >= 0) stderr.write("\r\u001B[K");
    },
  };
}

/** Before this, a line would only flicker. */
const PATIENCE_MS = 300;

/**
 * The value of a task; while it takes longer than a moment, a line on standard error says what is waited for, with one more dot
 * each second.
 */
export async function withStatus<Value>(
  { stderr, env }: Pick<CommandIo, "stderr" | "env">,
  label: string,
  task: Promise<Value>,
): Promise<Value> {
  if (!canRedraw({ stderr, env })) return task;
  let isShown = false;
  let timer = setTimeout(() => {
    isShown = true;
    stderr.write(`${label} .`);
    timer = setInterval(() => stderr.write("."), 1000);
  }, PATIENCE_MS);
  try {
    return await task;
  } finally {
    clearTimeout(timer); // of an interval too
    if (isShown) stderr.write("\r\u001B[K");
  }
}

function canRedraw({ stderr, env }: Pick<CommandIo, "stderr" | "env">): boolean {
  return stderr.isTerminal && env["TERM"] !== "dumb";
}
