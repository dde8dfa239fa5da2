/**
 * A compact binary format of numbers and texts.
 *
 * Most texts in a token are ids: 32 hexadecimal digits, or 22 characters of base64url (16 bytes). Both are stored as the bytes they
 * encode; other texts as UTF-8. A number takes seven bits per byte.
 */

const UTF8 = 0;
const HEX = 1;
const BASE64URL = 2;

/** Writes values that {@link createUnpacker} reads in the same order. */
export interface Packer {
  /** A whole number from 0 to 2^53 - 1. */
  number(value: number): void;
  text(value: string): void;
  /** The count, then each. */
  texts(values: readonly string[]): void;
  bytes(): Buffer;
}

export interface Unpacker {
  number(): number;
  text(): string;
  texts(): string[];
  isAtEnd(): boolean;
}

/** Truncated bytes, or an invalid value. */
export class UnpackError extends Error {
  override readonly name = "UnpackError";
}

export function createPacker(): Packer {
  const parts: Buffer[] = [];

  function number(value: number): void {
    if (!Number.isSafeInteger(value) || value < 0)
      throw new RangeError(`${value} can't be packed, expected an integer from 0 to 2^53 - 1`);
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

/** Reads the bytes of a {@link createPacker}; each method throws {@link UnpackError} if they hold no such value. */
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
    throw new UnpackError(`Invalid or truncated number at byte ${position}`);
  }

  function text(): string {
    const head = number();
    const start = position;
    position += Math.floor(head / 4);
    if (position > bytes.length) throw new UnpackError(`Truncated text at byte ${start}`);
    return unpackText(bytes, { form: head % 4, start, end: position });
  }

  return {
    number,
    text,
    texts() {
      const count = number();
      // Each text takes at least a byte: a wrong count can't allocate more than the bytes allow.
      if (count > bytes.length - position) throw new UnpackError(`Truncated list at byte ${position}`);
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
  throw new UnpackError(`Unknown form ${form} of a text`);
}
