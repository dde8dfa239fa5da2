/** Signatures by EC keys, which the library of the tests does not make itself. */
import { createHash, sign as signBytes } from "node:crypto";

import { SignedXml } from "xml-crypto";

import type { Signer } from "./test-provider.js";

export type EcHash = "sha256" | "sha384" | "sha512";

/** RFC 9231, 2.1.2, 2.3.6 and XML Signature, 6.2. */
export const ECDSA = "http://www.w3.org/2001/04/xmldsig-more#ecdsa-";
const DIGESTS: Readonly<Record<EcHash, string>> = {
  sha256: "http://www.w3.org/2001/04/xmlenc#sha256",
  sha384: "http://www.w3.org/2001/04/xmldsig-more#sha384",
  sha512: "http://www.w3.org/2001/04/xmlenc#sha512",
};

export interface EcSigningOptions {
  readonly signer: Signer;
  readonly hash?: EcHash;
  readonly digest?: EcHash;
  /** Changes the value of the signature, r and s. */
  readonly change?: (value: Buffer) => Buffer;
  readonly encoding?: "ieee-p1363" | "der";
  /** Where the signature is inserted. */
  readonly place?: { readonly reference: string; readonly action: "after" | "prepend" };
}

/** r and s of a text. */
export function ecSignature(
  text: string,
  { signer, hash = "sha256", encoding = "ieee-p1363", change = (value) => value }: EcSigningOptions,
): Buffer {
  const key = { key: signer.privateKey, dsaEncoding: encoding };
  return change(signBytes(hash, Buffer.from(text), key));
}

/** Signs the element of an id, behind its issuer. */
export function signByEc(xml: string, id: string, options: EcSigningOptions): string {
  const { hash = "sha256", digest = hash } = options;
  const location = options.place ?? {
    reference: `//*[@ID="${id}"]/*[local-name()="Issuer"]`,
    action: "after",
  };
  const signature = new SignedXml({
    privateKey: "unused",
    publicCert: options.signer.certificate,
    signatureAlgorithm: ECDSA + hash,
    canonicalizationAlgorithm: "http://www.w3.org/2001/10/xml-exc-c14n#",
  });
  Object.assign(signature.SignatureAlgorithms, {
    [ECDSA + hash]: class {
      readonly getAlgorithmName = () => ECDSA + hash;
      readonly getSignature = (text: unknown) => ecSignature(String(text), options).toString("base64");
    },
  });
  Object.assign(signature.HashAlgorithms, {
    [DIGESTS.sha384]: class {
      readonly getAlgorithmName = () => DIGESTS.sha384;
      readonly getHash = (text: string) => createHash("sha384").update(text).digest("base64");
    },
  });
  signature.addReference({
    xpath: `//*[@ID="${id}"]`,
    transforms: [
      "http://www.w3.org/2000/09/xmldsig#enveloped-signature",
      "http://www.w3.org/2001/10/xml-exc-c14n#",
    ],
    digestAlgorithm: DIGESTS[digest],
  });
  signature.computeSignature(xml, { prefix: "ds", location });
  return signature.getSignedXml();
}
