/** Every secret in the database: what a change of the master key seals anew, and what `doctor` opens. */
import { samlKeySecrets } from "./saml/saml-keys.js";
import { protocolSecrets } from "./identity-providers/protocol-secrets.js";
import type { Database, Queries } from "./platform/database/database.js";
import { keyIdInForce, replaceKeyInForce } from "./platform/secrets/master-key-in-force.js";
import { openSecret, sealSecret, type MasterKey, type SealedSecret } from "./platform/secrets/sealing.js";
import { signingKeySecrets } from "./tokens/signing-key-store.js";

/** A feature that stores sealed secrets has a line here. */
const SOURCES: readonly ((queries: Queries) => Promise<SealedSecret[]>)[] = [
  signingKeySecrets,
  protocolSecrets,
  samlKeySecrets,
];

/** All of them, as they are sealed. */
export async function listSealedSecrets(queries: Queries): Promise<SealedSecret[]> {
  const secrets: SealedSecret[] = [];
  for (const list of SOURCES) secrets.push(...(await list(queries)));
  return secrets;
}

/**
 * Seals every secret by the next master key and puts that one in force, all or nothing. Rotations and other writes of secrets
 * come before it or after it, never between. Where the next key is in force already, nothing is left to do.
 *
 * @returns How many secrets were sealed anew.
 * @throws {SealError} A secret does not open with `from`.
 * @throws {MasterKeyNotInForce} A third key is in force.
 */
export function resealSecrets(
  database: Database,
  keys: { readonly from: MasterKey; readonly to: MasterKey },
): Promise<number> {
  const { from, to } = keys;
  return database.alone(
    async (transaction) => {
      if ((await keyIdInForce(transaction)) === to.id) return 0;
      // Before the secrets are read: from here on no other transaction stores one.
      await replaceKeyInForce(transaction, keys);
      const secrets = await listSealedSecrets(transaction);
      for (const secret of secrets) {
        const opened = openSecret(from, secret.sealed, secret.place);
        await secret.replace(transaction, sealSecret(to, opened, secret.place));
      }
      return secrets.length;
    },
    // No answer changes: processes go on with what they have opened.
    { changes: [] },
  );
}
