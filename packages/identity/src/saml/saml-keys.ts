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

import type { Clock } from "../platform/clock.js";
import type { Database, Queries } from "../platform/database/database.js";
import { createRevisionCache } from "../platform/concurrency/revision-cache.js";
import { sealingIn } from "../platform/secrets/master-key-in-force.js";
import { openSecret, type MasterKey, type SealedSecret } from "../platform/secrets/sealing.js";
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
  let opened: ReadonlyMap<number, SamlKey> = new Map();
  const remembered = createRevisionCache<SamlKeyRing>({
    revision: () => database.revision("facts"),
    maxEntries: 1,
  });

  /** Before a transaction: a key takes a tenth of a second. */
  async function make(): Promise<NewSamlKey> {
    const { privateKey } = await generate("rsa", { modulusLength: BITS });
    const now = clock.now();
    return {
      certificate: selfSignedCertificate(privateKey, {
        commonName,
        from: now - BACKDATED_MS,
        until: now + LIFETIME_MS,
      }),
      secret: privateKey.export({ type: "pkcs8", format: "der" }),
      createdAt: now,
    };
  }

  async function add(transaction: Queries, first: number, made: readonly NewSamlKey[]): Promise<void> {
    const seal = await sealingIn(transaction, { kind: database.kind, masterKey });
    const keys = made.map(({ secret, ...key }, at) => {
      const number = first + at;
      return { ...key, number, sealed: seal(secret, placeOf(number)) };
    });
    await insertSamlKeys(transaction, keys);
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

  /** The key as it was opened before: a process goes on with it after the master key has changed. */
  function openOnce(stored: StoredSamlKey): SamlKey {
    const known = opened.get(stored.number);
    if (known?.certificate.raw.equals(stored.certificate)) return known;
    return open(stored);
  }

  async function load(): Promise<SamlKeyRing> {
    const stored = await listSamlKeys(database);
    if (stored.length === 0) {
      const first = [await make(), await make()];
      await database.alone(async (transaction) => {
        // Of replicas that do so at the same time one counts.
        if ((await listSamlKeys(transaction)).length === 0) await add(transaction, 1, first);
      });
      return load();
    }
    const keys = stored.map(openOnce);
    opened = new Map(keys.map((key) => [key.number, key]));
    const [next, signing, ...former] = keys;
    if (next === undefined || signing === undefined) throw new Error("A key of SAML is missing");
    return { signing, keys: [signing, next, ...former] };
  }

  const current = (): Promise<SamlKeyRing> => remembered.get("keys", () => load());

  return {
    current,
    async rotate() {
      const { signing } = await load();
      const made = await make();
      await database.alone(async (transaction) => {
        const [staged] = await listSamlKeys(transaction);
        // Two that rotate at once rotate once: whoever reads the metadata now and then has to meet each key before it signs.
        if (staged?.number !== signing.number + 1) return;
        await add(transaction, staged.number + 1, [made]);
        await removeSamlKeysBelow(transaction, staged.number + 2 - KEPT);
      });
      return load();
    },
  };
}

/** A key that is not stored yet. */
interface NewSamlKey extends Pick<StoredSamlKey, "certificate" | "createdAt"> {
  /** The private key, PKCS #8 in DER. */
  readonly secret: Buffer;
}

/** For a change of the master key. */
export async function samlKeySecrets(queries: Queries): Promise<SealedSecret[]> {
  return (await listSamlKeys(queries)).map(({ number, sealed }) => ({
    place: placeOf(number),
    sealed,
    replace: (transaction, next) => replaceSealedKey(transaction, number, next),
  }));
}

function placeOf(number: number): string {
  return `saml-key/${number}`;
}
