/** Decodes and encodes datagrams. */
import { ArgumentTypeError, ValueError } from "../../errors.js";
import { DataReader, DataWriter } from "./data-stream.js";
import type { Datagram, InvalidDatagram, OutgoingMessage } from "./datagram.js";
import { kindOfType, datagramLayoutOf, isMessageKind, type DatagramLayout } from "./datagram-layout.js";
import { UTF8, writeField } from "./field-types.js";

/** The first four bytes of each datagram. */
const MAGIC = 0xadbc_cbda;

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

/**
 * Encodes a datagram: the bytes that the program `message.id` sends or reads.
 *
 * Members that not every version of the protocol has can be left out at the end. `decodeDatagram` returns the message again.
 *
 * @param message A message of one of the 17 kinds, whose `id` names the instance that sends or gets it.
 * @throws {ArgumentTypeError} The argument is not an object.
 * @throws {ValueError} A member is missing, of another type or out of its range, or `schema` is not 2 or 3; `argument` names
 *   the member.
 * @example
 * const bytes = encodeDatagram({ kind: "haltTx", id: "WSJT-X", autoTxOnly: true });
 * bytes.length; // => 23
 * decodeDatagram(bytes); // => { kind: "haltTx", schema: 2, type: 8, id: "WSJT-X", autoTxOnly: true }
 */
export function encodeDatagram(message: OutgoingMessage): Uint8Array {
  if (typeof message !== "object" || message === null) {
    throw new ArgumentTypeError({ argument: "message", value: message, expected: "a message with a kind" });
  }
  const { kind, id, schema = 2 } = message;
  if (!isMessageKind(kind)) {
    throw new ValueError({ argument: "kind", value: kind, expected: "a kind of the types 0 to 16" });
  }
  if (schema !== 2 && schema !== 3) {
    throw new ValueError({ argument: "schema", value: schema, expected: "2 or 3" });
  }
  const layout = datagramLayoutOf(kind, id);
  const writer = new DataWriter();
  writer.uint32(MAGIC);
  writer.uint32(schema);
  writer.uint32(layout.type);
  writeField(writer, UTF8, "id", id);
  writeFields(writer, layout, message);
  return writer.bytes();
}

function writeFields(
  writer: DataWriter,
  { fields, required }: DatagramLayout,
  message: Readonly<Record<string, unknown>>,
): void {
  const end = fields.findLastIndex(([name]) => message[name] !== undefined) + 1;
  for (const [name, type] of fields.slice(0, Math.max(end, required))) {
    writeField(writer, type, name, message[name]);
  }
}
