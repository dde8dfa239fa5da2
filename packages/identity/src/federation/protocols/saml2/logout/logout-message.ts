/** Reads SAML logout messages: signature, terms, and the sessions they name. @see SAML core, 3.7; SAML profiles, 4.4 */
import type { KeyObject } from "node:crypto";

import type { Moment } from "../../../../platform/clock.js";
import { quoted } from "../../../../platform/text/quoted-value.js";
import { NAMESPACES, UNSPECIFIED_FORMAT } from "../../../../saml/saml-names.js";
import type { ProviderSession } from "../../../assertion-verifier.js";
import { describeTime, LEEWAY_MS } from "../../../leeway.js";
import {
  AssertionError,
  checkIssueInstant,
  checkIssuer,
  checkTimes,
  checkVersion,
} from "../check-assertion.js";
import { decryptedNameId } from "../assertion-decryption.js";
import { checkStatus } from "../response-status.js";
import {
  checkDetached,
  checkSignaturePlaces,
  checkUniqueIds,
  hasSignature,
  readSigned,
  SignatureError,
  type DetachedSignature,
  type SignatureTrust,
} from "../signed-element.js";
import {
  attributeOf,
  childOf,
  childrenOf,
  decodeMessage,
  isNamed,
  readMessage,
  requireChild,
  textOf,
  XmlError,
  momentOf,
  type MessageName,
} from "../xml-reading.js";

/** A message as received. Structured-cloneable. */
export interface LogoutMessage {
  readonly name: MessageName;
  /** In base64; by HTTP-Redirect deflated before. */
  readonly encoded: string;
  readonly isByRedirect: boolean;
  /** By HTTP-Redirect; `undefined` where it is missing, and by HTTP-POST, where the document holds the signature. */
  readonly signature: DetachedSignature | undefined;
}

/** A message, and everything it is validated against. Structured-cloneable. */
export interface LogoutTask {
  readonly message: LogoutMessage;
  readonly trust: SignatureTrust;
  /** Private keys for encrypted NameIDs. */
  readonly keys: readonly KeyObject[];
  readonly expected: LogoutExpectations;
}

export interface LogoutExpectations {
  /** The entity ID of the provider. */
  readonly issuer: string;
  /** The public URL of the logout endpoint. */
  readonly destination: string;
  readonly now: Moment;
}

/** A message, validated as far as possible without state. */
export type LogoutFindings = LogoutRequestFindings | LogoutResponseFindings;

export interface LogoutRequestFindings {
  readonly kind: "request";
  readonly id: string;
  /** As in {@link ProviderSession}. */
  readonly subject: readonly string[];
  readonly indexes: readonly string[];
  readonly issuedAt: Moment;
  /** Until then it must not be used again. */
  readonly usableUntil: Moment;
}

export interface LogoutResponseFindings {
  readonly kind: "response";
  /** The request that it answers. */
  readonly inResponseTo: string;
}

/** The maximum age of a request without NotOnOrAfter. */
const MAX_AGE_MS = 300_000;

const assertionName = (name: string) => ({ namespace: NAMESPACES.assertion, name });
const protocolName = (name: string) => ({ namespace: NAMESPACES.protocol, name });
const ROOTS = { SAMLRequest: "LogoutRequest", SAMLResponse: "LogoutResponse" } as const;

/** The issuer that a message names. Nothing is verified. */
export function issuerOfLogout(message: LogoutMessage): string {
  const root = rootOf(xmlOf(message), message);
  const isResponse = message.name === "SAMLResponse";
  if (isResponse && childOf(root, assertionName("Issuer")) === undefined)
    checkStatus(root, `${root.localName} has no Issuer`);
  return textOf(requireChild(root, assertionName("Issuer")));
}

/**
 * Reads a message that {@link readSignedLogout} has rejected, for its status: a failure that the provider has not signed is logged too.
 *
 * @param fault Why it was rejected.
 * @throws {AssertionRefusedError} The status is not Success.
 */
export function checkUnverifiedStatus(message: LogoutMessage, fault: string): void {
  if (message.name !== "SAMLResponse") return;
  checkStatus(rootOf(xmlOf(message), message), `not verified: ${fault}`);
}

/** The root element of a message, as it was signed. */
export function readSignedLogout({ message, trust }: LogoutTask): Element {
  // Before the text is inflated.
  if (message.signature !== undefined) checkDetached(message.signature, trust);
  else if (message.isByRedirect)
    throw new SignatureError(`${message.name} by HTTP-Redirect is not signed: expected SigAlg and Signature`);
  const xml = xmlOf(message);
  const root = rootOf(xml, message);
  checkUniqueIds(root);
  if (message.signature !== undefined) {
    checkSignaturePlaces(root, []);
    return root;
  }
  if (!hasSignature(root)) throw new SignatureError(`${root.localName} is not signed`);
  checkSignaturePlaces(root, [root]);
  return readSigned(root, xml, trust).root;
}

function xmlOf({ name, encoded, isByRedirect }: LogoutMessage): string {
  return decodeMessage(name, encoded, { isDeflated: isByRedirect });
}

function rootOf(xml: string, { name }: LogoutMessage): Element {
  const root = readMessage(xml);
  if (!isNamed(root, protocolName(ROOTS[name])))
    throw new XmlError(`root element is ${quoted(root.localName)}, expected samlp:${ROOTS[name]}`);
  return root;
}

/** @param root As it was signed. */
export function checkLogout(root: Element, { message, keys, expected }: LogoutTask): LogoutFindings {
  if (message.name === "SAMLResponse") checkStatus(root, "signed");
  checkVersion(root);
  const issuedAt = checkIssueInstant(root, expected);
  checkIssuer(requireChild(root, assertionName("Issuer")), expected);
  const destination = attributeOf(root, "Destination");
  if (destination !== expected.destination)
    throw new AssertionError(
      `Destination of ${root.localName} is ${quoted(destination)}, expected ${quoted(expected.destination)}`,
    );
  return message.name === "SAMLRequest"
    ? requestFindings(root, { now: expected.now, issuedAt, keys })
    : responseFindings(root);
}

interface RequestTerms {
  readonly now: Moment;
  readonly issuedAt: Moment;
  readonly keys: readonly KeyObject[];
}

function requestFindings(root: Element, { now, issuedAt, keys }: RequestTerms): LogoutRequestFindings {
  checkTimes(root, { now, issuedAt });
  const until = momentOf(root, "NotOnOrAfter") ?? issuedAt + MAX_AGE_MS;
  if (now >= until + LEEWAY_MS)
    throw new AssertionError(
      `${root.localName} without NotOnOrAfter is too old: IssueInstant is ${describeTime(issuedAt, now)}`,
    );
  return {
    kind: "request",
    id: requireAttribute(root, "ID"),
    subject: requireSubject(nameIdIn(root, keys)),
    indexes: childrenOf(root, protocolName("SessionIndex")).map(textOf),
    issuedAt,
    usableUntil: until + LEEWAY_MS,
  };
}

function responseFindings(root: Element): LogoutResponseFindings {
  return { kind: "response", inResponseTo: requireAttribute(root, "InResponseTo") };
}

function requireAttribute(element: Element, name: string): string {
  const value = attributeOf(element, name) ?? "";
  if (value === "") throw new AssertionError(`${element.localName} has no ${name}`);
  return value;
}

function nameIdIn(request: Element, keys: readonly KeyObject[]): Element {
  const encrypted = childOf(request, assertionName("EncryptedID"));
  if (encrypted === undefined) return requireChild(request, assertionName("NameID"));
  return decryptedNameId(encrypted, keys);
}

/**
 * Without qualifiers: some providers add theirs to one message and not to the other (SAML core, 3.3.4), and both come from the same
 * provider for the same service.
 */
function subjectOf(nameId: Element): readonly string[] {
  return [textOf(nameId), attributeOf(nameId, "Format") ?? UNSPECIFIED_FORMAT];
}

function requireSubject(nameId: Element): readonly string[] {
  if (textOf(nameId) === "") throw new AssertionError("NameID is empty");
  return subjectOf(nameId);
}

/** A NameID and a SessionIndex, as a LogoutRequest to the provider repeats them. */
export interface SamlSessionHint {
  readonly nameId: string;
  /** `Format` and qualifiers, as the provider sent them. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly index: string | undefined;
}

const NAME_ID_ATTRIBUTES = ["Format", "NameQualifier", "SPNameQualifier"];

/** The session that an assertion begins; `undefined` without a NameID. */
export function sessionOf(assertion: Element): ProviderSession | undefined {
  const nameId = childOf(requireChild(assertion, assertionName("Subject")), assertionName("NameID"));
  const issuedAt = momentOf(assertion, "IssueInstant");
  if (nameId === undefined || textOf(nameId) === "" || issuedAt === undefined) return undefined;
  const indexes = new Set(
    childrenOf(assertion, assertionName("AuthnStatement")).map((each) => attributeOf(each, "SessionIndex")),
  );
  const [index] = indexes.size === 1 ? indexes : [];
  const attributes = NAME_ID_ATTRIBUTES.flatMap((name) => {
    const value = attributeOf(nameId, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  const hint: SamlSessionHint = { nameId: textOf(nameId), attributes: Object.fromEntries(attributes), index };
  return { subject: subjectOf(nameId), index, issuedAt, hint };
}
