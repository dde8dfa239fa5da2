/** Text as Python writes it: what becomes of an attribute with several values where one text is asked for. */

/** A text in quotes, as `repr` writes it. */
export function reprText(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  if (isPlain(text)) return quote + text + quote;
  return quote + Array.from(text, (character) => escaped(character, quote)).join("") + quote;
}

/** A list of texts, as `repr` and `str` write it: `['a', 'b']`. */
export function reprList(texts: readonly string[]): string {
  return `[${texts.map(reprText).join(", ")}]`;
}

/** As `ascii` writes what `repr` has written: everything else escaped too. */
export function asciiOnly(written: string): string {
  return written.replaceAll(/[^\0-\u007f]/gu, (character) => byNumber(character.codePointAt(0) ?? 0));
}

const isPlain = (text: string): boolean => /^[ -&(-[\]-~]*$/.test(text);

const CONTROL = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\\", "\\\\"],
]);

function escaped(character: string, quote: string): string {
  if (character === quote) return `\\${quote}`;
  const control = CONTROL.get(character);
  if (control !== undefined) return control;
  return isPrintable(character) ? character : byNumber(character.codePointAt(0) ?? 0);
}

/** What `str.isprintable` says: everything but separators other than the space, and "other" characters. */
const isPrintable = (character: string): boolean => character === " " || !/^[\p{Z}\p{C}]$/u.test(character);

function byNumber(codePoint: number): string {
  const [letter, length] = codePoint < 0x100 ? ["x", 2] : codePoint < 0x10000 ? ["u", 4] : ["U", 8];
  return `\\${letter}${codePoint.toString(16).padStart(length, "0")}`;
}
