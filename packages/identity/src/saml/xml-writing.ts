/** Writes and signs XML: text is escaped, and characters beyond ASCII are references. */
import type { Moment } from "../platform/clock.js";
import { errorClass, InvalidError } from "../platform/errors.js";
import type { NewId } from "../platform/ids.js";
import type { SamlKey } from "./saml-keys.js";
import { ALGORITHMS } from "./saml-names.js";

/** Markup, which is not escaped again. */
export interface Xml {
  readonly xml: string;
}

/** Values by name; those that are `undefined` are left out. */
export type XmlAttributes = Readonly<Record<string, string | undefined>>;

/** A name contains a character that XML 1.0 can't represent. */
export class XmlCharacterError extends errorClass(
  InvalidError,
  "xml/character",
  "There is a character that XML can't hold in a name that would be in the assertion",
) {}

/** An element. Strings among its content are escaped, markup is not. */
export function element(name: string, attributes: XmlAttributes, ...content: readonly (Xml | string)[]): Xml {
  const written = Object.entries(attributes).map(([key, value]) =>
    value === undefined ? "" : ` ${key}="${escapeXml(value)}"`,
  );
  const inner = content.map((part) => (typeof part === "string" ? escapeXml(part) : part.xml));
  return { xml: `<${name}${written.join("")}>${inner.join("")}</${name}>` };
}

const ESCAPED: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** @throws {XmlCharacterError} */
export function escapeXml(text: string): string {
  // Unpaired surrogates, and characters outside XML 1.0.
  // oxlint-disable-next-line no-control-regex
  if (/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u.test(text))
    throw new XmlCharacterError();
  // Parsers normalize line ends and tabs in attributes to blanks.
  return text
    .replaceAll(/[&<>"]/g, (character) => ESCAPED[character] ?? character)
    .replaceAll(/[\t\n\r]/g, reference);
}

/** An XML id, which must not begin with a digit. */
export function xmlId(newId: NewId): string {
  return `_${newId()}`;
}

/** `xs:dateTime` in UTC, in whole seconds. */
export function instant(moment: Moment): string {
  return `${new Date(moment).toISOString().slice(0, 19)}Z`;
}

/**
 * The same document in ASCII: clients that decode `text/xml` without a charset as Latin-1 pass it on intact. Signatures stay
 * valid, since they cover characters, not bytes.
 */
export function inAscii(xml: string): string {
  return xml.replaceAll(/[\u{80}-\u{10FFFF}]/gu, reference);
}

function reference(character: string): string {
  return `&#x${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()};`;
}

export interface SignaturePlace {
  /** The `ID` of the element to sign. */
  readonly id: string;
  /** An XPath to the element after which, or within which, the signature is inserted. */
  readonly reference: string;
  readonly action: "prepend" | "after";
}

/** The document with a signature: RSA with SHA-256 over one element in exclusive canonical form, which survives embedding. */
export async function signXml(
  xml: string,
  { id, reference: location, action }: SignaturePlace,
  key: Pick<SamlKey, "privateKey" | "certificate">,
): Promise<string> {
  // Loaded by the first signature: most processes sign no XML.
  const { SignedXml } = await import("xml-crypto");
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
