/** The one assertion of a response, from what was signed alone. */
import type { KeyObject } from "node:crypto";

import { decryptAssertion } from "./assertion-decryption.js";
import { quoted } from "../../platform/text/quoted-value.js";
import { NAMESPACES } from "../../saml/saml-names.js";
import {
  checkSignaturePlaces,
  checkUniqueIds,
  hasSignature,
  readSigned,
  SignatureError,
  type Trust,
} from "./signed-element.js";
import {
  childrenOf,
  descendantsOf,
  elementsIn,
  isNamed,
  readMessage,
  requireChild,
  XmlError,
} from "./xml-reading.js";

export interface ReadResponse {
  /** As it was signed. */
  readonly assertion: Element;
  /** What is around it: as it was signed, or else as whoever brought it says. */
  readonly response: Element;
  readonly isResponseSigned: boolean;
}

export interface ResponseReading {
  readonly trust: Trust;
  /** Keys that assertions may be encrypted for. */
  readonly keys: readonly KeyObject[];
  /** Whether it comes in an envelope of SOAP. */
  readonly isInEnvelope: boolean;
}

const ASSERTION = { namespace: NAMESPACES.assertion, name: "Assertion" };
const ENCRYPTED = { namespace: NAMESPACES.assertion, name: "EncryptedAssertion" };
const RESPONSE = { namespace: NAMESPACES.protocol, name: "Response" };
const isAssertion = ({ localName }: Element): boolean =>
  ["Assertion", "EncryptedAssertion"].includes(localName);
const soap = (name: string) => ({ namespace: NAMESPACES.soap, name });

/** @throws {XmlError} {@link SignatureError} {@link DecryptionError} */
export function readResponse(xml: string, reading: ResponseReading): ReadResponse {
  const root = readMessage(xml);
  checkUniqueIds(root);
  const response = findResponse(root, reading);
  const content = onlyContent(root, response);
  checkSignaturePlaces(root, [response, ...(isNamed(content, ASSERTION) ? [content] : [])]);

  if (hasSignature(response)) {
    const signed = readSigned(response, xml, reading.trust);
    const inside = onlyContent(signed.root, signed.root);
    const assertion = isNamed(inside, ENCRYPTED) ? decrypted(inside, reading).root : inside;
    return { assertion, response: signed.root, isResponseSigned: true };
  }
  if (isNamed(content, ASSERTION))
    return { assertion: readSigned(content, xml, reading.trust).root, response, isResponseSigned: false };
  const { root: opened, xml: text } = decrypted(content, reading);
  return { assertion: readSigned(opened, text, reading.trust).root, response, isResponseSigned: false };
}

function findResponse(root: Element, { isInEnvelope }: ResponseReading): Element {
  const outer = isInEnvelope ? bodyOf(root) : root;
  if (!isNamed(outer, RESPONSE))
    throw new XmlError(`root element is ${quoted(outer.localName)}, expected samlp:Response`);
  return outer;
}

function bodyOf(envelope: Element): Element {
  if (!isNamed(envelope, soap("Envelope")))
    throw new XmlError(`root element is ${quoted(envelope.localName)}, expected soap:Envelope`);
  const [content, ...others] = elementsIn(requireChild(envelope, soap("Body")));
  if (content === undefined || others.length > 0) throw new XmlError("the Body has not one element");
  return content;
}

/** The assertion in the response, beside which there is no other one anywhere. */
function onlyContent(root: Element, response: Element): Element {
  const all = descendantsOf(root);
  if (all.filter((element) => isNamed(element, RESPONSE)).length > 1)
    throw new SignatureError("there are several responses");
  const found = all.filter(isAssertion);
  const [content] = [...childrenOf(response, ASSERTION), ...childrenOf(response, ENCRYPTED)];
  if (found.length !== 1 || content === undefined)
    throw new SignatureError(`there are ${found.length} assertions, or not where one belongs`);
  return content;
}

function decrypted(
  encrypted: Element,
  { keys }: ResponseReading,
): { readonly xml: string; readonly root: Element } {
  const xml = decryptAssertion(encrypted, keys);
  const root = readMessage(xml);
  if (!isNamed(root, ASSERTION)) throw new XmlError("what was encrypted is no Assertion");
  checkUniqueIds(root);
  checkSignaturePlaces(root, [root]);
  return { xml, root };
}
