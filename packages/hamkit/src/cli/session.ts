/** The session of one run: input, output, exit code and cleanup for a command. */
import { EXIT, type ExitCode } from "./exit-code.js";
import type { Keyring } from "./databases/keyring.js";
import type { QuestionOptions } from "./terminal/ask.js";
import { inkFor, toPrintable, type Ink } from "./terminal/terminal.js";

/** Streams, environment and clock; commands don't access the process. */
export interface CommandIo {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly stdin: () => AsyncIterable<Uint8Array | string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => Date;
  /** @throws {IOError} There is none. */
  readonly keyring: () => Promise<Keyring>;
  /** Asks the user; absent where standard input is no terminal. */
  readonly ask: ((question: string, options: QuestionOptions) => Promise<string>) | undefined;
}

export interface OutputStream {
  write(text: string): unknown;
  /** Waits until the stream accepts more. `false` if its reader has closed it: endless output must stop then. */
  ready(): Promise<boolean>;
  readonly isTerminal: boolean;
  /** Width of the terminal in characters, if known. */
  readonly columns: number | undefined;
}

/** The output of a command, in both formats. */
export interface Report {
  /** The JSON document for `--json`; read only then. */
  readonly document: object;
  /** The text output; data in it is already printable. */
  readonly lines: () => readonly string[];
  /** Lines on standard error, in text output only. */
  readonly errors?: readonly string[];
  readonly exitCode?: ExitCode;
}

/** One run of the command line. */
export interface Session {
  readonly io: CommandIo;
  /** Styles text for standard output. */
  readonly ink: Ink;
  /** Runs another command line with the same streams. */
  readonly run: (argv: readonly string[]) => Promise<ExitCode>;
  /** Writes lines of text to standard output. */
  readonly print: (lines: readonly string[]) => void;
  /** Writes a report as text or JSON, and sets its exit code. */
  readonly present: (report: Report, options: { readonly json?: boolean }) => void;
  /** Writes a warning to standard error. */
  readonly warn: (message: string) => void;
  /** Sets the exit code; a thrown error takes precedence. */
  readonly finish: (exitCode: ExitCode) => void;
  /** The exit code set so far. */
  readonly exitCode: () => ExitCode;
  /** Registers a cleanup task, such as closing a connection. */
  readonly atEnd: (task: () => unknown) => void;
  /** Runs the cleanup tasks. */
  readonly close: () => Promise<void>;
}

/** The session of one run. */
export function createSession(io: CommandIo, run: Session["run"]): Session {
  let exitCode: ExitCode = EXIT.success;
  const tasks: (() => unknown)[] = [];
  const print = (lines: readonly string[]) => {
    if (lines.length > 0) io.stdout.write(`${lines.join("\n")}\n`);
  };
  return {
    io,
    ink: inkFor(io.stdout, io.env),
    run,
    print,
    present(report, { json = false }) {
      const { errors = [], exitCode: code = EXIT.success } = report;
      if (json) print([toJson(report.document)]);
      else {
        print(report.lines());
        for (const error of errors) writeDiagnostic(io, "error", error);
      }
      exitCode = code;
    },
    finish: (code) => {
      exitCode = code;
    },
    warn: (message) => writeDiagnostic(io, "warning", message),
    exitCode: () => exitCode,
    atEnd: (task) => tasks.push(task),
    async close() {
      await Promise.allSettled(tasks.map(async (task) => task()));
    },
  };
}

/** Writes one line to standard error; control characters in the message are escaped. */
export function writeDiagnostic(io: CommandIo, kind: "error" | "warning", message: string): void {
  const ink = inkFor(io.stderr, io.env);
  io.stderr.write(`${ink(kind === "error" ? "red" : "yellow", `${kind}:`)} ${toPrintable(message)}\n`);
}

/** A document as JSON, with all characters escaped that could control a terminal; on one line with `indent` 0. */
export function toJson(document: object, indent = 2): string {
  const text = JSON.stringify(document, null, indent);
  return text.replaceAll(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    // By UTF-16 units, as in JSON.
    character.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
  );
}
