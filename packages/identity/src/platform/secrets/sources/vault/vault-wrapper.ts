/**
 * Wraps the master key by the transit engine of Vault or OpenBao. The transit key never leaves Vault.
 *
 * @see https://developer.hashicorp.com/vault/api-docs/secret/transit
 */
import { checkedWrappingKey, KeySourceError, type KeyWrapper, type WrappedKey } from "../key-wrapper.js";
import { createVaultClient } from "./vault-client.js";
import type { VaultSettings } from "./vault-options.js";
import { createVaultSession } from "./vault-session.js";

/** With the version of the transit key. */
const CIPHERTEXT = /^vault:v(\d{1,9}):[A-Za-z0-9+/=]{1,2000}$/;

/** @throws {KeySourceError} */
export function createVaultWrapper(settings: VaultSettings & { readonly url: string }): KeyWrapper {
  const client = createVaultClient(settings);
  const session = createVaultSession(client, settings);
  const { title } = client;
  const pathOf = (action: string, key: string) =>
    `${settings.transitPath}/${action}/${encodeURIComponent(key)}`;
  const fault = (reason: string) => new KeySourceError("master-key/source-refused", `${title}: ${reason}`);

  return {
    kind: "vault",
    title,

    async wrap(bytes, keyId) {
      const plaintext = Buffer.from(bytes).toString("base64");
      const path = pathOf("encrypt", settings.key);
      const { data } = await session.send({ method: "POST", path, body: { plaintext } });
      const wrapped = data["ciphertext"];
      if (typeof wrapped !== "string" || !CIPHERTEXT.test(wrapped))
        throw fault("the response has no ciphertext of the form vault:v1:…");
      return { keyId, source: "vault", wrappingKey: settings.key, wrapped };
    },

    async unwrap(key) {
      const { wrapped: ciphertext } = key;
      if (!CIPHERTEXT.test(ciphertext))
        throw fault("the wrapped key in the database is not of the form vault:v1:…");
      const path = pathOf("decrypt", checkedWrappingKey(key));
      const { data } = await session.send({ method: "POST", path, body: { ciphertext } });
      const { plaintext } = data;
      if (typeof plaintext !== "string") throw fault("the response has no plaintext");
      return Buffer.from(plaintext, "base64");
    },

    async examine(key) {
      try {
        const path = pathOf("keys", checkedWrappingKey(key));
        return describeKey(key, (await session.send({ method: "GET", path })).data);
      } catch (error) {
        // Not required: the policy of the service may permit no more than to use the key.
        if (error instanceof KeySourceError && error.status === 403) return [];
        throw error;
      }
    },

    restMs: () => session.restMs(),
  };
}

function describeKey(
  { wrappingKey, wrapped }: WrappedKey,
  {
    type,
    exportable,
    allow_plaintext_backup: backup,
    latest_version: latest,
  }: Readonly<Record<string, unknown>>,
): string[] {
  const version = Number(CIPHERTEXT.exec(wrapped)?.[1]);
  const key = `the transit key ${wrappingKey}`;
  return [
    ...(typeof type === "string" && type.startsWith("rsa")
      ? [
          `${key} is of type ${type}: everyone who reads its public half can wrap a key of their own. Use aes256-gcm96`,
        ]
      : []),
    ...(exportable === true || backup === true
      ? [`${key} can leave Vault: it is exportable, or permits backups`]
      : []),
    ...(typeof latest === "number" && version < latest
      ? [
          `the master key is wrapped by version ${version} of ${key}, the latest is ${latest}: run hamkit-identity keys rewrap before min_decryption_version is raised`,
        ]
      : []),
  ];
}
