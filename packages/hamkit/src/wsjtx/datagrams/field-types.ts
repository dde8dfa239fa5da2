/** The types of the members of datagrams: how each is read, checked and written. */
import { ValueError } from "../../errors.js";
import type { DataReader, DataWriter } from "./data-stream.js";
import type { WsjtxColor } from "./datagram.js";

/** A type of members. */
export interface FieldType {
  readonly read: (reader: DataReader) => unknown;
  /** The valid values, as a phrase for errors. */
  readonly expected: string;
  /** Writes a value; `false`, and nothing written, if it is not valid. */
  readonly write: (writer: DataWriter, value: unknown) => boolean;
}

/** @throws {ValueError} The value is not of the type. */
export function writeField(writer: DataWriter, type: FieldType, argument: string, value: unknown): void {
  if (!type.write(writer, value)) throw new ValueError({ argument, value, expected: type.expected });
}

const MAX_UINT32 = 0xffff_ffff;
const MAX_INT32 = 0x7fff_ffff;

export const BOOL: FieldType = {
  read: (reader) => reader.uint8() !== 0,
  expected: "true or false",
  write(writer, value) {
    if (typeof value !== "boolean") return false;
    writer.uint8(value ? 1 : 0);
    return true;
  },
};

export const UINT8 = integerType({
  range: [0, 0xff],
  read: (reader) => reader.uint8(),
  write: (writer, value) => writer.uint8(value),
});

export const UINT32 = integerType({
  range: [0, MAX_UINT32],
  read: (reader) => reader.uint32(),
  write: (writer, value) => writer.uint32(value),
});

export const INT32 = integerType({
  range: [-MAX_INT32 - 1, MAX_INT32],
  read: (reader) => reader.int32(),
  write: (writer, value) => writer.int32(value),
});

export const UINT64 = integerType({
  range: [0, Number.MAX_SAFE_INTEGER],
  read: (reader) => reader.uint64(),
  write: (writer, value) => writer.uint64(value),
});

/** A quint32 whose greatest value stands for none: `null`. */
export const UINT32_OR_NULL: FieldType = {
  read(reader) {
    const value = reader.uint32();
    return value === MAX_UINT32 ? null : value;
  },
  expected: `null or an integer from 0 to ${MAX_UINT32 - 1}`,
  write(writer, value) {
    if (value !== null && !isInteger(value, 0, MAX_UINT32 - 1)) return false;
    writer.uint32(value ?? MAX_UINT32);
    return true;
  },
};

/** A double; `null` for NaN and infinities. */
export const FLOAT64: FieldType = {
  read(reader) {
    const value = reader.float64();
    return Number.isFinite(value) ? value : null;
  },
  expected: "a finite number or null",
  write(writer, value) {
    if (value !== null && (typeof value !== "number" || !Number.isFinite(value))) return false;
    writer.float64(value ?? Number.NaN);
    return true;
  },
};

export const UTF8: FieldType = {
  read: (reader) => reader.utf8(),
  expected: "a string or null",
  write(writer, value) {
    if (value !== null && typeof value !== "string") return false;
    writer.utf8(value);
    return true;
  },
};

/** Color spec of an RGB color; 0 is an invalid color, which stands for none. */
const RGB = 1;

/** A QColor. Its parts have 16 bits, of which the lower eight repeat the upper ones. */
export const COLOR: FieldType = {
  read(reader) {
    const spec = reader.uint8();
    const [a = 0, r = 0, g = 0, b = 0] = Array.from({ length: 5 }, () => reader.uint16() >> 8);
    if (spec === 0) return null;
    // HSV, CMYK and HSL: WSJT-X neither writes nor documents them.
    if (spec !== RGB) reader.failure ??= "out of range";
    return { a, r, g, b } satisfies WsjtxColor;
  },
  expected: "null or a color { a, r, g, b } of integers from 0 to 255",
  write(writer, value) {
    if (value === null) {
      // As Qt writes QColor{}: an opaque nothing.
      writer.uint8(0);
      for (const part of [0xffff, 0, 0, 0, 0]) writer.uint16(part);
      return true;
    }
    if (!isColor(value)) return false;
    writer.uint8(RGB);
    for (const part of [value.a, value.r, value.g, value.b, 0]) writer.uint16(part * 0x101);
    return true;
  },
};

interface IntegerType {
  readonly range: readonly [min: number, max: number];
  readonly read: (reader: DataReader) => number;
  readonly write: (writer: DataWriter, value: number) => void;
}

function integerType({ range: [min, max], read, write }: IntegerType): FieldType {
  return {
    read,
    expected: `an integer from ${min} to ${max}`,
    write(writer, value) {
      if (!isInteger(value, min, max)) return false;
      write(writer, value);
      return true;
    },
  };
}

function isInteger(value: unknown, min: number, max: number): value is number {
  return Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
}

function isColor(value: unknown): value is WsjtxColor {
  if (typeof value !== "object" || value === null) return false;
  const { a, r, g, b } = value as Partial<Record<keyof WsjtxColor, unknown>>;
  return [a, r, g, b].every((part) => isInteger(part, 0, 0xff));
}
