/** What every command gets: the world around it, and the ways to answer. */
import { EXIT, type ExitCode } from "./exit-code.js";
import { inkFor, toPrintable, type Ink } from "./terminal/terminal.js";

/** The world of a command, so that none reaches for the process. */
export interface CommandIo {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly stdin: () => AsyncIterable<Uint8Array | string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => Date;
}

export interface OutputStream {
  write(text: string): unknown;
  /** Waits until it takes more. `false` once its reader has gone: what writes without end stops then. */
  ready(): Promise<boolean>;
  readonly isTerminal: boolean;
  /** Width of the terminal in characters, where it is known. */
  readonly columns: number | undefined;
}

/** What a command has to say, for both kinds of reader. */
export interface Report {
  /** For programs: the one JSON document. */
  readonly document: object;
  /** For people: lines whose data is printable already. */
  readonly lines: () => readonly string[];
  /** For people, on standard error: what could not be answered, a line each. */
  readonly errors?: readonly string[];
  readonly exitCode?: ExitCode;
}

/** One run of the command line. */
export interface Session {
  readonly io: CommandIo;
  /** Colors as standard output takes them. */
  readonly ink: Ink;
  /** Runs another command line in the same world. */
  readonly run: (argv: readonly string[]) => Promise<ExitCode>;
  /** Writes lines of text to standard output. */
  readonly print: (lines: readonly string[]) => void;
  /** Writes a report in the form that was asked for, and finishes with its exit code. */
  readonly present: (report: Report, options: { readonly json?: boolean }) => void;
  /** A line on standard error. */
  readonly warn: (message: string) => void;
  /** Says how the run ends, unless something is thrown. */
  readonly finish: (exitCode: ExitCode) => void;
  /** How the run ends, as far as was said. */
  readonly exitCode: () => ExitCode;
  /** Something to be done when the run is over, such as closing a connection. */
  readonly onClose: (task: () => unknown) => void;
  /** Does that. */
  readonly end: () => Promise<void>;
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
    present({ document, lines, errors = [], exitCode: code = EXIT.success }, { json = false }) {
      if (json) print([toJson(document)]);
      else {
        print(lines());
        for (const complaint of errors) writeDiagnostic(io, "error", complaint);
      }
      exitCode = code;
    },
    finish: (code) => {
      exitCode = code;
    },
    warn: (message) => writeDiagnostic(io, "warning", message),
    exitCode: () => exitCode,
    onClose: (task) => tasks.push(task),
    async end() {
      await Promise.allSettled(tasks.map(async (task) => task()));
    },
  };
}

/** One line on standard error, whatever is in the message. */
export function writeDiagnostic(io: CommandIo, kind: "error" | "warning", message: string): void {
  const ink = inkFor(io.stderr, io.env);
  io.stderr.write(`${ink(kind === "error" ? "red" : "yellow", `${kind}:`)} ${toPrintable(message)}\n`);
}

/** A document as JSON, with everything escaped that a terminal could take for a command. In one line without indent. */
export function toJson(document: object, indent = 2): string {
  const text = JSON.stringify(document, null, indent);
  return text.replaceAll(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    // By UTF-16 units, as JSON has it.
    character.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
  );
}
