/** Encodes datagrams. */
import { ArgumentTypeError, ValueError } from "../../errors.js";
import { DataWriter } from "./data-stream.js";
import type { OutgoingMessage } from "./datagram.js";
import { isMessageKind, datagramLayoutOf, type DatagramLayout } from "./datagram-layout.js";
import { MAGIC } from "./decode-datagram.js";
import { UTF8, writeField } from "./field-types.js";

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
