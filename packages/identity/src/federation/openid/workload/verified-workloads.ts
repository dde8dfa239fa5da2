/**
 * A cache of verified tokens: each command of a job logs in with the same one, and verification takes a third of a login.
 *
 * Keys and settings are those of the verification, and the token has not expired: nothing else that it depends on changes.
 */
import { createHash } from "node:crypto";

import type { JWTVerifyGetKey } from "jose";

import { verifyWorkload, type VerifiedWorkload, type WorkloadCheck } from "./workload-token.js";

/** Some kilobytes each. */
const MAX_CACHED = 1000;

interface Cached {
  readonly keys: JWTVerifyGetKey;
  readonly settings: WorkloadCheck["settings"];
  readonly verified: VerifiedWorkload;
}

/** @returns A function that verifies tokens; it throws {@link AssertionRefusedError}. */
export function createWorkloadVerification(verify = verifyWorkload) {
  const cache = new Map<string, Cached>();

  return async (token: string, check: WorkloadCheck): Promise<VerifiedWorkload> => {
    const { keys, settings, clock, trace } = check;
    // A test login shows each check: each is made.
    if (trace !== undefined) return verify(token, check);
    const digest = createHash("sha256").update(token).digest("base64");
    const known = cache.get(digest);
    const isSame = known?.keys === keys && known.settings === settings;
    if (known !== undefined && isSame && clock.now() < known.verified.expiresAt) return known.verified;
    cache.delete(digest);
    const verified = await verify(token, check);
    cache.set(digest, { keys, settings, verified });
    const [oldest] = cache.keys();
    if (cache.size > MAX_CACHED && oldest !== undefined) cache.delete(oldest);
    return verified;
  };
}
