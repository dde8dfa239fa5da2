/** Decodes datagrams. */
import { ArgumentTypeError } from "../../errors.js";
import { DataReader } from "./data-stream.js";
import type { Datagram, InvalidDatagram } from "./datagram.js";
import { kindOfType, datagramLayoutOf } from "./datagram-layout.js";

/** The first four bytes of each datagram. */
export const MAGIC = 0xadbc_cbda;

/** Magic, schema and type. */
const HEADER_LENGTH = 12;

/**
 * Decodes a datagram of WSJT-X, JTDX or MSHV: types 0 to 16 of schemas 2 and 3.
 *
 * @param bytes The payload of a UDP packet, such as a `Buffer` of Node.
 * @returns `kind` tells the type. Types that the protocol doesn't have are `"unknown"`, and damaged datagrams `"invalid"`:
 *   anyone can send them, so they are not exceptions.
 * @throws {ArgumentTypeError} The argument is not a `Uint8Array`.
 * @example
 * const close = decodeDatagram(Uint8Array.from([0xad, 0xbc, 0xcb, 0xda, 0, 0, 0, 2, 0, 0, 0, 6, 0, 0, 0, 4, 0x4d, 0x53, 0x48, 0x56]));
 * close; // => { kind: "close", schema: 2, type: 6, id: "MSHV" }
 * decodeDatagram(new Uint8Array(3)); // => { kind: "invalid", reason: "short" }
 */
export function decodeDatagram(bytes: Uint8Array): Datagram {
  // Not instanceof: another realm has another Uint8Array.
  if (!ArrayBuffer.isView(bytes) || bytes.length !== bytes.byteLength) {
    throw new ArgumentTypeError({ argument: "bytes", value: bytes, expected: "a Uint8Array" });
  }
  if (bytes.length < HEADER_LENGTH) return { kind: "invalid", reason: "short" };
  const reader = new DataReader(bytes);
  if (reader.uint32() !== MAGIC) return { kind: "invalid", reason: "bad magic" };
  const schema = reader.uint32();
  const type = reader.uint32();
  const id = reader.utf8();
  if (reader.failure !== undefined) return invalid(reader, "id", { schema, type });
  const kind = kindOfType(type);
  if (kind === undefined) return { kind: "unknown", schema, type, id, bytesLeft: reader.bytesLeft };

  const { fields, required } = datagramLayoutOf(kind, id);
  const message: Record<string, unknown> = { kind, schema, type, id };
  for (const [index, [name, fieldType]] of fields.entries()) {
    if (reader.bytesLeft === 0 && index >= required) {
      message["absentFields"] = fields.slice(index).map(([absent]) => absent);
      break;
    }
    message[name] = fieldType.read(reader);
    if (reader.failure !== undefined) return invalid(reader, name, { schema, type, id });
  }
  if (reader.bytesLeft > 0) message["extraBytes"] = reader.bytesLeft;
  return message as unknown as Datagram; // the layouts are typed by the members of each kind
}

function invalid(
  { failure }: DataReader,
  name: string,
  header: Pick<InvalidDatagram, "schema" | "type" | "id">,
): InvalidDatagram {
  return { kind: "invalid", reason: `${failure} in ${name}`, ...header };
}
