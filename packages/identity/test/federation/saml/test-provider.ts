/** A SAML identity provider for tests: signs any Response or assertion. */
import { createCipheriv, generateKeyPairSync, publicEncrypt, randomBytes, type KeyObject } from "node:crypto";

import { SignedXml } from "xml-crypto";

import { selfSignedCertificate } from "../../../src/saml/self-signed-certificate.js";

export const NOW = Date.parse("2026-11-21T12:00:00Z");
export const ISSUER = "https://idp.example.org/metadata";
export const AUDIENCE = "https://sp.example.org/entity";
export const AUTH_URL =
  "https://sp.example.org/v3/OS-FEDERATION/identity_providers/acme/protocols/saml2/auth";

export interface Signer {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** In PEM. */
  readonly certificate: string;
}

export function newSigner(bits = 2048): Signer {
  return signerOf(generateKeyPairSync("rsa", { modulusLength: bits }));
}

/** @param curve By OpenSSL's name. */
export function newEcSigner(curve: string): Signer {
  return signerOf(generateKeyPairSync("ec", { namedCurve: curve }));
}

function signerOf(pair: Pick<Signer, "privateKey" | "publicKey">): Signer {
  const der = selfSignedCertificate(pair.privateKey, {
    commonName: "provider",
    from: NOW - 1000,
    until: NOW + 86_400_000,
  });
  const lines = der
    .toString("base64")
    .match(/.{1,64}/g)
    ?.join("\n");
  return { ...pair, certificate: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n` };
}

export const PROVIDER = newSigner();

/** What differs from a good response, by what it is called in the response. */
export interface ResponseParts {
  readonly assertionId?: string;
  readonly nameId?: string;
  readonly nameIdFormat?: string;
  readonly issuer?: string;
  readonly audience?: string;
  readonly recipient?: string;
  /** `null` for none. */
  readonly destination?: string | null;
  readonly inResponseTo?: string | undefined;
  readonly responseVersion?: string;
  readonly version?: string;
  /** Attributes instead of `IssueInstant`, of the Response and of the assertion. */
  readonly responseIssued?: string;
  readonly issued?: string;
  /** The end of another confirmation, behind the one of `notOnOrAfter`. */
  readonly secondNotOnOrAfter?: string;
  readonly notBefore?: string;
  readonly notOnOrAfter?: string;
  readonly sessionNotOnOrAfter?: string;
  readonly authnInstant?: string;
  /** `null` for none. */
  readonly contextClass?: string | null;
  readonly status?: string;
  readonly attributes?: string;
  readonly conditions?: string;
}

/** A response with one assertion, not signed. */
export function response(parts: ResponseParts = {}): string {
  const { issuer = ISSUER, destination = AUTH_URL, status = "Success" } = parts;
  const { responseVersion = "2.0", responseIssued = ISSUED } = parts;
  const answers = parts.inResponseTo === undefined ? "" : ` InResponseTo="${parts.inResponseTo}"`;
  const place = destination === null ? "" : ` Destination="${destination}"`;
  return (
    `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ` +
    `ID="_response" Version="${responseVersion}" ${responseIssued}${place}${answers}>` +
    `<saml:Issuer>${issuer}</saml:Issuer><samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:${status}"/></samlp:Status>` +
    `${assertion(parts)}</samlp:Response>`
  );
}

/** What a provider reports of a failure. */
export interface FailureParts extends Pick<ResponseParts, "issuer" | "destination" | "inResponseTo"> {
  /** From the outermost, without their common beginning. */
  readonly codes?: readonly string[];
  /** Elements behind the codes. */
  readonly words?: string;
  /** Elements behind the status, where a response has its assertion. */
  readonly content?: string;
  /** The whole element, instead of codes and words. */
  readonly status?: string;
}

/** The status of a failure, as providers report it. */
export function failureStatus({ codes = ["Responder", "RequestDenied"], words = "" }: FailureParts): string {
  const nested = codes.reduceRight(
    (inside, code) =>
      `<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:${code}">${inside}</samlp:StatusCode>`,
    "",
  );
  return `<samlp:Status>${nested}${words}</samlp:Status>`;
}

/** A Response that reports a failure, which has no assertion, not signed. */
export function failureResponse(parts: FailureParts = {}): string {
  const { content = "", status = failureStatus(parts), ...others } = parts;
  return response({ ...others, assertionId: "_none" })
    .replace(/<saml:Assertion .*<\/saml:Assertion>/, () => content)
    .replace(/<samlp:Status>.*<\/samlp:Status>/, () => status);
}

/** How the names of SAML's authentication contexts begin. */
export const CLASSES = "urn:oasis:names:tc:SAML:2.0:ac:classes:";
const ISSUED = `IssueInstant="2026-11-21T12:00:00Z"`;
const MAIL = `<saml:Attribute Name="urn:oid:0.9.2342.19200300.100.1.3" FriendlyName="mail"><saml:AttributeValue>alice@example.org</saml:AttributeValue></saml:Attribute>`;
const GROUPS = `<saml:Attribute Name="groups"><saml:AttributeValue>staff</saml:AttributeValue><saml:AttributeValue>ops</saml:AttributeValue></saml:Attribute>`;

export function assertion(parts: ResponseParts = {}): string {
  const { assertionId = "_assertion", nameId = "alice", issuer = ISSUER, recipient = AUTH_URL } = parts;
  const { notBefore = "2026-11-21T11:59:55Z", notOnOrAfter = "2026-11-21T12:05:00Z" } = parts;
  const { sessionNotOnOrAfter = "2026-11-21T20:00:00Z" } = parts;
  const { authnInstant = "2026-11-21T12:00:00Z", contextClass = `${CLASSES}Password` } = parts;
  const context =
    contextClass === null ? "" : `<saml:AuthnContextClassRef>${contextClass}</saml:AuthnContextClassRef>`;
  const { audience = AUDIENCE, attributes = MAIL + GROUPS, version = "2.0", issued = ISSUED } = parts;
  const answers = parts.inResponseTo === undefined ? "" : ` InResponseTo="${parts.inResponseTo}"`;
  const restriction = `<saml:AudienceRestriction><saml:Audience>${audience}</saml:Audience></saml:AudienceRestriction>`;
  const format = parts.nameIdFormat === undefined ? "" : ` Format="${parts.nameIdFormat}"`;
  const confirmation = (end: string) =>
    `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData NotOnOrAfter="${end}" Recipient="${recipient}"${answers}/></saml:SubjectConfirmation>`;
  const ends = [notOnOrAfter, ...(parts.secondNotOnOrAfter === undefined ? [] : [parts.secondNotOnOrAfter])];
  const last = ends.at(-1) ?? notOnOrAfter;
  return (
    `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${assertionId}" Version="${version}" ${issued}>` +
    `<saml:Issuer>${issuer}</saml:Issuer><saml:Subject><saml:NameID${format}>${nameId}</saml:NameID>` +
    `${ends.map(confirmation).join("")}</saml:Subject>` +
    `<saml:Conditions NotBefore="${notBefore}" NotOnOrAfter="${last}">${parts.conditions ?? restriction}</saml:Conditions>` +
    `<saml:AuthnStatement AuthnInstant="${authnInstant}" SessionNotOnOrAfter="${sessionNotOnOrAfter}"><saml:AuthnContext>${context}</saml:AuthnContext></saml:AuthnStatement>` +
    `<saml:AttributeStatement>${attributes}</saml:AttributeStatement></saml:Assertion>`
  );
}

export interface SigningOptions {
  readonly signer?: Signer;
  readonly sha1?: boolean;
  /** Prefixes whose declarations are signed wherever they stand (`InclusiveNamespaces`). */
  readonly inclusivePrefixes?: readonly string[];
}

/** Signs the element of an id, behind its issuer. */
export function sign(xml: string, id: string, options: SigningOptions = {}): string {
  const reference = `//*[@ID="${id}"]/*[local-name()="Issuer"]`;
  return addSignature(xml, id, options, { reference, action: "after" });
}

function addSignature(
  xml: string,
  id: string,
  { signer = PROVIDER, sha1 = false, inclusivePrefixes = [] }: SigningOptions,
  location: { readonly reference: string; readonly action: "after" | "prepend" },
): string {
  const signature = new SignedXml({
    privateKey: signer.privateKey,
    publicCert: signer.certificate,
    signatureAlgorithm: sha1
      ? "http://www.w3.org/2000/09/xmldsig#rsa-sha1"
      : "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
    canonicalizationAlgorithm: "http://www.w3.org/2001/10/xml-exc-c14n#",
  });
  signature.addReference({
    ...(inclusivePrefixes.length > 0 && { inclusiveNamespacesPrefixList: [...inclusivePrefixes] }),
    xpath: `//*[@ID="${id}"]`,
    transforms: [
      "http://www.w3.org/2000/09/xmldsig#enveloped-signature",
      "http://www.w3.org/2001/10/xml-exc-c14n#",
    ],
    digestAlgorithm: sha1
      ? "http://www.w3.org/2000/09/xmldsig#sha1"
      : "http://www.w3.org/2001/04/xmlenc#sha256",
  });
  signature.computeSignature(xml, { prefix: "ds", location });
  return signature.getSignedXml();
}

/** A response whose assertion, or which itself, is signed. */
export function signedResponse(
  parts: ResponseParts = {},
  { of = "_assertion", ...options }: SigningOptions & { readonly of?: string } = {},
): string {
  return sign(response(parts), of, options);
}

const XENC = "http://www.w3.org/2001/04/xmlenc#";

/** The assertion of a response, encrypted for a key by AES-256 in GCM. */
export function encrypted(xml: string, key: KeyObject): string {
  return encryptedPart(xml, { part: /<saml:Assertion[^]*<\/saml:Assertion>/, as: "EncryptedAssertion", key });
}

export interface EncryptionOptions {
  /** The element to encrypt. */
  readonly part: RegExp;
  /** The element in its place. */
  readonly as: string;
  readonly key: KeyObject;
  readonly transport?: string;
}

/** A document with one element encrypted, as it stands there. */
export function encryptedPart(
  xml: string,
  { part, as, key, transport = "rsa-oaep-mgf1p" }: EncryptionOptions,
): string {
  const [plain = ""] = part.exec(xml) ?? [];
  const [secret, nonce] = [randomBytes(32), randomBytes(12)];
  const cipher = createCipheriv("aes-256-gcm", secret, nonce);
  const sealed = Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  const wrapped = publicEncrypt({ key, oaepHash: "sha1" }, secret);
  const value = (bytes: Buffer) =>
    `<xenc:CipherData><xenc:CipherValue>${bytes.toString("base64")}</xenc:CipherValue></xenc:CipherData>`;
  return xml.replace(
    plain,
    () =>
      `<saml:${as}><xenc:EncryptedData xmlns:xenc="${XENC}"><xenc:EncryptionMethod Algorithm="http://www.w3.org/2009/xmlenc11#aes256-gcm"/>` +
      `<ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><xenc:EncryptedKey><xenc:EncryptionMethod Algorithm="${XENC}${transport}"/>${value(wrapped)}</xenc:EncryptedKey></ds:KeyInfo>` +
      `${value(sealed)}</xenc:EncryptedData></saml:${as}>`,
  );
}

/** What the provider publishes. */
export function metadata({ certificate }: Signer = PROVIDER, binding = "HTTP-Redirect"): string {
  const base64 = certificate.replaceAll(/-----.*-----|\s/g, "");
  return `<?xml version="1.0"?>
<!-- made by hand -->
<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${ISSUER}">
  <md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
    <md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>${base64}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>
    <md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:${binding}" Location="https://idp.example.org/sso?realm=x"/>
  </md:IDPSSODescriptor>
</md:EntityDescriptor>`;
}

/** Metadata whose root element is signed, as its first child. */
export function signedMetadata(
  xml: string,
  { signer = PROVIDER, sha1 = false }: SigningOptions = {},
): string {
  const withId = xml.replace(/<md:(Entit\w+) /, '<md:$1 ID="_metadata" ');
  return addSignature(withId, "_metadata", { signer, sha1 }, { reference: "/*", action: "prepend" });
}

/** In the envelope in which clients carry it. */
export function inEnvelope(xml: string): string {
  return `<S:Envelope xmlns:S="http://schemas.xmlsoap.org/soap/envelope/"><S:Header/><S:Body>${xml}</S:Body></S:Envelope>`;
}
