/**
 * The keys by which the service signs what it says in SAML, and opens what was encrypted for it: in the database, the private
 * halves sealed by the master key.
 *
 * Keys are numbered. The one with the greatest number is the next one: its certificate is in the metadata before it signs
 * anything. The one before signs. A third is the one that signed until the last rotation, for assertions that are on their way. To rotate is to
 * add a key, which moves each of them by one, so that whoever reads the metadata now and then never meets a key that is new to them.
 */
import { createPrivateKey, generateKeyPair, X509Certificate, type KeyObject } from "node:crypto";
import { promisify } from "node:util";

import type { Clock } from "../../platform/clock.js";
import type { Database, Queries } from "../../platform/database/database.js";
import { createRevisionCache } from "../../platform/revision-cache.js";
import { openSecret, sealSecret, type MasterKey } from "../../platform/sealing.js";
import {
  insertSamlKeys,
  listSamlKeys,
  removeSamlKeysBelow,
  replaceSealedKey,
  type StoredSamlKey,
} from "./saml-key-store.js";
import { selfSignedCertificate } from "./self-signed-certificate.js";

/** The next one, the one that signs, and the one before it. */
const KEPT = 3;
const BITS = 2048;
const LIFETIME_MS = 10 * 365 * 86_400_000;
/** Clocks of others may be late. */
const BACKDATED_MS = 3_600_000;

/** A private key, and the certificate by which others know it. */
export interface SamlKey {
  readonly number: number;
  readonly privateKey: KeyObject;
  readonly certificate: X509Certificate;
}

export interface SamlKeyRing {
  readonly signing: SamlKey;
  /** All of them, the one that signs first. */
  readonly keys: readonly [SamlKey, ...SamlKey[]];
}

export interface SamlKeys {
  /** What is there now; two keys are made where there is none. */
  current(): Promise<SamlKeyRing>;
  rotate(): Promise<SamlKeyRing>;
}

export interface SamlKeysDeps {
  readonly database: Database;
  readonly masterKey: MasterKey;
  readonly clock: Clock;
  /** In the certificates: who the service is, for people. */
  readonly commonName: string;
}

const generate = promisify(generateKeyPair);

export function createSamlKeys({ database, masterKey, clock, commonName }: SamlKeysDeps): SamlKeys {
  const remembered = createRevisionCache<SamlKeyRing>({
    revision: () => database.revision("facts"),
    maxEntries: 1,
  });

  async function make(number: number): Promise<StoredSamlKey> {
    const { privateKey } = await generate("rsa", { modulusLength: BITS });
    const now = clock.now();
    return {
      number,
      certificate: selfSignedCertificate(privateKey, {
        commonName,
        from: now - BACKDATED_MS,
        until: now + LIFETIME_MS,
      }),
      sealed: sealSecret(masterKey, privateKey.export({ type: "pkcs8", format: "der" }), placeOf(number)),
      createdAt: now,
    };
  }

  const open = ({ number, sealed, certificate }: StoredSamlKey): SamlKey => ({
    number,
    privateKey: createPrivateKey({
      key: openSecret(masterKey, sealed, placeOf(number)),
      format: "der",
      type: "pkcs8",
    }),
    certificate: new X509Certificate(certificate),
  });

  async function load(): Promise<SamlKeyRing> {
    const stored = await listSamlKeys(database);
    if (stored.length === 0) {
      // Of replicas that do so at the same time one counts.
      const first = [await make(1), await make(2)];
      await database.transaction((transaction) => insertSamlKeys(transaction, first));
      return load();
    }
    const [next, signing, ...former] = stored.map(open);
    if (next === undefined || signing === undefined) throw new Error("A key of SAML is missing");
    return { signing, keys: [signing, next, ...former] };
  }

  const current = (): Promise<SamlKeyRing> => remembered.get("keys", () => load());

  return {
    current,
    async rotate() {
      const { signing } = await load();
      const next = await make(signing.number + 2);
      await database.transaction(async (transaction) => {
        await insertSamlKeys(transaction, [next]);
        await removeSamlKeysBelow(transaction, next.number - KEPT + 1);
      });
      return load();
    },
  };
}

/** Seals every key by another master key. */
export async function resealSamlKeys(
  transaction: Queries,
  { from, to }: { readonly from: MasterKey; readonly to: MasterKey },
): Promise<void> {
  for (const { number, sealed } of await listSamlKeys(transaction)) {
    const secret = openSecret(from, sealed, placeOf(number));
    await replaceSealedKey(transaction, number, sealSecret(to, secret, placeOf(number)));
  }
}

function placeOf(number: number): string {
  return `saml-key/${number}`;
}
