/** Keys of counters: what an attempt names, such as a user or a password typed in the wrong field, can't be read from them. */
import { createHmac, hkdfSync } from "node:crypto";

import type { MasterKey } from "../secrets/sealing.js";

/** The same text for the same parts in all processes that have the same master key. */
export type HashKey = (...parts: readonly string[]) => string;

/** Of a digest, in base64url: 128 bits. */
const LENGTH = 22;

export function createHashKey({ key }: Pick<MasterKey, "key">): HashKey {
  const secret = Buffer.from(hkdfSync("sha256", key, "", "login-limits", 32));
  return (...parts) =>
    createHmac("sha256", secret).update(JSON.stringify(parts)).digest("base64url").slice(0, LENGTH);
}
