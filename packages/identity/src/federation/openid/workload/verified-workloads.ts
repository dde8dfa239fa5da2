/**
 * A cache of verified tokens: each command of a job logs in with the same one, and verification takes a third of a login.
 *
 * Keys and settings are those of the verification, and the token has not expired: nothing else that it depends on changes.
 */
import { createHash } from "node:crypto";

import type { JWTVerifyGetKey } from "jose";

import { settingsDigest } from "../../published/settings-digest.js";
import { verifyWorkload, type VerifiedWorkload, type WorkloadCheck } from "./workload-token.js";

/** Jobs that log in at the same time. Some 3 KB each. */
const MAX_CACHED = 250;

interface Cached {
  readonly keys: JWTVerifyGetKey;
  readonly verified: VerifiedWorkload;
}

/** @returns A function that verifies tokens; it throws {@link AssertionRefusedError}. */
export function createWorkloadVerification(verify = verifyWorkload) {
  const cache = new Map<string, Cached>();

  return async (token: string, check: WorkloadCheck): Promise<VerifiedWorkload> => {
    const { keys, settings, clock, trace } = check;
    // A test login shows each check: each is made.
    if (trace !== undefined) return verify(token, check);
    const digest = createHash("sha256").update(settingsDigest(settings)).update(token).digest("base64");
    const known = cache.get(digest);
    if (known?.keys === keys && clock.now() < known.verified.expiresAt) return known.verified;
    cache.delete(digest);
    const verified = await verify(token, check);
    cache.set(digest, { keys, verified });
    const [oldest] = cache.keys();
    if (cache.size > MAX_CACHED && oldest !== undefined) cache.delete(oldest);
    return verified;
  };
}
