/** Colors, and the escaping of control characters in data. */
import { styleText } from "node:util";

export type Style = "bold" | "cyan" | "dim" | "green" | "red" | "yellow";

/** Applies a style; returns the text unchanged without colors. */
export type Ink = (style: Style, text: string) => string;

interface Environment {
  readonly [name: string]: string | undefined;
}

/** The styling function of a stream: `styleText`, or the identity without colors. */
export function inkFor(stream: { readonly isTerminal: boolean }, env: Environment): Ink {
  if (!hasColors(stream, env)) return (_style, text) => text;
  return (style, text) => styleText(style, text, { validateStream: false });
}

/**
 * Whether to use colors on a stream: by FORCE_COLOR, or else on a terminal without NO_COLOR.
 *
 * @see https://no-color.org, and Node's interpretation of FORCE_COLOR, which takes precedence.
 */
export function hasColors(
  { isTerminal }: { readonly isTerminal: boolean },
  { FORCE_COLOR, NO_COLOR, TERM }: Environment,
): boolean {
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  return isTerminal && !NO_COLOR && TERM !== "dumb";
}

/**
 * Text that is safe to print on one line: control and format characters, line separators and lone surrogates are escaped.
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
