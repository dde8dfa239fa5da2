/** The algorithms of XML signatures and digests that are accepted: RSA, and ECDSA on the curves of NIST; SHA-1 where a protocol allows it. */
import { createHash, verify, type KeyObject } from "node:crypto";

import type { SignedXml } from "xml-crypto";

import { ALGORITHMS } from "../../../saml/saml-names.js";

const MORE = "http://www.w3.org/2001/04/xmldsig-more#";
const OLD = "http://www.w3.org/2000/09/xmldsig#";

export type Hash = "sha1" | "sha256" | "sha384" | "sha512";

interface SignatureAlgorithm {
  readonly keyType: "rsa" | "ec";
  readonly hash: Hash;
}

const SIGNATURES: Readonly<Record<string, SignatureAlgorithm>> = {
  [ALGORITHMS.rsaSha256]: { keyType: "rsa", hash: "sha256" },
  [`${MORE}rsa-sha512`]: { keyType: "rsa", hash: "sha512" },
  [`${MORE}ecdsa-sha256`]: { keyType: "ec", hash: "sha256" },
  [`${MORE}ecdsa-sha384`]: { keyType: "ec", hash: "sha384" },
  [`${MORE}ecdsa-sha512`]: { keyType: "ec", hash: "sha512" },
};
const RSA_SHA1 = `${OLD}rsa-sha1`;
const SHA384 = `${MORE}sha384`;

/** By the URIs of digests. */
const HASHES: Readonly<Record<string, Hash>> = {
  [ALGORITHMS.sha256]: "sha256",
  [SHA384]: "sha384",
  "http://www.w3.org/2001/04/xmlenc#sha512": "sha512",
};
const OLD_DIGEST = `${OLD}sha1`;

/** @param uri Of an accepted digest. */
export function hashOfDigest(uri: string): Hash {
  return uri === OLD_DIGEST ? "sha1" : (HASHES[uri] ?? "sha256");
}

/** Bytes of r and of s, which stand behind each other, each as long as the curve's order. HTTP-Redirect has the same. @see RFC 9231, 2.3.6 */
const CURVE_BYTES: Readonly<Record<string, number>> = { prime256v1: 32, secp384r1: 48, secp521r1: 66 };

export function acceptedSignatures({ allowsSha1 }: { readonly allowsSha1: boolean }): readonly string[] {
  return allowsSha1 ? [...Object.keys(SIGNATURES), RSA_SHA1] : Object.keys(SIGNATURES);
}

export function acceptedDigests({ allowsSha1 }: { readonly allowsSha1: boolean }): readonly string[] {
  return allowsSha1 ? [...Object.keys(HASHES), OLD_DIGEST] : Object.keys(HASHES);
}

export interface SignatureBytes {
  /** The URI of an accepted algorithm. */
  readonly algorithm: string;
  readonly text: Buffer;
  readonly value: Buffer;
}

/** Whether a key has made a signature. A key of another type, or on another curve, has not. */
export function isXmlSignedBy({ algorithm, text, value }: SignatureBytes, key: KeyObject): boolean {
  const { keyType, hash } = algorithm === RSA_SHA1 ? SHA1 : (SIGNATURES[algorithm] ?? NONE);
  if (keyType === undefined || key.asymmetricKeyType !== keyType) return false;
  if (keyType === "rsa") return verify(hash, text, key, value);
  const bytes = CURVE_BYTES[key.asymmetricKeyDetails?.namedCurve ?? ""];
  // DER, which OpenSSL writes, has another length or form.
  if (bytes === undefined || value.length !== 2 * bytes) return false;
  return verify(hash, text, { key, dsaEncoding: "ieee-p1363" }, value);
}

const SHA1: SignatureAlgorithm = { keyType: "rsa", hash: "sha1" };
const NONE = { keyType: undefined, hash: undefined };

/** Has the library, which knows RSA alone, and no SHA-384, verify by a key with the other accepted algorithms. */
export function addAlgorithms(verifier: SignedXml, key: KeyObject): void {
  for (const [uri, { keyType }] of Object.entries(SIGNATURES))
    if (keyType === "ec")
      verifier.SignatureAlgorithms[uri] = class implements LibrarySignature {
        readonly getAlgorithmName = () => uri;
        readonly getSignature = () => {
          throw new TypeError("signatures by EC keys are verified only");
        };
        readonly verifySignature = (text: unknown, _key: unknown, value: string) =>
          isXmlSignedBy(
            { algorithm: uri, text: Buffer.from(String(text)), value: Buffer.from(value, "base64") },
            key,
          );
      };
  verifier.HashAlgorithms[SHA384 as HashUri] = class {
    readonly getAlgorithmName = () => SHA384 as HashUri;
    readonly getHash = (xml: string) => createHash("sha384").update(xml, "utf8").digest("base64");
  };
}

type SignatureUri = keyof SignedXml["SignatureAlgorithms"];
type HashUri = keyof SignedXml["HashAlgorithms"];
type LibrarySignature = InstanceType<SignedXml["SignatureAlgorithms"][SignatureUri]>;
