/**
 * Byte texts: binary strings with one character per byte.
 *
 * The lengths in .adi files count bytes, and the text may be in any encoding, or in several. Sliced as byte texts the
 * bytes are preserved; only field values are decoded. Strings are also sliced and searched faster than byte arrays.
 */

/** The byte order mark of UTF-8. */
export const BOM = "\u00EF\u00BB\u00BF";

/** Number of arguments that every engine accepts in one call. */
const CHUNK = 8192;

/** The bytes as a byte text. */
export function toByteText(bytes: Uint8Array): string {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  // Only ASCII has as many characters as bytes; except invalid UTF-8, whose bytes become U+FFFD.
  if (text.length === bytes.length && !text.includes("\uFFFD")) return text;
  const parts: string[] = [];
  for (let index = 0; index < bytes.length; index += CHUNK) {
    parts.push(String.fromCharCode(...bytes.subarray(index, index + CHUNK)));
  }
  return parts.join("");
}

/** The bytes of a byte text. */
export function fromByteText(text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  return bytes.length === text.length ? bytes : codesOf(text);
}

/** Whether a byte text is ASCII, which is the same in every supported encoding. */
export function isAscii(text: string): boolean {
  return !/[\u0080-\u00ff]/.test(text);
}

/**
 * Checks whether a byte text is ASCII between two indexes. For ascending indexes each character is searched once: lengths that cover the
 * rest of a file would have it searched again for each value.
 */
export function createAsciiRange(text: string): (from: number, to: number) => boolean {
  const beyond = /[\u0080-\u00ff]/g;
  let searchedFrom = 0;
  let found = -1;
  return (from, to) => {
    if (from > found || from < searchedFrom) {
      beyond.lastIndex = from;
      searchedFrom = from;
      found = beyond.exec(text)?.index ?? Infinity;
    }
    return found >= to;
  };
}

/** Decodes a byte text as UTF-8, or as Windows-1252 if it is not valid UTF-8. */
export function decode(text: string): string {
  if (isAscii(text)) return text;
  return decodeUtf8(text) ?? decodeWindows1252(text);
}

export function decodeWindows1252(text: string): string {
  return text.replaceAll(
    /[\u0080-\u009f]/g,
    (character) => WINDOWS_1252[character.charCodeAt(0) - 0x80] ?? character,
  );
}

/** Decodes a byte text as UTF-8; `undefined` if it is not valid. */
export function decodeUtf8(text: string): string | undefined {
  const decoded = new TextDecoder("utf-8", { ignoreBOM: true }).decode(codesOf(text));
  return !decoded.includes("\uFFFD") || text.includes("\u00EF\u00BF\u00BD") ? decoded : undefined;
}

/** Encodes a text as a byte text in UTF-8. */
export function encodeUtf8(text: string): string {
  // oxlint-disable-next-line no-control-regex -- ASCII includes control characters
  return /^[\u0000-\u007f]*$/.test(text) ? text : toByteText(new TextEncoder().encode(text));
}

function codesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < bytes.length; index++) bytes[index] = text.charCodeAt(index);
  return bytes;
}

/** 0x80 to 0x9F in Windows-1252; undefined bytes stay. `TextDecoder` of some Node releases decodes them incorrectly. */
const WINDOWS_1252 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";
