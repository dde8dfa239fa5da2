/** Reads lines of vertices from text. Integers have 5 bits a character, the lowest first, in the alphabet of base64url. */

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Lines of longitude, latitude, longitude, ...: in the text the number of vertices, the first vertex, and differences. */
export function decodeLines(text: string): Int32Array[] {
  const integers = decodeIntegers(text);
  const lines: Int32Array[] = [];
  for (let at = 0; at < integers.length;) {
    const end = at + 1 + 2 * (integers[at] ?? 0);
    const line = integers.slice(at + 1, end);
    for (let i = 2; i < line.length; i++) line[i] = (line[i] ?? 0) + (line[i - 2] ?? 0);
    lines.push(line);
    at = end;
  }
  return lines;
}

/** The integers of a text that scripts/encode-integers.mjs wrote: the lowest bit of each is its sign. */
function decodeIntegers(text: string): Int32Array {
  const valueOf = new Uint8Array(128);
  for (let i = 0; i < ALPHABET.length; i++) valueOf[ALPHABET.charCodeAt(i)] = i;
  const integers = new Int32Array(text.length);
  let count = 0;
  let value = 0;
  let shift = 0;
  for (let i = 0; i < text.length; i++) {
    const bits = valueOf[text.charCodeAt(i)] ?? 0;
    value |= (bits & 31) << shift;
    shift += 5;
    if (bits >= 32) continue;
    integers[count++] = (value & 1) === 0 ? value >>> 1 : -(value >>> 1);
    value = 0;
    shift = 0;
  }
  return integers.subarray(0, count);
}
