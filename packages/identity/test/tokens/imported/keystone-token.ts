/** Makes tokens as Keystone does: MessagePack by its specification, encrypted with a Fernet key. */
import { encryptFernet, toFernetKey } from "../../../src/tokens/fernet.js";

/** A number of a double has a point, in Python. */
export interface Double {
  readonly double: number;
}

export type Packable = number | boolean | string | null | Buffer | Double | readonly Packable[];

/** Python's msgpack 1.0 and later; before, bytes were packed as text. */
export type PackStyle = "present" | "before 1.0";

/** An id as Keystone packs it: 32 hexadecimal digits as bytes. */
export function pairOf(id: string): Packable {
  return /^[0-9a-f]{32}$/.test(id) ? [true, Buffer.from(id, "hex")] : [false, id];
}

export function pack(value: Packable, style: PackStyle = "present"): Buffer {
  if (value === null) return Buffer.from([0xc0]);
  if (typeof value === "boolean") return Buffer.from([value ? 0xc3 : 0xc2]);
  if (typeof value === "number") return packNumber(value);
  if (typeof value === "string") return packText(Buffer.from(value));
  if (Buffer.isBuffer(value))
    return style === "present" ? Buffer.concat([Buffer.from([0xc4, value.length]), value]) : packText(value);
  if ("double" in value) {
    const bytes = Buffer.from([0xcb, 0, 0, 0, 0, 0, 0, 0, 0]);
    bytes.writeDoubleBE(value.double, 1);
    return bytes;
  }
  return Buffer.concat([Buffer.from([0x90 + value.length]), ...value.map((item) => pack(item, style))]);
}

function packNumber(value: number): Buffer {
  if (value < 128) return Buffer.from([value]);
  const bytes = Buffer.from([0xcf, 0, 0, 0, 0, 0, 0, 0, 0]);
  bytes.writeBigUInt64BE(BigInt(value), 1);
  return bytes;
}

function packText(text: Buffer): Buffer {
  const head = text.length < 32 ? [0xa0 + text.length] : [0xd9, text.length];
  return Buffer.concat([Buffer.from(head), text]);
}

/** @param issuedAt In milliseconds since 1970. */
export function keystoneToken(
  key: Buffer,
  payload: Packable,
  { issuedAt, style = "present" }: { readonly issuedAt: number; readonly style?: PackStyle },
): string {
  return encryptFernet(toFernetKey(key), pack(payload, style), { at: issuedAt });
}
