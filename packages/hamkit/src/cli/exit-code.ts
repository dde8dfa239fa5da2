/** Exit codes, and the mapping from error codes to exit codes. */
import { isHamkitError, type HamkitErrorCode } from "../errors.js";

export const EXIT = {
  /** All arguments have a result. */
  success: 0,
  /** An argument was not found, or a log has problems; the rest has a result. */
  notFound: 1,
  /** An option or argument is invalid. */
  usage: 2,
  /** A file or the network failed. */
  ioError: 3,
  /** An internal error of hamkit; EX_SOFTWARE of sysexits.h. */
  defect: 70,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Stable error codes of the command line, in addition to those of the library. */
export type ProblemCode =
  | HamkitErrorCode
  | "command-line/wrong-use"
  | "lookup/invalid-operation"
  | "internal/defect";

/** An error in JSON output. */
export interface Problem {
  readonly code: ProblemCode;
  readonly message: string;
}

const EXIT_OF: Readonly<Record<ProblemCode, ExitCode>> = {
  "api-key/missing": EXIT.ioError,
  "argument/invalid": EXIT.usage,
  "argument/no-text": EXIT.usage,
  "argument/wrong-type": EXIT.usage,
  "award-rule/malformed": EXIT.ioError,
  "contest-rule/malformed": EXIT.ioError,
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
  "reference-list/unreadable": EXIT.ioError,
  "user-list/unreadable": EXIT.ioError,
};

/** An option or argument is invalid. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly code = "command-line/wrong-use";
}

/** The problem of any thrown value. */
export function problemOf(failure: unknown): Problem {
  if (failure instanceof UsageError || isHamkitError(failure)) {
    return { code: failure.code, message: failure.message };
  }
  return { code: "internal/defect", message: `internal error of hamkit: ${String(failure)}` };
}

export function exitCodeOf({ code }: Problem): ExitCode {
  return EXIT_OF[code];
}

/** An argument that failed. */
interface QueryFailure {
  /** The argument as it was given. */
  readonly input: string;
  readonly error: Problem;
}

export type QueryResult<Known extends { readonly input: string }> = Known | QueryFailure;

export function isFailure(result: { readonly input: string }): result is QueryFailure {
  return "error" in result;
}

/** The exit code of several results: the highest one, since the codes are ordered by severity. */
export function worstExitCode(results: readonly { readonly input: string }[]): ExitCode {
  return results.reduce<ExitCode>((worst, result) => {
    const code = isFailure(result) ? exitCodeOf(result.error) : EXIT.success;
    return code > worst ? code : worst;
  }, EXIT.success);
}

/** The lines on standard error: the message of a single argument, else the number of failures, which the table shows. */
export function errorLines(results: readonly { readonly input: string }[], nouns: string): string[] {
  const failures = results.filter(isFailure);
  const [first] = failures;
  if (first === undefined) return [];
  if (results.length === 1) return [first.error.message];
  return [`no result for ${failures.length} of ${results.length} ${nouns}`];
}
