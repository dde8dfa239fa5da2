/**
 * Byte texts: strings with a character for each byte.
 *
 * The lengths of .adi files count bytes, and their text may be in any encoding, or in several. Cut as byte texts they stay
 * what they are; only values that people read are decoded. Strings are cut and searched faster than arrays of bytes, too.
 */

/** As many arguments as one call may have everywhere. */
const CHUNK = 8192;

/** The bytes as a byte text. */
export function toByteText(bytes: Uint8Array): string {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  // Nothing but ASCII has as many characters as bytes, except for bytes that are no UTF-8: these become U+FFFD.
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

/** Whether a byte text is ASCII, which means the same in every encoding. */
export function isAscii(text: string): boolean {
  return !/[\u0080-\u00ff]/.test(text);
}

/** What a byte text says: UTF-8, or Windows-1252 where it can't be that. */
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

/** What a byte text says in UTF-8; `undefined` where it is none. */
export function decodeUtf8(text: string): string | undefined {
  const decoded = new TextDecoder("utf-8", { ignoreBOM: true }).decode(codesOf(text));
  return !decoded.includes("\uFFFD") || text.includes("\u00EF\u00BF\u00BD") ? decoded : undefined;
}

/** A text as a byte text in UTF-8. */
export function encodeUtf8(text: string): string {
  // oxlint-disable-next-line no-control-regex -- that is what ASCII is
  return /^[\u0000-\u007f]*$/.test(text) ? text : toByteText(new TextEncoder().encode(text));
}

function codesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < bytes.length; index++) bytes[index] = text.charCodeAt(index);
  return bytes;
}

/** 0x80 to 0x9F in Windows-1252. `TextDecoder` of some releases of Node has them wrong; those without a character stay. */
const WINDOWS_1252 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";
