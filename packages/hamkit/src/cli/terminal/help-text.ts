/** The sections of `--help` below the options. */
import type { Ink } from "./terminal.js";

export interface Example {
  readonly line: string;
  readonly shows: string;
}

/** Example command lines with descriptions. */
export function examplesText(examples: readonly Example[], ink: Ink): string {
  const width = Math.max(...examples.map(({ line }) => line.length));
  const lines = examples.map(({ line, shows }) => `  ${line.padEnd(width)}  ${ink("dim", shows)}`);
  return `\n${ink("bold", "Examples:")}\n${lines.join("\n")}`;
}

/** The syntax of places. */
export function placesText(ink: Ink): string {
  return `
${ink("bold", "Places:")}
  A valid locator is used as a locator, 48.5,9.3 as latitude and longitude, anything else as a callsign.
  Prefix a callsign that is also a valid locator with call:, as in call:HG73DX. Put -- before places that
  begin with a minus sign.`;
}

/** The exit codes; in every help text. */
export function exitCodesText(ink: Ink): string {
  return `
${ink("bold", "Exit codes:")}
  0  success
  1  not found: a callsign, a pattern, or a frequency outside the bands; a log has problems; other
     arguments have a result
  2  invalid option or argument: a locator, a date, a number; an output file already exists
  3  a file or the network failed`;
}

/** How to install completion; in the main help text. */
export function completionText(ink: Ink): string {
  return `
${ink("bold", "Completion of commands and options with the Tab key:")}
  bash  echo 'eval "$(hamkit completion bash)"' >> ~/.bashrc
  zsh   echo 'eval "$(hamkit completion zsh)"' >> ~/.zshrc      (after compinit)
  fish  hamkit completion fish > ~/.config/fish/completions/hamkit.fish`;
}
