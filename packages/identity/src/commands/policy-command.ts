/** `hamkit-identity policy check`: reads a cloud's policy files, without server and database. */
import { statSync } from "node:fs";

import type { Command } from "commander";

import { checkPolicyTexts, describeProblem, PolicyFileError } from "../policy/load-policy.js";
import { readPolicyTexts, type PolicyText } from "../policy/rules/policy-files.js";

export interface PolicyCommandContext {
  readonly stdout: { write(text: string): unknown };
  /** Sets the exit code, if not success. */
  readonly end: (code: number) => void;
}

export function addPolicyCommand(program: Command, { stdout, end }: PolicyCommandContext): void {
  program
    .command("policy")
    .description("Check policy files of Keystone.")
    .command("check")
    .description(
      "Check policy files, without effect. Prints each problem with file, line and rule, and exits with 1 if there is one.",
    )
    .argument(
      "<path...>",
      "files, and folders with files, such as policy.d; later ones replace rules of earlier ones",
    )
    .action((paths: readonly string[]) => {
      const texts = paths.flatMap(textsIn);
      const { rules, problems } = checkPolicyTexts(texts);
      for (const problem of problems) stdout.write(`${describeProblem(problem)}\n`);
      stdout.write(`Files: ${texts.length}. Rules: ${rules.size}. Problems: ${problems.length}.\n`);
      if (problems.length > 0) end(1);
    });
}

function textsIn(path: string): PolicyText[] {
  try {
    const isFolder = statSync(path).isDirectory();
    return readPolicyTexts(isFolder ? { file: undefined, folders: [path] } : { file: path, folders: [] });
  } catch (cause) {
    throw new PolicyFileError(`"${path}" can't be read`, { cause });
  }
}
