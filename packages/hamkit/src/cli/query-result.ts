/** Commands that take several questions answer each on its own: with what is known, or with what went wrong. */
import { EXIT, exitCodeOf, type ExitCode, type Problem } from "./exit-code.js";

/** A question that got no answer. */
export interface QueryFailure {
  /** The question as it was asked. */
  readonly input: string;
  readonly error: Problem;
}

export type QueryResult<Known extends { readonly input: string }> = Known | QueryFailure;

export function isFailure(answer: { readonly input: string }): answer is QueryFailure {
  return "error" in answer;
}

/** The exit code of several answers: that of the gravest problem, since the numbers grow with gravity. */
export function worstExitCode(answers: readonly { readonly input: string }[]): ExitCode {
  return answers.reduce<ExitCode>((worst, answer) => {
    const code = isFailure(answer) ? exitCodeOf(answer.error) : EXIT.success;
    return code > worst ? code : worst;
  }, EXIT.success);
}

/**
 * What people are told of unanswered questions: the message where there was only one question, else how many there
 * were, since the table shows which.
 */
export function errorLines(answers: readonly { readonly input: string }[], nouns: string): string[] {
  const unanswered = answers.filter(isFailure);
  const [first] = unanswered;
  if (first === undefined) return [];
  return [
    answers.length === 1
      ? first.error.message
      : `no answer for ${unanswered.length} of ${answers.length} ${nouns}`,
  ];
}
