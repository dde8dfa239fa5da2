/** Decompresses gzip files, with a limit on the decompressed size. */
import { IOError } from "../errors.js";
import { nodeModule } from "./node-modules.js";

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
