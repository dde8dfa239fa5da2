/**
 * Whether a key is strong enough to sign.
 *
 * @see RFC 7518, 3.3 and 6.2.1.1: RSA keys have 2,048 bits or more, and no curve has fewer than 256. NIST SP 800-131A for SAML.
 */
import type { KeyObject } from "node:crypto";

const MIN_RSA_BITS = 2048;
const MIN_EC_BITS = 256;

/** What a key lacks, such as `RSA key of 512 bits, expected at least 2048`; `undefined` where it is strong enough. */
export function keyWeakness({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string | undefined {
  if (asymmetricKeyType === "rsa" || asymmetricKeyType === "rsa-pss")
    return rsaWeakness(asymmetricKeyDetails?.modulusLength ?? 0);
  return asymmetricKeyType === "ec" ? curveWeakness(asymmetricKeyDetails?.namedCurve ?? "") : undefined;
}

/** The curves of ECDSA in XML signatures, by OpenSSL's name. */
const NIST_CURVES: ReadonlySet<string> = new Set(["prime256v1", "secp384r1", "secp521r1"]);

/** Why XML signatures by a key can't be accepted, though it is strong enough; `undefined` where they can. */
export function xmlKeyFault({
  asymmetricKeyType: type,
  asymmetricKeyDetails,
}: KeyObject): string | undefined {
  const curve = asymmetricKeyDetails?.namedCurve ?? "without a name";
  if (type === "rsa" || (type === "ec" && NIST_CURVES.has(curve))) return undefined;
  return type === "ec"
    ? `EC key on the curve ${curve}, expected P-256, P-384 or P-521`
    : `unusable key of type ${type}, expected rsa, or ec on P-256, P-384 or P-521`;
}

/** The same as {@link keyWeakness} for a JSON Web Key, which may be anything that JSON holds. */
export function jwkWeakness(jwk: unknown): string | undefined {
  const { kty, n, crv } = (jwk ?? {}) as Readonly<Record<string, unknown>>;
  if (kty === "RSA") return rsaWeakness(typeof n === "string" ? bitsOf(Buffer.from(n, "base64url")) : 0);
  return kty === "EC" ? curveWeakness(typeof crv === "string" ? crv : "") : undefined;
}

function rsaWeakness(bits: number): string | undefined {
  return bits < MIN_RSA_BITS ? `RSA key of ${bits} bits, expected at least ${MIN_RSA_BITS}` : undefined;
}

/** All curves have their size in their name; those that have none are described by the key itself, which proves nothing. */
function curveWeakness(curve: string): string | undefined {
  const bits = Number(/\d{3}/.exec(curve)?.[0] ?? 0);
  if (bits >= MIN_EC_BITS) return undefined;
  const named = /^[\w-]{1,40}$/.test(curve) ? ` (${curve})` : "";
  return `EC key of ${bits} bits${named}, expected a curve of at least ${MIN_EC_BITS}`;
}

function bitsOf(bytes: Buffer): number {
  const start = bytes.findIndex((byte) => byte !== 0);
  return start === -1 ? 0 : (bytes.length - start) * 8 - (Math.clz32(bytes[start] ?? 0) - 24);
}
