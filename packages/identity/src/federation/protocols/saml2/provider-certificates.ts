/** Certificates of identity providers: their names in messages, and which of them are fit to verify signatures. */
import type { X509Certificate } from "node:crypto";

import type { Moment } from "../../../platform/clock.js";
import { keyWeakness, xmlKeyFault } from "../../../platform/secrets/key-strength.js";
import { isoTime } from "../../leeway.js";
import type { ProviderKey } from "../protocol-type.js";

export interface SortedCertificates {
  /** Those whose keys are accepted. */
  readonly certificates: readonly X509Certificate[];
  /** The others, by fingerprint, with the reason: for the log. */
  readonly weakKeys: readonly string[];
  /** Whether one of these is weak, rather than of a kind that is not accepted. */
  readonly hasWeakKey: boolean;
}

/** Separates certificates whose keys are accepted from those with weak ones, and with keys that are neither RSA nor EC of NIST. */
export function separateWeakKeys(certificates: readonly X509Certificate[]): SortedCertificates {
  const checked = certificates.map((certificate) => ({
    certificate,
    weakness: keyWeakness(certificate.publicKey) ?? xmlKeyFault(certificate.publicKey),
  }));
  return {
    hasWeakKey: certificates.some(({ publicKey }) => keyWeakness(publicKey) !== undefined),
    certificates: checked
      .filter(({ weakness }) => weakness === undefined)
      .map(({ certificate }) => certificate),
    weakKeys: checked.flatMap(({ certificate, weakness }) =>
      weakness === undefined ? [] : [`${weakness} (certificate ${fingerprintOf(certificate)})`],
    ),
  };
}

/** A certificate in messages, as `openssl x509 -fingerprint -sha256` shows it: `sha256:3f9a...`, with all 64 digits. */
export function fingerprintOf({ fingerprint256 }: X509Certificate): string {
  return `sha256:${fingerprint256.replaceAll(":", "").toLowerCase()}`;
}

/** A certificate as the health of a provider shows it. */
export function keyOfCertificate(certificate: X509Certificate): ProviderKey {
  return {
    id: fingerprintOf(certificate),
    algorithm: certificate.publicKey.asymmetricKeyType ?? "",
    expiresAt: Date.parse(certificate.validTo),
    fault: undefined,
  };
}

/**
 * Whether a certificate has expired, or is not yet valid, as messages say it; `undefined` within its dates. Its key is trusted in any
 * case: the metadata, or the administrator, vouches for it.
 *
 * @see SAML V2.0 Metadata Interoperability Profile, 2.6.1: a certificate is no more than a container of a key.
 */
export function certificateDatesFault(certificate: X509Certificate, now: Moment): string | undefined {
  const [from, until] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
  const name = `certificate ${fingerprintOf(certificate)}`;
  if (now > until) return `${name} expired at ${isoTime(until)}`;
  return now < from ? `${name} is not valid before ${isoTime(from)}` : undefined;
}
