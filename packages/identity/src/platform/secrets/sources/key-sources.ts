/** The sources of master keys that the settings name, and the key in force from one of them. */
import { randomBytes } from "node:crypto";

import type { Database } from "../../database/database.js";
import { keyIdInForce, putFirstKey } from "../master-key-in-force.js";
import { loadMasterKey, MasterKeyError } from "../master-key.js";
import { toMasterKey, type MasterKey } from "../sealing.js";
import {
  KeySourceError,
  type KeyWrapper,
  type SourceKind,
  type WrappedKey,
  type WrapperKind,
} from "./key-wrapper.js";
import type { MasterKeySettings } from "./key-settings.js";
import { PKCS11_OPTIONS } from "./pkcs11/pkcs11-options.js";
import { VAULT_OPTIONS } from "./vault/vault-options.js";
import { findWrappedKey, putWrappedKey } from "./wrapped-key-store.js";

/** A new master key, wrapped. */
export interface WrappedMasterKey {
  readonly key: MasterKey;
  readonly wrapped: WrappedKey;
}

export interface KeySources {
  /** Where new keys are made. */
  readonly kind: SourceKind;
  /** The file with the key, and its text in the environment; `undefined` if only wrapped keys are accepted. */
  readonly plain: { readonly text: string | undefined; readonly file: string } | undefined;
  /** @throws {KeySourceError} It is not configured. */
  wrapper(kind: WrapperKind): Promise<KeyWrapper>;
  /**
   * The master key in force; where none is, one of the file or the environment, or a new one.
   *
   * @throws {MasterKeyError} {@link KeySourceError}
   */
  load(database: Database, options: LoadOptions): Promise<MasterKey>;
  /** @throws {KeySourceError} Also if it is not the key of this id. */
  unwrap(wrapped: WrappedKey): Promise<MasterKey>;
  /** Makes a key, and proves that it can be unwrapped. @throws {KeySourceError} */
  create(kind: WrapperKind): Promise<WrappedMasterKey>;
  /** Wraps a key anew, with the wrapping key of the settings in its latest version. @throws {KeySourceError} */
  rewrap(former: WrappedKey): Promise<WrappedKey>;
}

export interface LoadOptions {
  /** Whether to create a missing key: only while the database has no sealed secrets. */
  readonly mayCreate: boolean;
}

export function createKeySources(settings: MasterKeySettings): KeySources {
  const { masterKey: text, masterKeyFile: file, masterKeySource: source } = settings.secrets;
  const plain = source === "file" ? { text, file } : undefined;
  const wrappers = new Map<WrapperKind, Promise<KeyWrapper>>();

  function wrapper(kind: WrapperKind): Promise<KeyWrapper> {
    const known = wrappers.get(kind);
    if (known !== undefined) return known;
    const opening = openWrapper(kind, settings);
    wrappers.set(kind, opening);
    // A file that is missing may be there the next time.
    opening.catch(() => wrappers.delete(kind));
    return opening;
  }

  async function bytesOf(wrapped: WrappedKey): Promise<Buffer> {
    const opened = await wrapper(wrapped.source);
    const bytes = await opened.unwrap(wrapped);
    if (bytes.length === 32 && toMasterKey(bytes).id === wrapped.keyId) return bytes;
    throw new KeySourceError(
      "master-key/source-refused",
      `${opened.title} unwrapped another key than ${wrapped.keyId}: the wrapped key in the database was changed`,
    );
  }

  async function wrapWith(kind: WrapperKind, bytes: Buffer): Promise<WrappedMasterKey> {
    const key = toMasterKey(bytes);
    const wrapped = await (await wrapper(kind)).wrap(bytes, key.id);
    await bytesOf(wrapped);
    return { key, wrapped };
  }

  const create = (kind: WrapperKind) => wrapWith(kind, randomBytes(32));

  async function load(database: Database, { mayCreate }: LoadOptions): Promise<MasterKey> {
    const inForce = await keyIdInForce(database);
    const wrapped = inForce === undefined ? undefined : await findWrappedKey(database, inForce);
    if (wrapped !== undefined) return toMasterKey(await bytesOf(wrapped));
    if (source === "file") return loadMasterKey({ text, file, mayCreate });
    if (inForce !== undefined || !mayCreate)
      throw new MasterKeyError(
        "master-key/not-wrapped",
        `IDENTITY_MASTER_KEY_SOURCE is ${source}, but the master key in force${inForce === undefined ? "" : `, ${inForce},`} is not wrapped: set it to file, and run hamkit-identity keys reseal --to ${source}`,
      );
    const { key, wrapped: first } = await create(source);
    await database.alone(
      async (transaction) => {
        // Another process may have been faster.
        await putFirstKey(transaction, key);
        if ((await keyIdInForce(transaction)) === key.id) await putWrappedKey(transaction, first);
      },
      { changes: [] },
    );
    return load(database, { mayCreate: false });
  }

  return {
    kind: source === "file" && text !== undefined ? "environment" : source,
    plain,
    wrapper,
    load,
    unwrap: async (wrapped) => toMasterKey(await bytesOf(wrapped)),
    create,
    rewrap: async (former) => (await wrapWith(former.source, await bytesOf(former))).wrapped,
  };
}

/** Loaded on demand: most services have a key in a file. */
async function openWrapper(kind: WrapperKind, { vault, pkcs11 }: MasterKeySettings): Promise<KeyWrapper> {
  if (kind === "vault") {
    if (vault.url === undefined) throw notConfigured("Vault", VAULT_OPTIONS.url.name);
    const { createVaultWrapper } = await import("./vault/vault-wrapper.js");
    return createVaultWrapper({ ...vault, url: vault.url });
  }
  if (pkcs11.module === undefined) throw notConfigured("a PKCS#11 token", PKCS11_OPTIONS.module.name);
  const { createPkcs11Wrapper } = await import("./pkcs11/pkcs11-wrapper.js");
  return createPkcs11Wrapper({ ...pkcs11, module: pkcs11.module });
}

function notConfigured(title: string, setting: string): KeySourceError {
  return new KeySourceError(
    "master-key/source-refused",
    `a master key is wrapped by ${title}, which the settings don't name: set ${setting} and what belongs to it`,
  );
}
