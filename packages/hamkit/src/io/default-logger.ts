/** The logger interface, and the default logger. */

/** The logger methods that hamkit calls. `console` implements them. */
export interface Logger {
  /** Logs a message of one line. */
  warn(message: string): void;
}

interface WarningProcess {
  emitWarning?(message: string, options: { type: string }): void;
}

/** Emits Node's process warnings, which programs can redirect; the console in a browser. */
export const defaultLogger: Logger = {
  warn(message) {
    const { process } = globalThis as { process?: WarningProcess };
    if (process?.emitWarning) process.emitWarning(message, { type: "HamkitWarning" });
    // oxlint-disable-next-line no-console
    else console.warn(message);
  },
};
