/** Zip archives for tests, made by the book: APPNOTE.TXT of PKWARE, 4.3. */
import { crc32, deflateRawSync } from "node:zlib";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** An archive with these files, in this order. */
export function zipArchive(
  files: Readonly<Record<string, string>>,
  method: "deflated" | "stored" = "deflated",
): Buffer {
  const records: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const content = encode(text);
    const packed = method === "stored" ? content : deflateRawSync(content);
    const nameBytes = encode(name);
    // Version, flags, method, time, date; then what is known of the content; then the lengths of name and extra field.
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(method === "stored" ? 0 : 8, 4);
    facts.writeUInt32LE(crc32(content), 10);
    facts.writeUInt32LE(packed.length, 14);
    facts.writeUInt32LE(content.length, 18);
    facts.writeUInt16LE(nameBytes.length, 22);
    const position = Buffer.alloc(14);
    position.writeUInt32LE(offset, 10);
    records.push(encode("PK\u0003\u0004"), facts, nameBytes, packed);
    directory.push(encode("PK\u0001\u0002\u0014\0"), facts, position, nameBytes);
    offset += 30 + nameBytes.length + packed.length;
  }
  const count = Object.keys(files).length;
  const end = Buffer.alloc(18);
  end.writeUInt16LE(count, 4);
  end.writeUInt16LE(count, 6);
  end.writeUInt32LE(Buffer.concat(directory).length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...records, ...directory, encode("PK\u0005\u0006"), end]);
}
