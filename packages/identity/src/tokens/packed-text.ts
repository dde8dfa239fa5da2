/**
 * Bytes of numbers and texts, one behind the other, as short as what they hold allows.
 *
 * Most texts in a token are ids: 32 hexadecimal digits, or the 22 characters that 16 bytes have in base64. Both are kept as
 * the bytes they stand for, whatever they stand for; anything else as UTF-8. A number takes seven bits to the byte.
 */

const UTF8 = 0;
const HEX = 1;
const BASE64URL = 2;

/** Writes what {@link createUnpacker} reads in the same order. */
export interface Packer {
  /** A whole number from 0 to 2^53 - 1. */
  number(value: number): void;
  text(value: string): void;
  /** How many there are, then each. */
  texts(values: readonly string[]): void;
  bytes(): Buffer;
}

export interface Unpacker {
  number(): number;
  text(): string;
  texts(): string[];
  /** Whether everything was read. */
  isAtEnd(): boolean;
}

/** The bytes ended before what was asked for, or hold a number that can't be one. */
export class UnpackError extends Error {
  override readonly name = "UnpackError";
}

export function createPacker(): Packer {
  const parts: Buffer[] = [];

  function number(value: number): void {
    if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} can't be packed`);
    const bytes: number[] = [];
    for (let rest = value; ; rest = Math.floor(rest / 128)) {
      if (rest < 128) {
        parts.push(Buffer.from([...bytes, rest]));
        return;
      }
      bytes.push((rest % 128) + 128);
    }
  }

  function text(value: string): void {
    const { form, bytes } = shortest(value);
    number(bytes.length * 4 + form);
    parts.push(bytes);
  }

  return {
    number,
    text,
    texts(values) {
      number(values.length);
      for (const value of values) text(value);
    },
    bytes: () => Buffer.concat(parts),
  };
}

function shortest(value: string): { form: number; bytes: Buffer } {
  if (/^(?:[0-9a-f]{2})+$/.test(value)) return { form: HEX, bytes: Buffer.from(value, "hex") };
  if (/^[A-Za-z0-9_-]{21}[AQgw]$/.test(value))
    return { form: BASE64URL, bytes: Buffer.from(value, "base64url") };
  return { form: UTF8, bytes: Buffer.from(value) };
}

/** Reads what a {@link createPacker} wrote; each method throws {@link UnpackError} where there is nothing of the kind. */
export function createUnpacker(bytes: Buffer): Unpacker {
  let position = 0;

  function number(): number {
    let value = 0;
    for (let unit = 1; unit <= 2 ** 49; unit *= 128) {
      const byte = bytes[position++];
      if (byte === undefined) break;
      value += (byte % 128) * unit;
      if (byte < 128) {
        if (!Number.isSafeInteger(value)) break;
        return value;
      }
    }
    throw new UnpackError("The bytes hold no number where one was expected");
  }

  function text(): string {
    const head = number();
    const start = position;
    position += Math.floor(head / 4);
    if (position > bytes.length) throw new UnpackError("The bytes end within a text");
    return unpackText(bytes, { form: head % 4, start, end: position });
  }

  return {
    number,
    text,
    texts() {
      const count = number();
      // Each takes a byte at least, so a wrong count can't ask for more than there is.
      if (count > bytes.length - position) throw new UnpackError("The bytes end within a list");
      return Array.from({ length: count }, text);
    },
    isAtEnd: () => position === bytes.length,
  };
}

interface PackedRange {
  readonly form: number;
  readonly start: number;
  readonly end: number;
}

function unpackText(bytes: Buffer, { form, start, end }: PackedRange): string {
  if (form === HEX) return bytes.toString("hex", start, end);
  if (form === BASE64URL) return bytes.toString("base64url", start, end);
  if (form === UTF8) return bytes.toString("utf8", start, end);
  throw new UnpackError(`There is no form ${form} of a text`);
}
