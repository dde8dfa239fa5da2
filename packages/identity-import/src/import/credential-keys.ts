/** Decrypts and encrypts the credentials of a Keystone with the keys of its folder `credential-keys`. */
import { createHash } from "node:crypto";

import { decryptFernet, encryptFernet, toFernetKey } from "@hamkit/identity/import-support/storage";

import { NoKeysError, readKeyFolder, type KeyFile } from "./key-folder.js";

/** A credential that no key of the folder decrypts. The message names the folder and the key's hash. */
export class CredentialKeyError extends Error {
  override readonly name = "CredentialKeyError";
  readonly code = "import/credential-key";
}

export interface CredentialKeys {
  /**
   * The content of a credential.
   *
   * @param blob The column `encrypted_blob`.
   * @param keyHash The column `key_hash`: names the key in the message of an error.
   * @throws {CredentialKeyError} No key decrypts it, or it is not text.
   */
  readonly open: (blob: string, keyHash?: string | null) => string;
  /** Encrypts the content of a credential with the primary key. @param at Milliseconds since 1970. */
  readonly encrypt: (content: string, at: number) => { readonly encrypted: string; readonly keyHash: string };
  /** The hashes of the keys, as in the column `key_hash`, the primary first. */
  readonly hashes: readonly string[];
}

/** Characters. A column of Keystone holds 64 KiB. */
const MAX_BLOB_LENGTH = 1_000_000;

/**
 * Reads the keys. As Keystone does, it also tries the null key, with which Keystone encrypts while its folder has no keys.
 *
 * @param options.mayBeMissing Without keys, or without the folder, there is the null key alone, which encrypts nothing here.
 * @throws {KeyFolderError}
 */
export function openCredentialKeys(folder: string, { mayBeMissing = false } = {}): CredentialKeys {
  const files = mayBeMissing ? keysIfAny(folder) : readKeyFolder(folder);
  const keys = [...files.map(({ key }) => key), Buffer.alloc(32)].map(toFernetKey);
  const hashes = files.map(({ content }) => createHash("sha1").update(content).digest("hex"));
  return {
    hashes,
    encrypt(content, at) {
      const [key] = keys;
      const [keyHash] = hashes;
      if (key === undefined || keyHash === undefined) throw new TypeError("there is no key");
      const text = encryptFernet(key, Buffer.from(content), { at });
      // Python expects the padding.
      return { encrypted: text.padEnd(Math.ceil(text.length / 4) * 4, "="), keyHash };
    },
    open(blob, keyHash) {
      const decrypted = decryptFernet(keys, blob, { maxLength: MAX_BLOB_LENGTH });
      if (decrypted === undefined)
        throw new CredentialKeyError(faultOf(folder, hashes, keyHash ?? undefined));
      try {
        return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(decrypted.payload);
      } catch (error) {
        throw new CredentialKeyError("The decrypted credential is not text in UTF-8", { cause: error });
      }
    },
  };
}

function keysIfAny(folder: string): KeyFile[] {
  try {
    return readKeyFolder(folder);
  } catch (error) {
    if (error instanceof NoKeysError) return [];
    throw error;
  }
}

function faultOf(folder: string, hashes: readonly string[], keyHash: string | undefined): string {
  if (hashes.length === 0)
    return `The credential is not encrypted with the null key of Keystones without keys, and ${folder} has none`;
  const keys = `the keys in ${folder} (key_hash ${hashes.join(", ")})`;
  if (keyHash !== undefined && !hashes.includes(keyHash))
    return `The credential is encrypted with the key of key_hash ${keyHash}, which is not among ${keys}`;
  return `The credential was modified, or is encrypted with another key than ${keys}`;
}
