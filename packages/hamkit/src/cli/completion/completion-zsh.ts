/** Completion script for zsh. */
import type { CommandSpec, OptionSpec } from "./command-spec.js";

export function zshScript(program: CommandSpec, commands: readonly CommandSpec[]): string {
  return `#compdef hamkit
# Completion of hamkit in zsh. To load it, after compinit: eval "$(hamkit completion zsh)"
_hamkit() {
  local context state state_descr line
  typeset -A opt_args
  local -a commands
  commands=(
${commands.map(({ name, summary }) => `    ${quote(`${name}:${summary.replaceAll(":", "\\:")}`)}`).join("\n")}
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
  const rest = choices.length > 0 ? quote(`1: :(${choices.join(" ")})`) : "'*: :'";
  const specs = [...options.flatMap(argumentsOf), rest];
  return `        ${name}) _arguments ${specs.join(" ")} ;;`;
}

/** One specification for each spelling of the option. */
function argumentsOf({ short, long, summary, value }: OptionSpec): string[] {
  const text = summary.replaceAll(/[\\[\]:]/g, "\\$&");
  return [short, long].flatMap((flag) =>
    flag === undefined ? [] : [quote(`${flag}[${text}]${actionOf(value)}`)],
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

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
