/**
 * Extracts one file of a zip archive, with a limit on its size.
 *
 * Compressed sizes are taken from the central directory at the end of the archive, so that a truncated archive is
 * detected. Archives of 4 GB and more (zip64) are not supported: they exceed every limit in use.
 *
 * @see APPNOTE.TXT, the ZIP file format specification of PKWARE, 4.3 and 4.4.
 */
import { IOError } from "../errors.js";
import { nodeModule } from "./node-modules.js";

export interface UnzipOptions {
  /** The archive's address or path, for messages. */
  readonly name: string;
  /** The end of the file's name, for archives with several files. */
  readonly suffix: string;
  /** Maximum size of the file, whatever size the archive declares. */
  readonly maxBytes: number;
}

/** An entry of the central directory. */
interface Member {
  readonly name: string;
  readonly isEncrypted: boolean;
  readonly method: number;
  readonly checksum: number;
  readonly packedSize: number;
  readonly size: number;
  /** Offset of its local header. */
  readonly start: number;
}

const LOCAL_HEADER = { signature: 0x04034b50, size: 30 };
const DIRECTORY_ENTRY = { signature: 0x02014b50, size: 46 };
const DIRECTORY_END = { signature: 0x06054b50, size: 22, maxComment: 0xffff };
const STORED = 0;
const DEFLATED = 8;

/** An invalid archive; the cause of the IOError. */
class ZipError extends Error {}

/**
 * The content of the archive's only file, or of the only one whose name has the suffix.
 *
 * @throws {IOError} The file is not a zip archive, is truncated or damaged, has no matching file or several, or its file
 *   is larger than allowed. `cause` has the original error.
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
      throw new ZipError("its directory is damaged");
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

/** Offset of the end-of-central-directory record; a comment may follow it. */
function directoryEnd(view: DataView): number {
  const last = view.byteLength - DIRECTORY_END.size;
  const first = Math.max(0, last - DIRECTORY_END.maxComment);
  for (let at = last; at >= first; at--) {
    if (view.getUint32(at, true) === DIRECTORY_END.signature) return at;
  }
  throw new ZipError("it is not a zip archive, or is truncated");
}

function chooseMember(members: readonly Member[], suffix: string): Member {
  const files = members.filter(({ name }) => !name.endsWith("/"));
  const [only, ...others] =
    files.length === 1 ? files : files.filter(({ name }) => name.toLowerCase().endsWith(suffix));
  if (only !== undefined && others.length === 0) return only;
  const names = JSON.stringify(files.slice(0, 5).map(({ name }) => name.slice(0, 60)));
  if (files.length === 0) throw new ZipError("it contains no file");
  throw new ZipError(
    `expected exactly one file ending in ${suffix} among its ${files.length} files: ${names}`,
  );
}

function checkMember({ isEncrypted, method, size }: Member, maxBytes: number): void {
  if (isEncrypted) throw new ZipError("its file is encrypted");
  if (method !== STORED && method !== DEFLATED)
    throw new ZipError(`compression method ${method} is not supported (stored, deflated)`);
  if (size > maxBytes) throw new ZipError(`its file has ${size} bytes, more than the ${maxBytes} allowed`);
}

function packedContent({ start, packedSize }: Member, view: DataView, archive: Uint8Array): Uint8Array {
  if (view.getUint32(start, true) !== LOCAL_HEADER.signature)
    throw new ZipError("its directory has an invalid offset");
  const nameLength = view.getUint16(start + 26, true);
  const extraLength = view.getUint16(start + 28, true);
  const from = start + LOCAL_HEADER.size + nameLength + extraLength;
  if (from + packedSize > archive.length) throw new ZipError("its file is truncated");
  return archive.subarray(from, from + packedSize);
}

async function unpack({ method, checksum, size }: Member, packed: Uint8Array): Promise<Uint8Array> {
  // Inflating stops when the output exceeds the declared size. One chunk with room to spare holds all of it.
  const room = { maxOutputLength: Math.max(size, 1), chunkSize: size + 64 };
  const { crc32, inflateRaw } = nodeModule("node:zlib");
  const { promisify } = nodeModule("node:util");
  const content = method === STORED ? packed : await promisify(inflateRaw)(packed, room);
  if (content.length !== size || crc32(content) !== checksum) throw new ZipError("its file is damaged");
  return content;
}

/** The reason of a failure. Offsets in a damaged archive are arbitrary, so any other error means damage. */
function describe(cause: unknown): string {
  if (cause instanceof ZipError || cause instanceof IOError) return cause.message;
  const isTooLarge = cause instanceof Error && "code" in cause && cause.code === "ERR_BUFFER_TOO_LARGE";
  return isTooLarge ? "its file is larger than declared" : "it is damaged";
}

/** Whether bytes begin with the gzip signature. */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/**
 * The content of a gzip file.
 *
 * @throws {IOError} The file is damaged, truncated, or decompresses to more than `maxBytes`.
 */
export async function gunzip(
  bytes: Uint8Array,
  { name, maxBytes }: { readonly name: string; readonly maxBytes: number },
): Promise<Uint8Array> {
  const inflate = nodeModule("node:util").promisify(nodeModule("node:zlib").gunzip);
  try {
    return await inflate(bytes, { maxOutputLength: maxBytes });
  } catch (cause) {
    const isTooLarge = cause instanceof Error && "code" in cause && cause.code === "ERR_BUFFER_TOO_LARGE";
    const reason = isTooLarge ? `decompresses to more than ${maxBytes} bytes` : "is damaged";
    throw new IOError(name, `the gzip file ${reason}`, { cause });
  }
}
