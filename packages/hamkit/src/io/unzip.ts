/**
 * Unpacking one file of a zip archive, with a bound on what may come out of it.
 *
 * Packed sizes are taken from the directory at the archive's end, which an archive that was cut off has lost. Archives of
 * 4 GB and more (zip64) are not read: no bound lets their content through.
 *
 * @see APPNOTE.TXT, the ZIP file format specification of PKWARE, 4.3 and 4.4.
 */
import { IOError } from "../errors.js";
import { nodeModule } from "./node-modules.js";

export interface UnzipOptions {
  /** What messages call the archive: its address or path. */
  readonly name: string;
  /** How the wanted file's name ends, for archives that hold several. */
  readonly suffix: string;
  /** A larger file is refused, whatever size the archive says it has. */
  readonly maxBytes: number;
}

/** A file as the archive's directory lists it. */
interface Member {
  readonly name: string;
  readonly isEncrypted: boolean;
  readonly method: number;
  readonly checksum: number;
  readonly packedSize: number;
  readonly size: number;
  /** Where its local header is. */
  readonly start: number;
}

const LOCAL_HEADER = { signature: 0x04034b50, size: 30 };
const DIRECTORY_ENTRY = { signature: 0x02014b50, size: 46 };
const DIRECTORY_END = { signature: 0x06054b50, size: 22, maxComment: 0xffff };
const STORED = 0;
const DEFLATED = 8;

/** What is wrong with an archive; the cause of the error that callers see. */
class ZipFault extends Error {}

/**
 * The content of the archive's only file, or of the only one whose name ends as asked.
 *
 * @throws {IOError} The archive is none, is cut off or damaged, has no such file or several, or its file is larger than
 *   allowed. `cause` has the fault itself.
 */
export async function unzipOne(archive: Uint8Array, options: UnzipOptions): Promise<Uint8Array> {
  try {
    const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength);
    const member = chooseMember(readDirectory(view, archive), options.suffix);
    checkMember(member, options.maxBytes);
    return await unpack(member, packedContent(member, view, archive));
  } catch (cause) {
    throw new IOError(options.name, `the zip archive can't be unpacked: ${describe(cause)}`, { cause });
  }
}

function readDirectory(view: DataView, archive: Uint8Array): Member[] {
  const end = directoryEnd(view);
  const count = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true);
  const members: Member[] = [];
  for (let index = 0; index < count; index++) {
    if (view.getUint32(at, true) !== DIRECTORY_ENTRY.signature)
      throw new ZipFault("its directory is damaged");
    const nameEnd = at + DIRECTORY_ENTRY.size + view.getUint16(at + 28, true);
    members.push({
      name: new TextDecoder().decode(archive.subarray(at + DIRECTORY_ENTRY.size, nameEnd)),
      isEncrypted: (view.getUint16(at + 8, true) & 1) !== 0,
      method: view.getUint16(at + 10, true),
      checksum: view.getUint32(at + 16, true),
      packedSize: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      start: view.getUint32(at + 42, true),
    });
    at = nameEnd + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return members;
}

/** Where the record is that ends an archive; a comment of any length may follow it. */
function directoryEnd(view: DataView): number {
  const last = view.byteLength - DIRECTORY_END.size;
  const first = Math.max(0, last - DIRECTORY_END.maxComment);
  for (let at = last; at >= first; at--) {
    if (view.getUint32(at, true) === DIRECTORY_END.signature) return at;
  }
  throw new ZipFault("it is no zip archive, or its end is missing");
}

function chooseMember(members: readonly Member[], suffix: string): Member {
  const files = members.filter(({ name }) => !name.endsWith("/"));
  const [only, ...others] =
    files.length === 1 ? files : files.filter(({ name }) => name.toLowerCase().endsWith(suffix));
  if (only !== undefined && others.length === 0) return only;
  const names = JSON.stringify(files.slice(0, 5).map(({ name }) => name.slice(0, 60)));
  if (files.length === 0) throw new ZipFault("it has no file");
  throw new ZipFault(`of its ${files.length} files not exactly one ends in ${suffix}: ${names}`);
}

function checkMember({ isEncrypted, method, size }: Member, maxBytes: number): void {
  if (isEncrypted) throw new ZipFault("its file is encrypted");
  if (method !== STORED && method !== DEFLATED) throw new ZipFault(`its file is packed by method ${method}`);
  if (size > maxBytes) throw new ZipFault(`its file has ${size} bytes, more than the ${maxBytes} allowed`);
}

function packedContent({ start, packedSize }: Member, view: DataView, archive: Uint8Array): Uint8Array {
  if (view.getUint32(start, true) !== LOCAL_HEADER.signature)
    throw new ZipFault("its directory points nowhere");
  const nameLength = view.getUint16(start + 26, true);
  const extraLength = view.getUint16(start + 28, true);
  const from = start + LOCAL_HEADER.size + nameLength + extraLength;
  if (from + packedSize > archive.length) throw new ZipFault("its file is cut off");
  return archive.subarray(from, from + packedSize);
}

async function unpack({ method, checksum, size }: Member, packed: Uint8Array): Promise<Uint8Array> {
  // Inflating stops once more comes out than the archive says. One chunk with room to spare takes it all.
  const room = { maxOutputLength: Math.max(size, 1), chunkSize: size + 64 };
  const { crc32, inflateRaw } = nodeModule("node:zlib");
  const { promisify } = nodeModule("node:util");
  const content = method === STORED ? packed : await promisify(inflateRaw)(packed, room);
  if (content.length !== size || crc32(content) !== checksum) throw new ZipFault("its file is damaged");
  return content;
}

/** What is told of a failure. Positions read from a damaged archive lie anywhere, so any other error means damage. */
function describe(cause: unknown): string {
  if (cause instanceof ZipFault) return cause.message;
  if (cause instanceof IOError) return cause.message;
  const isTooLarge = cause instanceof Error && "code" in cause && cause.code === "ERR_BUFFER_TOO_LARGE";
  return isTooLarge ? "its file is larger than it says" : "it is damaged";
}
