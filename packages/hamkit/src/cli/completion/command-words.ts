/** The tree of commands as completion sees it. */
import type { Command, Option } from "commander";

/** A command as completion sees it. */
export interface CommandWords {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly OptionWords[];
  /** The words that the first argument may be; none where it may be anything. */
  readonly choices: readonly string[];
}

export interface OptionWords {
  /** With its hyphens: "-h". */
  readonly short: string | undefined;
  readonly long: string;
  readonly summary: string;
  /** What comes after it; `undefined` where nothing does. */
  readonly value: undefined | "file" | "text" | readonly string[];
}

/** The words of a command; those of `help` are the names of the others. */
export function wordsOf(command: Command, commandNames: readonly string[]): CommandWords {
  const [first] = command.registeredArguments;
  return {
    name: command.name(),
    summary: command.summary() || command.description(),
    options: command.createHelp().visibleOptions(command).map(optionWordsOf),
    choices: command.name() === "help" ? commandNames : (first?.argChoices ?? []),
  };
}

function optionWordsOf(option: Option): OptionWords {
  const { short, long, description: summary } = option;
  return { short, long: long ?? "", summary, value: valueOf(option) };
}

function valueOf(option: Option): OptionWords["value"] {
  if (!option.required && !option.optional) return undefined;
  if (option.argChoices !== undefined) return option.argChoices;
  return option.flags.includes("<path>") ? "file" : "text";
}
