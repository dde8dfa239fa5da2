/** A received value in a log message: of bounded length, without characters that a terminal interprets. */

const MAX_LENGTH = 200;

/** @param value `undefined` if it is missing. */
export function quoted(value: string | undefined): string {
  if (value === undefined) return "missing";
  const shown = value.length > MAX_LENGTH ? `${value.slice(0, MAX_LENGTH)}…` : value;
  return JSON.stringify(shown).replaceAll(/[^\x20-\x7E\u2026]/gu, escaped);
}

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
