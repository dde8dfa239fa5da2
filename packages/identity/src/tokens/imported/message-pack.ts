/**
 * Reads MessagePack, as far as the payloads of Keystone's tokens use it: numbers, texts, bytes, booleans, nil and arrays.
 *
 * Texts are returned as bytes: releases of the Python package before 1.0 wrote both alike.
 *
 * @see https://github.com/msgpack/msgpack/blob/master/spec.md
 */

export type PackedValue = number | boolean | null | Buffer | readonly PackedValue[];

/** Truncated bytes, or a type that no payload has. */
export class MessagePackError extends Error {
  override readonly name = "MessagePackError";
}

const MAX_DEPTH = 4;

type Read = (reader: Reader, depth: number) => PackedValue;

/** By the first byte, for the types that have one of their own. */
const BY_FIRST_BYTE: Readonly<Record<number, Read>> = {
  0xc0: () => null,
  0xc2: () => false,
  0xc3: () => true,
  0xc4: (reader) => reader.bytes(reader.unsigned(1)),
  0xc5: (reader) => reader.bytes(reader.unsigned(2)),
  0xc6: (reader) => reader.bytes(reader.unsigned(4)),
  0xca: (reader) => reader.bytes(4).readFloatBE(),
  0xcb: (reader) => reader.bytes(8).readDoubleBE(),
  0xcc: (reader) => reader.unsigned(1),
  0xcd: (reader) => reader.unsigned(2),
  0xce: (reader) => reader.unsigned(4),
  0xcf: (reader) => toNumber(reader.bytes(8).readBigUInt64BE()),
  0xd0: (reader) => reader.bytes(1).readInt8(),
  0xd1: (reader) => reader.bytes(2).readInt16BE(),
  0xd2: (reader) => reader.bytes(4).readInt32BE(),
  0xd3: (reader) => toNumber(reader.bytes(8).readBigInt64BE()),
  0xd9: (reader) => reader.bytes(reader.unsigned(1)),
  0xda: (reader) => reader.bytes(reader.unsigned(2)),
  0xdb: (reader) => reader.bytes(reader.unsigned(4)),
  0xdc: (reader, depth) => readArray(reader, reader.unsigned(2), depth),
  0xdd: (reader, depth) => readArray(reader, reader.unsigned(4), depth),
};

/** @throws {MessagePackError} Truncated, followed by more bytes, nested too deeply, or of another type. */
export function decodeMessagePack(bytes: Buffer): PackedValue {
  const reader = createReader(bytes);
  const value = readValue(reader, 0);
  if (!reader.isAtEnd()) throw new MessagePackError("bytes after the value");
  return value;
}

type Reader = ReturnType<typeof createReader>;

function createReader(bytes: Buffer) {
  let position = 0;

  function take(length: number): Buffer {
    const start = position;
    position += length;
    if (position > bytes.length) throw new MessagePackError(`truncated value at byte ${start}`);
    return bytes.subarray(start, position);
  }

  return {
    bytes: take,
    unsigned: (length: number): number => take(length).readUIntBE(0, length),
    isAtEnd: () => position === bytes.length,
    left: () => bytes.length - position,
  };
}

function readValue(reader: Reader, depth: number): PackedValue {
  const first = reader.unsigned(1);
  if (first < 0x80) return first;
  if (first >= 0xe0) return first - 0x1_00;
  if (first >= 0xa0 && first < 0xc0) return reader.bytes(first - 0xa0);
  if (first >= 0x90 && first < 0xa0) return readArray(reader, first - 0x90, depth);
  const read = BY_FIRST_BYTE[first];
  if (read === undefined) throw new MessagePackError(`unexpected type 0x${first.toString(16)}`);
  return read(reader, depth);
}

function readArray(reader: Reader, length: number, depth: number): PackedValue[] {
  if (depth >= MAX_DEPTH) throw new MessagePackError(`arrays nested deeper than ${MAX_DEPTH} levels`);
  // Each item takes at least a byte: a wrong length can't allocate more than the bytes allow.
  if (length > reader.left()) throw new MessagePackError(`truncated array of ${length} items`);
  return Array.from({ length }, () => readValue(reader, depth + 1));
}

function toNumber(value: bigint): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new MessagePackError(`${value} exceeds 2^53`);
  return number;
}
