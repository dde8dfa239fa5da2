/** Completion script for bash 3.2 and later. */
import type { CommandSpec } from "./command-spec.js";

export function bashScript(program: CommandSpec, commands: readonly CommandSpec[]): string {
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
