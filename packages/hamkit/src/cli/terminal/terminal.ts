/** What a terminal may be sent: colors where it shows them, and never the control characters of somebody's data. */
import { styleText } from "node:util";

export type Style = "bold" | "cyan" | "dim" | "green" | "red" | "yellow";

/** Text in a style, or as it was where colors are off. */
export type Ink = (style: Style, text: string) => string;

interface Environment {
  readonly [name: string]: string | undefined;
}

/** Colors for a stream: those of `styleText`, or none. */
export function inkFor(stream: { readonly isTerminal: boolean }, env: Environment): Ink {
  if (!hasColors(stream, env)) return (_style, text) => text;
  return (style, text) => styleText(style, text, { validateStream: false });
}

/**
 * Whether a stream takes colors: FORCE_COLOR says so, or else a terminal without NO_COLOR does.
 *
 * @see https://no-color.org, and Node's own reading of FORCE_COLOR, which wins where both are set.
 */
export function hasColors(
  { isTerminal }: { readonly isTerminal: boolean },
  { FORCE_COLOR, NO_COLOR, TERM }: Environment,
): boolean {
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  return isTerminal && !NO_COLOR && TERM !== "dumb";
}

/**
 * Text that is safe to show in one line: control characters, invisible and direction-changing ones, line separators
 * and halves of surrogate pairs are written as escapes.
 */
export function toPrintable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, escapeOf);
}

function escapeOf(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\t") return "\\t";
  const code = character.codePointAt(0) ?? 0;
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`;
}
