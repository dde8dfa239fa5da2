/** A received value in a log message: of bounded length, without characters that a terminal interprets. */

const MAX_LENGTH = 200;
/** Of sentences: Entra ID's have some 400 characters. */
const MAX_WORDS_LENGTH = 500;

/** @param value `undefined` if it is missing. */
export function quoted(value: string | undefined): string {
  if (value === undefined) return "missing";
  return JSON.stringify(shortened(value, MAX_LENGTH)).replaceAll(/[^\x20-\x7E\u2026]/gu, escaped);
}

/**
 * Sentences of another party, in any language: runs of white space become one space, and characters are escaped that a terminal
 * interprets or that no one sees.
 *
 * @example
 * quotedWords("Zugriff für \u001B[31mkim\r\nverweigert"); // => '"Zugriff für \\u{1b}[31mkim verweigert"'
 */
export function quotedWords(text: string, max = MAX_WORDS_LENGTH): string {
  // Bounded before it is searched.
  const line = text
    .slice(0, 4 * max)
    .replaceAll(/\s+/g, " ")
    .trim();
  const safe = shortened(line, max).replaceAll(/["\\]/g, String.raw`\$&`);
  return `"${safe.replaceAll(UNSEEN, escaped)}"`;
}

const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** A text of at most so many characters, and a sign that it was longer. */
export function shortened(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max)}…` : text;
}

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
