/** Lists all sealed secrets of the database: a new master key reseals them, and `doctor` unseals them. */
import { credentialSecrets } from "./credentials/credential.js";
import { domainConfigSecrets } from "./domain-config/domain-config-store.js";
import { oauth1Secrets } from "./oauth1/oauth1-store.js";
import { recordedLoginSecrets } from "./workbench/recording/recording-store.js";
import { samlKeySecrets } from "./saml/saml-keys.js";
import { protocolSecrets } from "./identity-providers/protocols/protocol-secrets.js";
import type { Database, Queries } from "./platform/database/database.js";
import type { HeldMasterKey, UnsealedSecret } from "./platform/secrets/held-master-key.js";
import { keyIdInForce, replaceKeyInForce, unsealStored } from "./platform/secrets/master-key-in-force.js";
import { resealSecret, type MasterKey, type SealedSecret } from "./platform/secrets/sealing.js";
import type { WrappedKey } from "./platform/secrets/sources/key-wrapper.js";
import { keepWrappedKey } from "./platform/secrets/sources/wrapped-key-store.js";
import { importedKeySecrets } from "./tokens/imported/imported-key-store.js";
import { signingKeySecrets } from "./tokens/signing-keys.js";

/** One entry per feature that stores sealed secrets. */
const SOURCES: readonly ((queries: Queries) => Promise<SealedSecret[]>)[] = [
  signingKeySecrets,
  protocolSecrets,
  samlKeySecrets,
  credentialSecrets,
  domainConfigSecrets,
  oauth1Secrets,
  importedKeySecrets,
  recordedLoginSecrets,
];

export async function listSealedSecrets(queries: Queries): Promise<SealedSecret[]> {
  const secrets: SealedSecret[] = [];
  for (const list of SOURCES) secrets.push(...(await list(queries)));
  return secrets;
}

/** Few, and needed by all logins of a kind; those of users are unsealed when they are used. */
const SERVICE_SOURCES = [signingKeySecrets, protocolSecrets, samlKeySecrets, importedKeySecrets];

/**
 * Unseals the secrets of the service, so that a running process keeps them when the master key changes. One that can't be unsealed is
 * left out: it is reported where it is used.
 */
export async function readServiceSecrets(queries: Queries, masterKey: HeldMasterKey): Promise<void> {
  const unsealed: UnsealedSecret[] = [];
  for (const list of SERVICE_SOURCES)
    for (const { sealed, place } of await list(queries))
      try {
        const secret = unsealStored(masterKey, sealed, place, { keeps: false });
        unsealed.push({ secret, sealed, place });
      } catch {
        continue;
      }
  masterKey.pin(unsealed);
}

/**
 * Reseals all secrets with the next master key and puts it in force, in one transaction, serialized with other writes of secrets.
 * A no-op if the next key is already in force. The transaction stores the wrapping of the next key too, and deletes those of others: the
 * database never has secrets of a wrapped key without its wrapping.
 *
 * @returns The number of resealed secrets.
 * @throws {SealError} A secret can't be unsealed with `from`.
 * @throws {MasterKeyNotInForce} A third key is in force.
 */
export function resealSecrets(
  database: Database,
  keys: { readonly from: MasterKey; readonly to: MasterKey; readonly wrapped?: WrappedKey | undefined },
): Promise<number> {
  const { to } = keys;
  return database.alone(
    async (transaction) => {
      if ((await keyIdInForce(transaction)) === to.id) return 0;
      // Before the secrets are read: from now on no other transaction stores one.
      await replaceKeyInForce(transaction, keys);
      await keepWrappedKey(transaction, keys.wrapped);
      const secrets = await listSealedSecrets(transaction);
      for (const secret of secrets)
        await secret.replace(transaction, resealSecret(keys, secret.sealed, secret.place));
      return secrets.length;
    },
    // No cache is invalidated: processes keep the secrets they have unsealed.
    { changes: [] },
  );
}
