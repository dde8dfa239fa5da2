/** How a run ends: the exit code that belongs to each kind of failure. */
import { isHamkitError, type HamkitErrorCode } from "../errors.js";

export const EXIT = {
  /** Everything that was asked is answered. */
  answered: 0,
  /** Something is not known; the rest is answered. */
  notKnown: 1,
  /** The command line is wrong, or a value in it. */
  wrongInput: 2,
  /** A file or the network failed. */
  unreachable: 3,
  /** A defect of hamkit's own; the number is EX_SOFTWARE of sysexits.h. */
  defect: 70,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Lasting codes of the command line, beside those of the library. */
export type ProblemCode =
  HamkitErrorCode | "command-line/wrong-use" | "lookup/invalid-operation" | "internal/defect";

/** What went wrong, as JSON answers have it. */
export interface Problem {
  readonly code: ProblemCode;
  readonly message: string;
}

const EXIT_OF: Readonly<Record<ProblemCode, ExitCode>> = {
  "api-key/missing": EXIT.ioError,
  "argument/invalid": EXIT.usage,
  "argument/no-text": EXIT.usage,
  "argument/wrong-type": EXIT.usage,
  "callsign/none-in-text": EXIT.usage,
  "command-line/wrong-use": EXIT.usage,
  "country-file/unreadable": EXIT.ioError,
  "frequency/outside-bands": EXIT.notFound,
  "internal/defect": EXIT.defect,
  "io/failed": EXIT.ioError,
  "io/timed-out": EXIT.ioError,
  "io/unreadable-answer": EXIT.ioError,
  "locator/malformed": EXIT.usage,
  "log-xml/unreadable": EXIT.ioError,
  "log/unreadable": EXIT.ioError,
  "lookup/invalid-operation": EXIT.notFound,
  "lookup/no-match": EXIT.notFound,
  "lookup/unsupported": EXIT.usage,
  "login/refused": EXIT.ioError,
  "position/out-of-range": EXIT.usage,
  "user-list/unreadable": EXIT.ioError,
};

/** The command line, or a value in it, can't be used. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly code = "command-line/wrong-use";
}

/** What went wrong, of anything that was thrown. */
export function problemOf(failure: unknown): Problem {
  if (failure instanceof UsageError || isHamkitError(failure)) {
    return { code: failure.code, message: failure.message };
  }
  return { code: "internal/defect", message: `a defect of hamkit: ${String(failure)}` };
}

export function exitCodeOf({ code }: Problem): ExitCode {
  return EXIT_OF[code];
}
