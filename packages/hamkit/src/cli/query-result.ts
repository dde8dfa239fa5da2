/** Results of commands that take several arguments: each argument has its own result or error. */
import { EXIT, exitCodeOf, type ExitCode, type Problem } from "./exit-code.js";

/** An argument that failed. */
export interface QueryFailure {
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
