/** `hamkit completion`: a shell completion script. */
import { Argument, type Command } from "commander";

import type { Shell } from "../completion/completion-script.js";
import { completionText } from "../terminal/help-text.js";
import type { Session } from "../session.js";

const SHELLS: readonly Shell[] = ["bash", "zsh", "fish"];

export function addCompletionCommand(program: Command, session: Session): void {
  program
    .command("completion")
    .summary("a script for completion in bash, zsh or fish")
    .description("Writes a shell script that completes hamkit's commands and options with the Tab key.")
    .addArgument(new Argument("<shell>", "the shell").choices(SHELLS))
    .addHelpText("after", completionText(session.ink))
    .action(async (shell: Shell) => {
      const { completionScript } = await import("../completion/completion-script.js");
      session.print([completionScript(program, shell)]);
    });
}
