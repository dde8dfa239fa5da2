/** A received value in a log message: of bounded length, without characters that a terminal interprets. */

const MAX_LENGTH = 200;

/** @param value `undefined` if it is missing. */
export function quoted(value: string | undefined): string {
  if (value === undefined) return "missing";
  return JSON.stringify(shortened(value, MAX_LENGTH)).replaceAll(/[^\x20-\x7E\u2026]/gu, escaped);
}

/** A text of at most so many characters, and a sign that it was longer. */
export function shortened(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max)}…` : text;
}

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
