/** Signs XML. */
import { SignedXml } from "xml-crypto";

import type { SamlKey } from "./saml-keys.js";
import { ALGORITHMS } from "./saml-names.js";

export interface SignaturePlace {
  /** The `ID` of the element to sign. */
  readonly id: string;
  /** An XPath to the element after which, or within which, the signature is inserted. */
  readonly reference: string;
  readonly action: "prepend" | "after";
}

/** The document with a signature: RSA with SHA-256 over one element in exclusive canonical form, which survives embedding. */
export function signDocument(
  xml: string,
  { id, reference: location, action }: SignaturePlace,
  key: Pick<SamlKey, "privateKey" | "certificate">,
): string {
  const signature = new SignedXml({
    privateKey: key.privateKey,
    publicCert: key.certificate.toString(),
    signatureAlgorithm: ALGORITHMS.rsaSha256,
    canonicalizationAlgorithm: ALGORITHMS.exclusiveCanonical,
  });
  signature.addReference({
    xpath: `//*[@ID="${id}"]`,
    transforms: [ALGORITHMS.enveloped, ALGORITHMS.exclusiveCanonical],
    digestAlgorithm: ALGORITHMS.sha256,
  });
  signature.computeSignature(xml, { prefix: "ds", location: { reference: location, action } });
  return signature.getSignedXml();
}
