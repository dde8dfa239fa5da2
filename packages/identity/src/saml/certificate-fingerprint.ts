/** How messages name a certificate: as `openssl x509 -fingerprint -sha256` does, in the short form of other tools. */
import type { X509Certificate } from "node:crypto";

/** Such as `sha256:3f9a...`, with all 64 digits. */
export function fingerprintOf({ fingerprint256 }: X509Certificate): string {
  return `sha256:${fingerprint256.replaceAll(":", "").toLowerCase()}`;
}
