/** Collects the problems of a log, with a limit: a hostile file has millions. */
import type { LogProblem } from "./log.js";

/** Problems beyond this are only counted. */
const MAX_PROBLEMS = 1000;

export interface ProblemList {
  readonly problems: LogProblem[];
  problemCount: number;
}

export function noProblems(): ProblemList {
  return { problems: [], problemCount: 0 };
}

export function addProblem(list: ProblemList, problem: LogProblem): void {
  if (list.problemCount < MAX_PROBLEMS) list.problems.push(problem);
  list.problemCount++;
}
