/**
 * Verifies XML signatures and reads the signed text again, the very text of the digest: callers never see an unsigned element.
 *
 * One form of signature is accepted, SAML's: one reference, to the signature's parent, by exclusive canonical XML. Trusted keys are
 * known before; the key that a signature names is ignored.
 */
import { X509Certificate, type KeyObject } from "node:crypto";

import { ExclusiveCanonicalization, SignedXml } from "xml-crypto";

import { quoted } from "../../../platform/text/quoted-value.js";
import { ALGORITHMS, NAMESPACES } from "../../../saml/saml-names.js";
import { fingerprintOf } from "./provider-certificates.js";
import {
  acceptedDigests,
  acceptedSignatures,
  addAlgorithms,
  hashOfDigest,
  isXmlSignedBy,
  type Hash,
  type SignatureBytes,
} from "./signature-algorithms.js";
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

export interface SignatureTrust {
  /** The trusted signers. */
  readonly certificates: readonly X509Certificate[];
  /** Their keys that are too weak, as the log names them. */
  readonly weakKeys: readonly string[];
  readonly allowsSha1: boolean;
  /** Where the trusted signers are set, for messages. */
  readonly setting?: string;
}

/** No trusted key signed it, or in a form that is not accepted. */
export class SignatureError extends Error {
  override readonly name = "SignatureError";
}

const SIGNATURE = { namespace: NAMESPACES.signature, name: "Signature" };

const named = (name: string) => ({ namespace: NAMESPACES.signature, name });

export function hasSignature(element: Element): boolean {
  return childOf(element, SIGNATURE) !== undefined;
}

/** @throws {SignatureError} A signature in another element than these. */
export function checkSignaturePlaces(root: Element, places: readonly Element[]): void {
  for (const element of descendantsOf(root))
    if (element.localName === "Signature" && !places.includes(element.parentNode as Element))
      throw new SignatureError(
        `unexpected Signature in ${quoted((element.parentNode as Element | null)?.localName)}`,
      );
}

/** @throws {SignatureError} Two elements with the same id. */
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
 * An element as it was signed, parsed from the signed text.
 *
 * @param xml The document of the element.
 * @param read Parses the signed text.
 * @throws {SignatureError} {@link XmlError}
 */
export function readSigned(
  element: Element,
  xml: string,
  trust: SignatureTrust,
  read: (signed: string) => Element = readMessage,
): SignedElement {
  const signature = requireChild(element, SIGNATURE);
  const id = attributeOf(element, "ID") ?? "";
  checkForm(signature, id, trust);
  // Before the digest, which takes long in a document crafted for that.
  const signer = findSigner(signature, trust.certificates);
  if (signer === undefined) throw new SignatureError(unknownSigner(signature, trust));
  const signed = signedText(signature, xml, signer.publicKey);
  if (signed === undefined) throw new SignatureError("digest does not match: the signed element was changed");
  const root = read(signed);
  const isSame = root.localName === element.localName && root.namespaceURI === element.namespaceURI;
  if (!isSame || attributeOf(root, "ID") !== id)
    throw new SignatureError(`the signature covers a different element than ${element.localName}`);
  return { xml: signed, root, signer };
}

/** What the digest of an element is computed by, and what it has to be: for a caller who computes it while the element is read. */
export interface EnvelopedSignature {
  readonly hash: Hash;
  /** In base64. */
  readonly digest: string;
  /** Prefixes that are canonicalized by Canonical XML (`InclusiveNamespaces`); `` is the default namespace. */
  readonly inclusivePrefixes: ReadonlySet<string>;
}

/**
 * The signature of an element that is read without its other content. Its digest is not checked.
 *
 * @throws {SignatureError} No trusted signer made it, it is of another form, or covers another element.
 */
export function readEnvelopedSignature(element: Element, trust: SignatureTrust): EnvelopedSignature {
  const signature = requireChild(element, SIGNATURE);
  checkForm(signature, attributeOf(element, "ID") ?? "", trust);
  if (findSigner(signature, trust.certificates) === undefined)
    throw new SignatureError(unknownSigner(signature, trust));
  const reference = requireChild(requireChild(signature, named("SignedInfo")), named("Reference"));
  const [, exclusive] = elementsIn(requireChild(reference, named("Transforms")));
  const algorithm = attributeOf(requireChild(reference, named("DigestMethod")), "Algorithm") ?? "";
  return {
    hash: hashOfDigest(algorithm),
    digest: textOf(requireChild(reference, named("DigestValue"))).replaceAll(/\s/g, ""),
    inclusivePrefixes: inclusivePrefixesIn(exclusive),
  };
}

function inclusivePrefixesIn(transform: Element | undefined): Set<string> {
  const list = transform && childOf(transform, INCLUSIVE);
  const prefixes = (list && attributeOf(list, "PrefixList"))?.split(/\s+/) ?? [];
  return new Set(prefixes.filter((each) => each !== "").map((each) => (each === "#default" ? "" : each)));
}

const INCLUSIVE = { namespace: ALGORITHMS.exclusiveCanonical, name: "InclusiveNamespaces" };

/** A signature beside the text that it covers. */
export interface DetachedSignature {
  readonly text: string;
  /** The URI of the algorithm. */
  readonly algorithm: string;
  /** In base64. */
  readonly value: string;
}

/** @throws {SignatureError} */
export function checkDetached({ text, algorithm, value }: DetachedSignature, trust: SignatureTrust): void {
  const allowed = acceptedSignatures(trust);
  if (!allowed.includes(algorithm))
    throw new SignatureError(`SigAlg is ${quoted(algorithm)}, expected ${allowed.join(" or ")}`);
  const signature = { algorithm, text: Buffer.from(text), value: Buffer.from(value, "base64") };
  if (findCertificate(signature, trust.certificates) === undefined)
    throw new SignatureError(notVerified("it names no certificate", trust));
}

export interface SignedElement {
  readonly xml: string;
  readonly root: Element;
  /** The trusted certificate whose key verifies the signature. */
  readonly signer: X509Certificate;
}

/** Names the message's own certificate, which proves nothing but helps to find the fault. */
function unknownSigner(signature: Element, trust: SignatureTrust): string {
  const own = descendantsOf(signature).find((element) => isNamed(element, named("X509Certificate")));
  const received = own === undefined ? "no certificate" : certificateName(own);
  return notVerified(`the message names ${received}`, trust);
}

function notVerified(received: string, trust: SignatureTrust): string {
  return `signature does not verify with any trusted certificate of this provider: ${received}, expected ${trustedSigners(trust)}`;
}

/** The trusted certificates, as messages name them. */
export function trustedSigners({ certificates, weakKeys, setting }: SignatureTrust): string {
  const trusted = certificates.map(fingerprintOf).join(", ") || "none";
  const weak = weakKeys.length === 0 ? "" : `; not used: ${weakKeys.join(", ")}`;
  return `${trusted}${setting === undefined ? "" : ` (${setting})`}${weak}`;
}

function certificateName(element: Element): string {
  try {
    return fingerprintOf(new X509Certificate(Buffer.from(textOf(element), "base64")));
  } catch {
    return "a malformed certificate";
  }
}

/** @returns `undefined` if the digest does not match. */
function signedText(signature: Element, xml: string, publicKey: KeyObject): string | undefined {
  const publicCert = publicKey.export({ type: "spki", format: "pem" }).toString();
  const verifier = new SignedXml({ publicCert, getCertFromKeyInfo: () => null });
  addAlgorithms(verifier, publicKey);
  try {
    verifier.loadSignature(signature);
    if (!verifier.checkSignature(withReferences(xml))) return undefined;
  } catch {
    return undefined;
  }
  const [signed, ...others] = verifier.getSignedReferences();
  return others.length === 0 ? signed : undefined;
}

/** Escapes characters that the library treats as line ends, unlike XML. */
function withReferences(xml: string): string {
  return xml.replaceAll("\u0085", "&#x85;").replaceAll("\u2028", "&#x2028;");
}

/** @throws {SignatureError} Another form than SAML's, or an algorithm that is not accepted. */
function checkForm(signature: Element, id: string, trust: SignatureTrust): void {
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
    [method, acceptedSignatures(trust)],
    [digest, acceptedDigests(trust)],
    [enveloped, [ALGORITHMS.enveloped]],
    [exclusive, [ALGORITHMS.exclusiveCanonical]],
  ];
  for (const [element, allowed] of algorithms)
    if (element === undefined || !allowed.includes(attributeOf(element, "Algorithm") ?? ""))
      throw new SignatureError(
        `the signature's ${element?.localName} is not accepted: ${quoted(element && attributeOf(element, "Algorithm"))}, expected ${allowed.join(" or ")}`,
      );
  // XML ids don't begin with a digit; most of Keystone's do.
  const uri = attributeOf(reference as Element, "URI");
  if (!/^[\w.-]+$/.test(id) || uri !== `#${id}`)
    throw new SignatureError(
      `URI of the signature's Reference is ${quoted(uri)}, expected ${quoted(`#${id}`)}`,
    );
}

/** The children, which have to be exactly these. */
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
  if (!isForm)
    throw new SignatureError(
      `unexpected content of the signature's ${element?.localName}, expected ${[...required, ...optional.map((name) => `optional ${name}`)].join(", ")}`,
    );
  return children;
}

/**
 * The certificate whose key verifies SignedInfo, the small part that is signed directly and holds the digest of the rest: a message without a
 * valid signature costs next to nothing, however large it is.
 *
 * @param signature In the accepted form.
 * @returns `undefined` if none of the signers made it.
 */
function findSigner(
  signature: Element,
  certificates: readonly X509Certificate[],
): X509Certificate | undefined {
  const info = requireChild(signature, named("SignedInfo"));
  const method = attributeOf(requireChild(info, named("SignatureMethod")), "Algorithm") ?? "";
  const value = Buffer.from(textOf(requireChild(signature, named("SignatureValue"))), "base64");
  return findCertificate({ algorithm: method, text: Buffer.from(canonicalText(info)), value }, certificates);
}

function findCertificate(
  signature: SignatureBytes,
  certificates: readonly X509Certificate[],
): X509Certificate | undefined {
  return certificates.find(({ publicKey }) => isXmlSignedBy(signature, publicKey));
}

function canonicalText(info: Element): string {
  // Of a copy: canonicalization may add namespace declarations to the element.
  return new ExclusiveCanonicalization().process(info.cloneNode(true) as Element, {
    ancestorNamespaces: namespacesOf(info.parentNode as Element | null),
  });
}

/** The innermost declaration of each prefix, at an element and around it. */
export function namespacesOf(element: Element | null): { prefix: string; namespaceURI: string }[] {
  const found = new Map<string, string>();
  for (let parent = element; parent?.nodeType === 1; parent = parent.parentNode as Element | null)
    for (let index = 0; index < parent.attributes.length; index++) {
      const { name, value } = parent.attributes[index] as Attr;
      const prefix = /^xmlns:?(.*)$/.exec(name)?.[1];
      if (prefix !== undefined && !found.has(prefix)) found.set(prefix, value);
    }
  return Array.from(found, ([prefix, namespaceURI]) => ({ prefix, namespaceURI }));
}
