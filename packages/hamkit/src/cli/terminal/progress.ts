/** A progress bar, on terminals only. */
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
  if (!stderr.isTerminal || env["TERM"] === "dumb" || total === 0) return { show: () => {}, end: () => {} };
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
