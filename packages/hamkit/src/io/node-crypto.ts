/** Ciphers, hashes and signatures of Node, which browsers have in part only, and compression. */
import { nodeModule } from "./node-modules.js";

/** @throws {IOError} In a browser. */
export function nodeCrypto() {
  return nodeModule("node:crypto");
}

/** A private key that was opened. */
export type PrivateKey = ReturnType<ReturnType<typeof nodeCrypto>["createPrivateKey"]>;

/** @throws {IOError} In a browser. */
export function gzip(text: string): Uint8Array {
  return nodeModule("node:zlib").gzipSync(text);
}
