/**
 * What was signed of a document, as the very text that the digest is of. Whoever reads that text, and nothing else, can't be
 * shown what nobody has signed.
 *
 * A signature has one form here, the one that SAML asks for: one reference, to the element that it stands in, by exclusive
 * canonical XML. Which keys count is known before; what a signature says of its own key is not looked at.
 */
import { X509Certificate } from "node:crypto";

import { SignedXml } from "xml-crypto";

import { fingerprintOf } from "../../saml/certificate-fingerprint.js";
import { quoted } from "../../platform/text/quoted-value.js";
import { ALGORITHMS, NAMESPACES } from "../../saml/saml-names.js";
import { signingKey } from "../../saml/signing-key.js";
import {
  attributeOf,
  childOf,
  descendantsOf,
  elementsIn,
  isNamed,
  readMessage,
  requireChild,
  textOf,
} from "./xml-reading.js";

export interface Trust {
  /** The signers whose word counts. */
  readonly certificates: readonly X509Certificate[];
  /** Keys of theirs that don't count, as the log names them. */
  readonly weakKeys: readonly string[];
  readonly allowsSha1: boolean;
}

/** Nobody who counts has signed it, or not in a form that can be relied on. */
export class SignatureError extends Error {
  override readonly name = "SignatureError";
}

const RSA = "http://www.w3.org/2001/04/xmldsig-more#";
const SIGNATURES = [ALGORITHMS.rsaSha256, `${RSA}rsa-sha512`];
const DIGESTS = [ALGORITHMS.sha256, "http://www.w3.org/2001/04/xmlenc#sha512"];
const OLD = "http://www.w3.org/2000/09/xmldsig#";
const SIGNATURE = { namespace: NAMESPACES.signature, name: "Signature" };

const named = (name: string) => ({ namespace: NAMESPACES.signature, name });

export function hasSignature(element: Element): boolean {
  return childOf(element, SIGNATURE) !== undefined;
}

/** @throws {SignatureError} A signature stands elsewhere than in one of these elements. */
export function checkSignaturePlaces(root: Element, places: readonly Element[]): void {
  for (const element of descendantsOf(root))
    if (element.localName === "Signature" && !places.includes(element.parentNode as Element))
      throw new SignatureError(
        `unexpected Signature in ${quoted((element.parentNode as Element | null)?.localName)}`,
      );
}

/** @throws {SignatureError} Two elements of a document have the same id. */
export function checkUniqueIds(root: Element): void {
  const seen = new Set<string>();
  for (const element of descendantsOf(root))
    for (const name of ["ID", "Id", "id", "xml:id", "AssertionID"]) {
      const id = attributeOf(element, name);
      if (id !== undefined && seen.has(id)) throw new SignatureError(`duplicate ID attribute ${quoted(id)}`);
      if (id !== undefined) seen.add(id);
    }
}

/**
 * An element as it was signed, read again from the signed text.
 *
 * @param xml The document that the element was read from.
 * @throws {SignatureError} {@link XmlError}
 */
export function readSigned(element: Element, xml: string, trust: Trust): SignedElement {
  const signature = requireChild(element, SIGNATURE);
  const id = attributeOf(element, "ID") ?? "";
  checkForm(signature, id, trust);
  // Before what is signed is looked at, which takes long in a document that somebody has made for that.
  const key = signingKey(signature, trust.certificates);
  if (key === undefined) throw new SignatureError(unknownSigner(signature, trust));
  const signed = signedText(signature, xml, key.export({ type: "spki", format: "pem" }).toString());
  if (signed === undefined) throw new SignatureError("digest does not match: the signed element was changed");
  const root = readMessage(signed);
  const isSame = root.localName === element.localName && root.namespaceURI === element.namespaceURI;
  if (!isSame || attributeOf(root, "ID") !== id)
    throw new SignatureError(`the signature covers a different element than ${element.localName}`);
  return { xml: signed, root };
}

export interface SignedElement {
  readonly xml: string;
  readonly root: Element;
}

/** With the certificate that the message itself names, which says nothing about who signed it, but much about what is amiss. */
function unknownSigner(signature: Element, { certificates, weakKeys }: Trust): string {
  const own = descendantsOf(signature).find((element) => isNamed(element, named("X509Certificate")));
  const brought = own === undefined ? "no certificate" : certificateName(own);
  const tried = certificates.map(fingerprintOf).join(", ");
  const weak = weakKeys.length === 0 ? "" : `; not used: ${weakKeys.join(", ")}`;
  return `signature does not verify with any trusted certificate of this provider: the message names ${brought}, expected ${tried || "none"}${weak}`;
}

function certificateName(element: Element): string {
  try {
    return fingerprintOf(new X509Certificate(Buffer.from(textOf(element), "base64")));
  } catch {
    return "a certificate that can't be read";
  }
}

/** @returns `undefined` where that is not what this key has signed. */
function signedText(signature: Element, xml: string, publicKey: string): string | undefined {
  const verifier = new SignedXml({ publicCert: publicKey, getCertFromKeyInfo: () => null });
  try {
    verifier.loadSignature(signature);
    if (!verifier.checkSignature(withReferences(xml))) return undefined;
  } catch {
    return undefined;
  }
  const [signed, ...others] = verifier.getSignedReferences();
  return others.length === 0 ? signed : undefined;
}

/** The same document, without the characters that the library would take for line ends although XML does not. */
function withReferences(xml: string): string {
  return xml.replaceAll("\u0085", "&#x85;").replaceAll("\u2028", "&#x2028;");
}

/** @throws {SignatureError} It is in another form than SAML's, or by means that can't be relied on. */
function checkForm(signature: Element, id: string, { allowsSha1 }: Trust): void {
  const [info, value, keyInfo] = partsOf(signature, ["SignedInfo", "SignatureValue"], ["KeyInfo"]);
  const [canonical, method, reference] = partsOf(info, [
    "CanonicalizationMethod",
    "SignatureMethod",
    "Reference",
  ]);
  const [transforms, digest, digestValue] = partsOf(reference, ["Transforms", "DigestMethod", "DigestValue"]);
  const [enveloped, exclusive] = partsOf(transforms, ["Transform", "Transform"]);
  for (const text of [value, digestValue]) textOf(text as Element);
  void keyInfo;

  const algorithms: readonly (readonly [Element | undefined, readonly string[]])[] = [
    [canonical, [ALGORITHMS.exclusiveCanonical]],
    [method, allowsSha1 ? [...SIGNATURES, `${OLD}rsa-sha1`] : SIGNATURES],
    [digest, allowsSha1 ? [...DIGESTS, `${OLD}sha1`] : DIGESTS],
    [enveloped, [ALGORITHMS.enveloped]],
    [exclusive, [ALGORITHMS.exclusiveCanonical]],
  ];
  for (const [element, allowed] of algorithms)
    if (element === undefined || !allowed.includes(attributeOf(element, "Algorithm") ?? ""))
      throw new SignatureError(
        `the signature's ${element?.localName} is not accepted: ${quoted(element && attributeOf(element, "Algorithm"))}, expected ${allowed.join(" or ")}`,
      );
  // In XML no id begins with a digit; most of Keystone's do.
  const uri = attributeOf(reference as Element, "URI");
  if (!/^[\w.-]+$/.test(id) || uri !== `#${id}`)
    throw new SignatureError(
      `URI of the signature's Reference is ${quoted(uri)}, expected ${quoted(`#${id}`)}`,
    );
}

/** The children, which have to be these and no others. */
function partsOf(
  element: Element | undefined,
  required: readonly string[],
  optional: readonly string[] = [],
): readonly (Element | undefined)[] {
  const children = element === undefined ? [] : elementsIn(element);
  const names = children.length > required.length ? [...required, ...optional] : required;
  const isForm =
    children.length === names.length &&
    children.every((child, index) => isNamed(child, named(names[index] ?? "")));
  if (!isForm) throw new SignatureError(`the signature has a ${element?.localName} of another form`);
  return children;
}
