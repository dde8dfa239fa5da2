/** Where messages go when nobody gave a logger. */

/** The part of a logger that hamkit calls. `console` is one. */
export interface Logger {
  /** Takes a message of one line. */
  warn(message: string): void;
}

interface WarningProcess {
  emitWarning?(message: string, options: { type: string }): void;
}

/** Node's process warnings where there are any, so that programs can redirect them; else the console. */
export const defaultLogger: Logger = {
  warn(message) {
    const { process } = globalThis as { process?: WarningProcess };
    if (process?.emitWarning) process.emitWarning(message, { type: "HamkitWarning" });
    // A browser has no other place for a warning.
    // oxlint-disable-next-line no-console
    else console.warn(message);
  },
};
