/** Certificates of identity providers: their names in messages. */
import type { X509Certificate } from "node:crypto";

/** A certificate in messages, as `openssl x509 -fingerprint -sha256` shows it: `sha256:3f9a...`, with all 64 digits. */
export function fingerprintOf({ fingerprint256 }: X509Certificate): string {
  return `sha256:${fingerprint256.replaceAll(":", "").toLowerCase()}`;
}
