/** Completion script for fish. */
import type { CommandSpec, OptionSpec } from "./command-spec.js";

export function fishScript(program: CommandSpec, commands: readonly CommandSpec[]): string {
  return [
    "# Completion of hamkit in fish. To load it: hamkit completion fish > ~/.config/fish/completions/hamkit.fish",
    "complete -c hamkit -f",
    ...program.options.map((option) => `complete -c hamkit -n __fish_use_subcommand ${optionText(option)}`),
    ...commands.map(
      ({ name, summary }) => `complete -c hamkit -n __fish_use_subcommand -a ${name} -d ${quote(summary)}`,
    ),
    ...commands.flatMap(linesOf),
  ].join("\n");
}

function linesOf({ name, options, choices }: CommandSpec): string[] {
  const inCommand = `complete -c hamkit -n ${quote(`__fish_seen_subcommand_from ${name}`)}`;
  const words = choices.length > 0 ? [`${inCommand} -a ${quote(choices.join(" "))}`] : [];
  return [...options.map((option) => `${inCommand} ${optionText(option)}`), ...words];
}

function optionText({ short, long, summary, value }: OptionSpec): string {
  const flags = [...(short === undefined ? [] : [`-s ${short.slice(1)}`]), `-l ${long.slice(2)}`];
  return [...flags, ...valueText(value), `-d ${quote(summary)}`].join(" ");
}

function valueText(value: OptionSpec["value"]): string[] {
  if (value === undefined) return [];
  if (value === "file") return ["-r -F"];
  return value === "text" ? ["-x"] : [`-x -a ${quote(value.join(" "))}`];
}

function quote(text: string): string {
  return `'${text.replaceAll(/[\\']/g, "\\$&")}'`;
}
