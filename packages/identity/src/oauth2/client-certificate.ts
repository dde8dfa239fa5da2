/** Client certificates of mutual TLS, as the front end that verified them passes them on. */
import { createHash, X509Certificate } from "node:crypto";

import { LoginRefusedError } from "../auth/auth-errors.js";
import type { Assertion } from "../mappings/rules/evaluate-mapping.js";
import type { Moment } from "../platform/clock.js";

export interface ClientCertificate {
  /** The names of subject and issuer as rules of mappings see them: `SSL_CLIENT_SUBJECT_DN_CN`, `SSL_CLIENT_ISSUER_DN_O`. */
  readonly attributes: Assertion;
  /** SHA-256 of the certificate as tokens show it: base64url with padding, which keystonemiddleware compares. */
  readonly thumbprint: string;
}

/** The members of a forwarded assertion, by the names of Apache's variables. */
const CERTIFICATE = "SSL_CLIENT_CERT";
const VERIFICATION = "SSL_CLIENT_VERIFY";

/**
 * The client certificate in a forwarded assertion, which has to be valid at a moment; `undefined` without one.
 *
 * @throws {LoginRefusedError} It is malformed, not yet valid or expired, or the front end did not verify it.
 */
export function readClientCertificate(assertion: Assertion, now: Moment): ClientCertificate | undefined {
  const { [CERTIFICATE]: text = "", [VERIFICATION]: verification = "SUCCESS" } = assertion;
  if (text === "") return undefined;
  // Web servers can be configured to pass on certificates of unknown issuers.
  if (verification !== "SUCCESS")
    throw new LoginRefusedError(`${VERIFICATION} of the client certificate is not SUCCESS`);
  const certificate = parse(text);
  if (now < Date.parse(certificate.validFrom))
    throw new LoginRefusedError(`client certificate is not valid before ${certificate.validFrom}`);
  if (now > Date.parse(certificate.validTo))
    throw new LoginRefusedError(`client certificate expired at ${certificate.validTo}`);
  const { subject, issuer } = certificate.toLegacyObject();
  return {
    attributes: {
      ...namesOf(subject, "SSL_CLIENT_SUBJECT_DN_"),
      ...namesOf(issuer, "SSL_CLIENT_ISSUER_DN_"),
    },
    thumbprint: `${createHash("sha256").update(certificate.raw).digest("base64url")}=`,
  };
}

/** PEM. In a header its line breaks may be blanks, or percent-encoded with all other signs. */
function parse(text: unknown): X509Certificate {
  try {
    const pem = decodeURIComponent(String(text));
    const [, base64 = ""] =
      /^\s*-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/.exec(pem) ?? [];
    return new X509Certificate(Buffer.from(base64, "base64"));
  } catch (cause) {
    throw new LoginRefusedError(`${CERTIFICATE} is no certificate in PEM`, { cause });
  }
}

/** Of a name that repeats, the last value, as in Keystone. */
function namesOf(entity: object, prefix: string): Assertion {
  return Object.fromEntries(
    Object.entries(entity as Readonly<Record<string, string | readonly string[]>>).map(([name, value]) => [
      prefix + name.toUpperCase(),
      [value].flat().at(-1),
    ]),
  );
}
