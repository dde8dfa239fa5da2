/**
 * The service's SAML keys, which sign messages and decrypt assertions: stored in the database, the private keys sealed by the master
 * key.
 *
 * Keys are numbered. The greatest number is the next key: metadata publishes its certificate before it signs. The one before signs.
 * The third signed until the last rotation, and decrypts assertions in flight. A rotation adds a key, which shifts the roles by
 * one: a reader of the metadata knows every key before it is used.
 */
import { createPrivateKey, generateKeyPair, X509Certificate, type KeyObject } from "node:crypto";
import { promisify } from "node:util";

import type { Platform } from "../area.js";
import type { Queries } from "../platform/database/database.js";
import { createRevisionCache } from "../platform/concurrency/revision-cache.js";
import { sealingIn, unsealStored } from "../platform/secrets/master-key-in-force.js";
import { type SealedSecret } from "../platform/secrets/sealing.js";
import { selfSignedCertificate } from "./self-signed-certificate.js";
import type { Moment } from "../platform/clock.js";

/** The next key, the signing key, and the former one. */
const MAX_KEYS = 3;
const RSA_BITS = 2048;
const LIFETIME_MS = 10 * 365 * 86_400_000;
/** For readers whose clocks are slow. */
const BACKDATED_MS = 3_600_000;

export interface SamlKey {
  readonly number: number;
  readonly privateKey: KeyObject;
  readonly certificate: X509Certificate;
}

export interface SamlKeyRing {
  readonly signing: SamlKey;
  /** All keys, the signing key first. */
  readonly keys: readonly [SamlKey, ...SamlKey[]];
}

export interface SamlKeys {
  /** The current keys; creates two if none exist. */
  current(): Promise<SamlKeyRing>;
  rotate(): Promise<SamlKeyRing>;
}

export interface SamlKeysDeps extends Pick<Platform, "database" | "clock" | "masterKey"> {
  /** The subject of the certificates. */
  readonly commonName: string;
}

const generate = promisify(generateKeyPair);

export function createSamlKeys({ database, masterKey, clock, commonName }: SamlKeysDeps): SamlKeys {
  let opened: ReadonlyMap<number, SamlKey> = new Map();
  const cache = createRevisionCache<SamlKeyRing>({
    revision: () => database.revision("facts"),
    maxEntries: 1,
  });

  /** Outside of transactions: a key takes a tenth of a second. */
  async function generateKey(): Promise<NewSamlKey> {
    const { privateKey } = await generate("rsa", { modulusLength: RSA_BITS });
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

  const unseal = ({ number, sealed, certificate }: StoredSamlKey): SamlKey => ({
    number,
    privateKey: createPrivateKey({
      key: unsealStored(masterKey, sealed, placeOf(number)),
      format: "der",
      type: "pkcs8",
    }),
    certificate: new X509Certificate(certificate),
  });

  /** The key as parsed before. */
  function unsealOnce(stored: StoredSamlKey): SamlKey {
    const known = opened.get(stored.number);
    if (known?.certificate.raw.equals(stored.certificate)) return known;
    return unseal(stored);
  }

  async function load(): Promise<SamlKeyRing> {
    const stored = await listSamlKeys(database);
    if (stored.length === 0) {
      const first = [await generateKey(), await generateKey()];
      await database.alone(async (transaction) => {
        // Only the first of concurrent replicas adds its keys.
        if ((await listSamlKeys(transaction)).length === 0) await add(transaction, 1, first);
      });
      return load();
    }
    const keys = stored.map(unsealOnce);
    opened = new Map(keys.map((key) => [key.number, key]));
    const [next, signing, ...former] = keys;
    if (next === undefined || signing === undefined)
      throw new Error(`${keys.length} SAML key is stored, expected at least 2`);
    return { signing, keys: [signing, next, ...former] };
  }

  const current = async (): Promise<SamlKeyRing> => cache.get("keys", () => load());

  return {
    current,
    async rotate() {
      const { signing } = await load();
      const made = await generateKey();
      await database.alone(async (transaction) => {
        const [staged] = await listSamlKeys(transaction);
        // Concurrent rotations rotate once: readers of the metadata have to see each key before it signs.
        if (staged?.number !== signing.number + 1) return;
        await add(transaction, staged.number + 1, [made]);
        await removeSamlKeysBelow(transaction, staged.number + 2 - MAX_KEYS);
      });
      return load();
    },
  };
}

/** A key before it is stored. */
interface NewSamlKey extends Pick<StoredSamlKey, "certificate" | "createdAt"> {
  /** The private key, PKCS #8 in DER. */
  readonly secret: Buffer;
}

/** The secrets to seal again after a change of the master key. */
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

/** A key as it is stored. */
export interface StoredSamlKey {
  /** From 1; a number is used once. */
  readonly number: number;
  /** In DER. */
  readonly certificate: Buffer;
  /** The sealed private key (PKCS #8 in DER). */
  readonly sealed: Buffer;
  readonly createdAt: Moment;
}

interface Tables {
  readonly saml_key: { number: number; certificate: Buffer; sealed: Buffer; created_at: Moment };
}

/** The newest first. */
export async function listSamlKeys(queries: Queries): Promise<StoredSamlKey[]> {
  const rows = await queries
    .tables<Tables>()
    .selectFrom("saml_key")
    .selectAll()
    .orderBy("number", "desc")
    .execute();
  return rows.map(({ number, certificate, sealed, created_at: createdAt }) => ({
    number,
    certificate,
    sealed,
    createdAt,
  }));
}

export async function insertSamlKeys(queries: Queries, keys: readonly StoredSamlKey[]): Promise<void> {
  await queries
    .tables<Tables>()
    .insertInto("saml_key")
    .values(
      keys.map(({ number, certificate, sealed, createdAt }) => ({
        number,
        certificate,
        sealed,
        created_at: createdAt,
      })),
    )
    .execute();
}

export async function removeSamlKeysBelow(queries: Queries, number: number): Promise<void> {
  await queries.tables<Tables>().deleteFrom("saml_key").where("number", "<", number).execute();
}

export async function replaceSealedKey(queries: Queries, number: number, sealed: Buffer): Promise<void> {
  await queries
    .tables<Tables>()
    .updateTable("saml_key")
    .set({ sealed })
    .where("number", "=", number)
    .execute();
}
