/** The tree of commands as completion sees it. */
import type { Command, Option } from "commander";

/** A command as completion sees it. */
export interface CommandSpec {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly OptionSpec[];
  /** The words that the first argument may be; none where it may be anything. */
  readonly choices: readonly string[];
}

export interface OptionSpec {
  /** With its hyphens: "-h". */
  readonly short: string | undefined;
  readonly long: string;
  readonly summary: string;
  /** What comes after it; `undefined` where nothing does. */
  readonly value: undefined | "file" | "text" | readonly string[];
}

/** The words of a command; those of `help` are the names of the others. */
export function commandSpecOf(command: Command, commandNames: readonly string[]): CommandSpec {
  const [first] = command.registeredArguments;
  return {
    name: command.name(),
    summary: command.summary() || command.description(),
    options: command.createHelp().visibleOptions(command).map(optionSpecOf),
    choices: command.name() === "help" ? commandNames : (first?.argChoices ?? []),
  };
}

function optionSpecOf(option: Option): OptionSpec {
  const { short, long, description: summary } = option;
  return { short, long: long ?? "", summary, value: valueOf(option) };
}

function valueOf(option: Option): OptionSpec["value"] {
  if (!option.required && !option.optional) return undefined;
  if (option.argChoices !== undefined) return option.argChoices;
  return option.flags.includes("<path>") ? "file" : "text";
}
