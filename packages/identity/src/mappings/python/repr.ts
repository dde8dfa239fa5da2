/** Python's `repr`, `str` and `ascii`: how a rule fills an attribute with several values into a text. */

/** `repr` of a string. */
export function reprText(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  if (isPlain(text)) return quote + text + quote;
  return quote + Array.from(text, (character) => escaped(character, quote)).join("") + quote;
}

/** `repr` and `str` of a list: `['a', 'b']`. */
export function reprList(texts: readonly string[]): string {
  return `[${texts.map(reprText).join(", ")}]`;
}

/** `ascii`, from the output of `repr`: non-ASCII characters are escaped too. */
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

/** `str.isprintable`: all but the categories Z (except the space) and C. */
const isPrintable = (character: string): boolean => character === " " || !/^[\p{Z}\p{C}]$/u.test(character);

function byNumber(codePoint: number): string {
  const [letter, length] = codePoint < 0x100 ? ["x", 2] : codePoint < 0x10000 ? ["u", 4] : ["U", 8];
  return `\\${letter}${codePoint.toString(16).padStart(length, "0")}`;
}
