/** A bar on the terminal while something takes its time; nothing anywhere else. */
import type { CommandIo } from "../session.js";

export interface Progress {
  /** So many of the whole are done. */
  show(done: number): void;
  /** Takes the bar away. */
  end(): void;
}

const WIDTH = 30;

/** A bar on standard error. It is drawn again when its percentage changes. */
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
