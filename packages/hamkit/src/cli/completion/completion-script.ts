/** Generates completion scripts from the command tree. */
import type { Command } from "commander";

import { bashScript } from "./completion-bash.js";
import { fishScript } from "./completion-fish.js";
import { zshScript } from "./completion-zsh.js";
import { commandSpecOf, type CommandSpec } from "./command-spec.js";

/** The supported shells. */
export type Shell = "bash" | "fish" | "zsh";

const SCRIPTS: Readonly<Record<Shell, (program: CommandSpec, commands: readonly CommandSpec[]) => string>> = {
  bash: bashScript,
  fish: fishScript,
  zsh: zshScript,
};

/** The script that completes a program's commands and options. */
export function completionScript(program: Command, shell: Shell): string {
  const commands = program.createHelp().visibleCommands(program);
  const names = commands.map((command) => command.name());
  return SCRIPTS[shell](
    commandSpecOf(program, []),
    commands.map((command) => commandSpecOf(command, names)),
  );
}
