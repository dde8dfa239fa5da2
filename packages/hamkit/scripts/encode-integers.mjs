/** Writes integers as text: 5 bits a character, the lowest first, in the alphabet of base64url; src/geo/integer-text.ts reads it. */

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** The text of integers from -2^30 to 2^30. The sign is the lowest bit; the sixth bit of a character announces another. */
export function encodeIntegers(integers) {
  let text = "";
  for (const integer of integers) {
    let rest = integer < 0 ? -integer * 2 + 1 : integer * 2;
    for (; rest >= 32; rest = Math.floor(rest / 32)) text += ALPHABET[(rest % 32) + 32];
    text += ALPHABET[rest];
  }
  return text;
}
