/** Texts that signatures are made of. */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";

export function hmacSha256(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

export function sha256Hex(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Compares a signature in a time that does not depend on its characters. */
export function isSameSignature(expected: string, given: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(given)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Sorted and percent-encoded parameters, without the signature itself. */
export function canonicalQuery(parameters: ReadonlyMap<string, string>, signatureName: string): string {
  return [...parameters]
    .filter(([name]) => name !== signatureName)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${percentEncoded(name)}=${percentEncoded(value)}`)
    .join("&");
}

/** All but RFC 3986's unreserved characters. */
function percentEncoded(text: string): string {
  // Halves of surrogate pairs can't be encoded.
  return encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, "\uFFFD")).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
