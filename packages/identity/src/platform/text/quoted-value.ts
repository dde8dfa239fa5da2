/** A value of a message, as the log may name it: of bounded length, with nothing in it that a terminal would act on. */

const MAX_LENGTH = 200;

/** @param value `undefined` where the message lacks it. */
export function quoted(value: string | undefined): string {
  if (value === undefined) return "missing";
  const shown = value.length > MAX_LENGTH ? `${value.slice(0, MAX_LENGTH)}…` : value;
  return JSON.stringify(shown).replaceAll(/[^\x20-\x7E…]/gu, escaped);
}

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
