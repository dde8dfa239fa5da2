/** Signatures in XML: RSA with SHA-256 over one element in its exclusive canonical form, which survives being put elsewhere. */
import { SignedXml } from "xml-crypto";

import { ALGORITHMS } from "./saml-names.js";
import type { SamlKey } from "./saml-keys.js";

export interface SignaturePlace {
  /** The `ID` of the element that is signed. */
  readonly id: string;
  /** An XPath to the element beside which, or within which, the signature stands. */
  readonly reference: string;
  readonly action: "prepend" | "after";
}

/** The document with a signature in it. */
export function signXml(
  xml: string,
  { id, reference, action }: SignaturePlace,
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
  signature.computeSignature(xml, { prefix: "ds", location: { reference, action } });
  return signature.getSignedXml();
}

/** As it stands in XML. */
export function certificateText({ certificate }: SamlKey): string {
  return certificate.raw.toString("base64");
}
