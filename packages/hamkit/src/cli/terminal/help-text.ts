/** What `--help` says below the options. */
import type { Ink } from "./terminal.js";

export interface Example {
  readonly line: string;
  readonly shows: string;
}

/** Example command lines, each with what it shows. */
export function examplesText(examples: readonly Example[], ink: Ink): string {
  const width = Math.max(...examples.map(({ line }) => line.length));
  const lines = examples.map(({ line, shows }) => `  ${line.padEnd(width)}  ${ink("dim", shows)}`);
  return `\n${ink("bold", "Examples:")}\n${lines.join("\n")}`;
}

/** How a place may be given. */
export function placesText(ink: Ink): string {
  return `
${ink("bold", "Places:")}
  A text that is a locator counts as one, anything else as a callsign. For a callsign that looks like a
  locator write call: in front of it, as in call:HG73DX.`;
}

/** What the exit codes mean; below every help. */
export function exitCodesText(ink: Ink): string {
  return `
${ink("bold", "Exit codes:")}
  0  all is answered
  1  something is not known: a callsign, a pattern, or a frequency outside the bands; a log has faults; the
     rest is answered
  2  wrong use, or a value that can't be: a locator, a date, a number; a file is there already
  3  a file or the network failed`;
}

/** How to get completion; below the help of the whole. */
export function completionText(ink: Ink): string {
  return `
${ink("bold", "Completion of commands and options with the Tab key:")}
  bash  echo 'eval "$(hamkit completion bash)"' >> ~/.bashrc
  zsh   echo 'eval "$(hamkit completion zsh)"' >> ~/.zshrc      (after compinit)
  fish  hamkit completion fish > ~/.config/fish/completions/hamkit.fish`;
}
