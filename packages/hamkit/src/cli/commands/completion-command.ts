/** `hamkit completion`: a shell completion script. */
import { Argument, type Command, type Option } from "commander";

import { completionText } from "../terminal/help-text.js";
import type { Session } from "../session.js";

const SHELLS: readonly Shell[] = ["bash", "zsh", "fish"];

export function defineCompletionCommand(command: Command, session: Session): void {
  command
    .description("Writes a shell script that completes hamkit's commands and options with the Tab key.")
    .addArgument(new Argument("<shell>", "the shell").choices(SHELLS))
    .addHelpText("after", completionText(session.ink))
    .action(async (shell: Shell) => {
      session.print([completionScript(command.parent ?? command, shell)]);
    });
}

/** The supported shells. */
type Shell = "bash" | "fish" | "zsh";

const SCRIPTS: Readonly<Record<Shell, (program: CommandSpec, commands: readonly CommandSpec[]) => string>> = {
  bash: bashScript,
  fish: fishScript,
  zsh: zshScript,
};

/** The script that completes a program's commands and options. */
function completionScript(program: Command, shell: Shell): string {
  const commands = program.createHelp().visibleCommands(program);
  const names = commands.map((command) => command.name());
  return SCRIPTS[shell](
    commandSpecOf(program, []),
    commands.map((command) => commandSpecOf(command, names)),
  );
}

function bashScript(program: CommandSpec, commands: readonly CommandSpec[]): string {
  const names = commands.map(({ name }) => name);
  return `# Completion of hamkit in bash. To load it: eval "$(hamkit completion bash)"
_hamkit() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local command="" words="" index
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "\${COMP_WORDS[index]}" in
      ${names.join("|")}) command="\${COMP_WORDS[index]}"; break ;;
    esac
  done
  COMPREPLY=()
  case "$command $previous" in
${commands.flatMap(valueCases).join("\n")}
  esac
  if [ -z "$words" ]; then
    case "$command" in
      "") words="${[...names, ...flagsOf(program)].join(" ")}" ;;
${commands.map((command) => `      ${command.name}) words="${[...command.choices, ...flagsOf(command)].join(" ")}" ;;`).join("\n")}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _hamkit hamkit`;
}

/** Cases for option values: their choices, or an empty reply, for which bash completes file names. */
function valueCases({ name, options }: CommandSpec): string[] {
  return options
    .filter(({ value }) => value !== undefined)
    .map(({ long, value }) =>
      typeof value === "object"
        ? `    "${name} ${long}") words="${value.join(" ")}" ;;`
        : `    "${name} ${long}") return ;;`,
    );
}

function flagsOf({ options }: CommandSpec): string[] {
  return options.map(({ long }) => long);
}

function fishScript(program: CommandSpec, commands: readonly CommandSpec[]): string {
  return [
    "# Completion of hamkit in fish. To load it: hamkit completion fish > ~/.config/fish/completions/hamkit.fish",
    "complete -c hamkit -f",
    ...program.options.map((option) => `complete -c hamkit -n __fish_use_subcommand ${optionText(option)}`),
    ...commands.map(
      ({ name, summary }) =>
        `complete -c hamkit -n __fish_use_subcommand -a ${name} -d ${quoteFish(summary)}`,
    ),
    ...commands.flatMap(linesOf),
  ].join("\n");
}

function linesOf({ name, options, choices }: CommandSpec): string[] {
  const inCommand = `complete -c hamkit -n ${quoteFish(`__fish_seen_subcommand_from ${name}`)}`;
  const words = choices.length > 0 ? [`${inCommand} -a ${quoteFish(choices.join(" "))}`] : [];
  return [...options.map((option) => `${inCommand} ${optionText(option)}`), ...words];
}

function optionText({ short, long, summary, value }: OptionSpec): string {
  const flags = [...(short === undefined ? [] : [`-s ${short.slice(1)}`]), `-l ${long.slice(2)}`];
  return [...flags, ...valueText(value), `-d ${quoteFish(summary)}`].join(" ");
}

function valueText(value: OptionSpec["value"]): string[] {
  if (value === undefined) return [];
  if (value === "file") return ["-r -F"];
  return value === "text" ? ["-x"] : [`-x -a ${quoteFish(value.join(" "))}`];
}

function quoteFish(text: string): string {
  return `'${text.replaceAll(/[\\']/g, "\\$&")}'`;
}

function zshScript(program: CommandSpec, commands: readonly CommandSpec[]): string {
  return `#compdef hamkit
# Completion of hamkit in zsh. To load it, after compinit: eval "$(hamkit completion zsh)"
_hamkit() {
  local context state state_descr line
  typeset -A opt_args
  local -a commands
  commands=(
${commands.map(({ name, summary }) => `    ${quoteZsh(`${name}:${summary.replaceAll(":", "\\:")}`)}`).join("\n")}
  )
  _arguments -C \\
${program.options.flatMap(argumentsOf).map(indent).join("\n")}
    '1: :->command' \\
    '*:: :->rest'
  case $state in
    command) _describe command commands ;;
    rest)
      case $line[1] in
${commands.map(caseOf).join("\n")}
      esac ;;
  esac
}
if [ "$funcstack[1]" = _hamkit ]; then
  _hamkit "$@"
else
  compdef _hamkit hamkit
fi`;
}

function caseOf({ name, options, choices }: CommandSpec): string {
  const rest = choices.length > 0 ? quoteZsh(`1: :(${choices.join(" ")})`) : "'*: :'";
  const specs = [...options.flatMap(argumentsOf), rest];
  return `        ${name}) _arguments ${specs.join(" ")} ;;`;
}

/** One specification for each spelling of the option. */
function argumentsOf({ short, long, summary, value }: OptionSpec): string[] {
  const text = summary.replaceAll(/[\\[\]:]/g, "\\$&");
  return [short, long].flatMap((flag) =>
    flag === undefined ? [] : [quoteZsh(`${flag}[${text}]${actionOf(value)}`)],
  );
}

function actionOf(value: OptionSpec["value"]): string {
  if (value === undefined) return "";
  if (value === "file") return ":file:_files";
  return value === "text" ? ":value:" : `:value:(${value.join(" ")})`;
}

function indent(spec: string): string {
  return `    ${spec} \\`;
}

function quoteZsh(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A command: name, options, and choices of its first argument. */
interface CommandSpec {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly OptionSpec[];
  /** Choices of the first argument; empty if it is free. */
  readonly choices: readonly string[];
}

interface OptionSpec {
  /** With its hyphens: "-h". */
  readonly short: string | undefined;
  readonly long: string;
  readonly summary: string;
  /** The kind of its value; `undefined` for a flag. */
  readonly value: undefined | "file" | "text" | readonly string[];
}

/** The spec of a command; the choices of `help` are the names of the other commands. */
function commandSpecOf(command: Command, commandNames: readonly string[]): CommandSpec {
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
