/** RC2 in CBC mode, decryption only (RFC 2268): TQSL's older .p12 files have certificates in it, which OpenSSL 3 no longer reads. */

/** RFC 2268, section 2: the digits of pi. */
const PI = /* @__PURE__ */ bytesOfHex(
  "d978f9c419ddb5ed28e9fd794aa0d89dc67e37832b76538e624c6488448bfba2179a59f587b34f1361456d8d09817d32bd8f40eb86b77b0bf09521225c6b4e82" +
    "54d66593ce60b21c7356c014a78cf1dc1275ca1f3bbee4d1423dd430a33cb6266fbf0eda4669075727f21d9bbc944303f811c7f690ef3ee706c3d52fc8661ed7" +
    "08e8eade8052eef784aa72ac354d6a2a961ad2715a1549744b9fd05e0418a4ecc2e0416e0f51cbcc2491af50a1f47039997c3a8523b8b47afc02365b25559731" +
    "2d5dfa98e38a92ae05df2910676cbac9d300e6cfe19ea82c6316013f58e289a90d38341bab33ffb0bb480c5fb9b1cd2ec5f3db47e5a59c770aa62068fe7fc1ad",
);

function bytesOfHex(text: string): Uint8Array {
  return Uint8Array.from({ length: text.length / 2 }, (_, index) =>
    Number.parseInt(text.slice(2 * index, 2 * index + 2), 16),
  );
}

/** @param bits The effective length of the key. */
export function decryptRc2(data: Uint8Array, key: Uint8Array, iv: Uint8Array, bits: number): Uint8Array {
  const words = expandedKey(key, bits);
  const plain = new Uint8Array(data.length);
  let previous = iv;
  for (let offset = 0; offset + 8 <= data.length; offset += 8) {
    const block = data.subarray(offset, offset + 8);
    const decrypted = decryptBlock(block, words);
    for (let index = 0; index < 8; index++)
      plain[offset + index] = (decrypted[index] as number) ^ (previous[index] as number);
    previous = block;
  }
  const padding = plain.at(-1) ?? 0;
  return padding >= 1 && padding <= 8 ? plain.subarray(0, plain.length - padding) : plain;
}

function expandedKey(key: Uint8Array, bits: number): Uint16Array {
  const bytes = new Uint8Array(128);
  bytes.set(key);
  const length = key.length;
  const effective = Math.ceil(bits / 8);
  const mask = 255 >> (8 * effective - bits);
  for (let index = length; index < 128; index++)
    bytes[index] = PI[((bytes[index - 1] as number) + (bytes[index - length] as number)) & 255] as number;
  bytes[128 - effective] = PI[(bytes[128 - effective] as number) & mask] as number;
  for (let index = 127 - effective; index >= 0; index--)
    bytes[index] = PI[(bytes[index + 1] as number) ^ (bytes[index + effective] as number)] as number;
  return Uint16Array.from(
    { length: 64 },
    (_, index) => (bytes[2 * index] as number) | ((bytes[2 * index + 1] as number) << 8),
  );
}

const SHIFTS = [1, 2, 3, 5];

function decryptBlock(block: Uint8Array, key: Uint16Array): Uint8Array {
  const r = Uint16Array.from(
    { length: 4 },
    (_, index) => (block[2 * index] as number) | ((block[2 * index + 1] as number) << 8),
  );
  const at = (index: number) => r[index & 3] as number;
  let next = 63;
  const mix = () => {
    for (let index = 3; index >= 0; index--) {
      const shift = SHIFTS[index] as number;
      const rotated = (at(index) >> shift) | (at(index) << (16 - shift));
      r[index] =
        rotated -
        (key[next--] as number) -
        (at(index + 3) & at(index + 2)) -
        (~at(index + 3) & at(index + 1));
    }
  };
  const mash = () => {
    for (let index = 3; index >= 0; index--) r[index] = at(index) - (key[at(index + 3) & 63] as number);
  };
  for (let round = 0; round < 5; round++) mix();
  mash();
  for (let round = 0; round < 6; round++) mix();
  mash();
  for (let round = 0; round < 5; round++) mix();
  return Uint8Array.from({ length: 8 }, (_, index) => (at(index >> 1) >> (8 * (index & 1))) & 255);
}
