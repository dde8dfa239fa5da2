/** Extracts from the command tree the data for completion scripts. */
import type { Command, Option } from "commander";

/** A command: name, options, and choices of its first argument. */
export interface CommandSpec {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly OptionSpec[];
  /** Choices of the first argument; empty if it is free. */
  readonly choices: readonly string[];
}

export interface OptionSpec {
  /** With its hyphens: "-h". */
  readonly short: string | undefined;
  readonly long: string;
  readonly summary: string;
  /** The kind of its value; `undefined` for a flag. */
  readonly value: undefined | "file" | "text" | readonly string[];
}

/** The spec of a command; the choices of `help` are the names of the other commands. */
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
