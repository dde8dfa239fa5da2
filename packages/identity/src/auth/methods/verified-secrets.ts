/**
 * Verifies secrets against their hashes, the slow way once: a secret that matched is recognized by a keyed digest afterwards.
 *
 * The cache is by hash, which no change of a secret leaves the same; the key is random and never leaves the process.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

import type { PasswordHasher } from "../../passwords/password-hash.js";

/** Cached hashes: some 300 bytes each. */
const MAX_VERIFIED_SECRETS = 10_000;
const KEY_BYTES = 32;

/**
 * Whether a secret matches a hash. Without a hash it fails after the time of a real verification.
 *
 * @throws {BusyError} The queue of the hasher is full.
 */
export type VerifySecret = (secret: string, hash: string | undefined) => Promise<boolean>;

export function createVerifiedSecrets({
  hasher,
  maxEntries = MAX_VERIFIED_SECRETS,
}: {
  readonly hasher: Pick<PasswordHasher, "verify">;
  readonly maxEntries?: number;
}): VerifySecret {
  const key = randomBytes(KEY_BYTES);
  const digests = new Map<string, Buffer>();
  const digestOf = (secret: string) => createHmac("sha256", key).update(secret).digest();

  function store(hash: string, digest: Buffer): void {
    const [oldest] = digests.keys();
    if (digests.size >= maxEntries && oldest !== undefined) digests.delete(oldest);
    digests.set(hash, digest);
  }

  return async (secret, hash) => {
    const known = hash === undefined ? undefined : digests.get(hash);
    if (known !== undefined && timingSafeEqual(known, digestOf(secret))) return true;
    const { matches } = await hasher.verify(secret, hash);
    if (matches && hash !== undefined && known === undefined) store(hash, digestOf(secret));
    return matches;
  };
}
