/** Reads the one assertion of a Response, from signed text only. */
import type { KeyObject } from "node:crypto";

import { quoted } from "../../platform/text/quoted-value.js";
import { NAMESPACES } from "../../saml/saml-names.js";
import { decryptAssertion } from "./assertion-decryption.js";
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
  /** As it was signed, or else unverified. */
  readonly response: Element;
  readonly isResponseSigned: boolean;
}

export interface ResponseReading {
  readonly trust: Trust;
  /** Private keys for encrypted assertions. */
  readonly keys: readonly KeyObject[];
  /** Whether the Response is in a SOAP envelope (ECP). */
  readonly isInEnvelope: boolean;
}

const ASSERTION = { namespace: NAMESPACES.assertion, name: "Assertion" };
const ENCRYPTED = { namespace: NAMESPACES.assertion, name: "EncryptedAssertion" };
const RESPONSE = { namespace: NAMESPACES.protocol, name: "Response" };
const isAssertion = ({ localName }: Element): boolean =>
  ["Assertion", "EncryptedAssertion"].includes(localName);
const soap = (name: string) => ({ namespace: NAMESPACES.soap, name });

/** @throws {XmlError} {@link SignatureError} {@link DecryptionError} */
export function readSignedResponse(xml: string, reading: ResponseReading): ReadResponse {
  const root = readMessage(xml);
  checkUniqueIds(root);
  const response = findResponse(root, reading);
  const content = onlyAssertion(root, response);
  checkSignaturePlaces(root, [response, ...(isNamed(content, ASSERTION) ? [content] : [])]);

  if (hasSignature(response)) {
    const signed = readSigned(response, xml, reading.trust);
    const inside = onlyAssertion(signed.root, signed.root);
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
  if (content === undefined || others.length > 0)
    throw new XmlError(
      `soap:Body holds ${content === undefined ? 0 : others.length + 1} elements, expected one`,
    );
  return content;
}

/** The assertion of the response. The document must hold no other one anywhere. */
function onlyAssertion(root: Element, response: Element): Element {
  const all = descendantsOf(root);
  const { length: responses } = all.filter((element) => isNamed(element, RESPONSE));
  if (responses > 1) throw new SignatureError(`${responses} Response elements, expected one`);
  const { length: assertions } = all.filter(isAssertion);
  const [content] = [...childrenOf(response, ASSERTION), ...childrenOf(response, ENCRYPTED)];
  if (assertions !== 1) throw new SignatureError(`${assertions} Assertion elements, expected one`);
  if (content === undefined) throw new SignatureError("the Assertion is not a child of the Response");
  return content;
}

function decrypted(
  encrypted: Element,
  { keys }: ResponseReading,
): { readonly xml: string; readonly root: Element } {
  const xml = decryptAssertion(encrypted, keys);
  const root = readMessage(xml);
  if (!isNamed(root, ASSERTION))
    throw new XmlError(`EncryptedAssertion holds ${quoted(root.localName)}, expected saml:Assertion`);
  checkUniqueIds(root);
  checkSignaturePlaces(root, [root]);
  return { xml, root };
}
