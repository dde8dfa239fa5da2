/** Keyed hashes as counter keys: they don't reveal user names, nor passwords typed in the wrong field. */
import { createHmac, hkdfSync } from "node:crypto";

import type { MasterKey } from "../secrets/sealing.js";

/** Deterministic across processes with the same master key. */
export type HashKey = (...parts: readonly string[]) => string;

/** Base64url characters of a digest: 132 bits. */
const LENGTH = 22;

export function createHashKey({ key }: Pick<MasterKey, "key">): HashKey {
  const secret = Buffer.from(hkdfSync("sha256", key, "", "login-limits", 32));
  return (...parts) =>
    createHmac("sha256", secret).update(JSON.stringify(parts)).digest("base64url").slice(0, LENGTH);
}
