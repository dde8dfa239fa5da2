/**
 * Decrypts assertions, and encrypted parts of them: AES or triple DES, with a key encrypted by RSA-OAEP. RSA of PKCS #1 v1.5 is rejected: its errors reveal the
 * key to an attacker who can cause enough of them.
 *
 * @see XML Encryption Syntax and Processing 1.1
 */
import { createDecipheriv, privateDecrypt, type CipherGCMTypes, type KeyObject } from "node:crypto";

import { quoted } from "../../../platform/text/quoted-value.js";
import { NAMESPACES } from "../../../saml/saml-names.js";
import {
  attributeOf,
  childOf,
  descendantsOf,
  isNamed,
  requireChild,
  textOf,
  childrenOf,
  elementsIn,
  readMessage,
  XmlError,
  type ElementName,
} from "./xml-reading.js";
import { escapeHtml } from "../../../platform/text/html.js";
import { namespacesOf } from "./signed-element.js";

/** The element can't be decrypted. The client never learns why. */
export class DecryptionError extends Error {
  override readonly name = "DecryptionError";
}

/** The last one is old, but sufficient: the decrypted assertion is signed. */
const CBC: Readonly<Record<string, string>> = {
  [`${NAMESPACES.encryption}aes128-cbc`]: "aes-128-cbc",
  [`${NAMESPACES.encryption}aes192-cbc`]: "aes-192-cbc",
  [`${NAMESPACES.encryption}aes256-cbc`]: "aes-256-cbc",
  [`${NAMESPACES.encryption}tripledes-cbc`]: "des-ede3-cbc",
};
const GCM: Readonly<Record<string, CipherGCMTypes>> = {
  [`${NAMESPACES.encryption11}aes128-gcm`]: "aes-128-gcm",
  [`${NAMESPACES.encryption11}aes192-gcm`]: "aes-192-gcm",
  [`${NAMESPACES.encryption11}aes256-gcm`]: "aes-256-gcm",
};
const HASHES: Readonly<Record<string, string>> = {
  "http://www.w3.org/2000/09/xmldsig#sha1": "sha1",
  "http://www.w3.org/2001/04/xmlenc#sha256": "sha256",
  "http://www.w3.org/2001/04/xmldsig-more#sha384": "sha384",
  "http://www.w3.org/2001/04/xmlenc#sha512": "sha512",
};

/** Recipients of one element. Each key costs a private-key operation, and anyone can send an assertion. */
const MAX_ENCRYPTED_KEYS = 8;

const encryption = (name: string) => ({ namespace: NAMESPACES.encryption, name });

/**
 * The text of an EncryptedAssertion, EncryptedID or EncryptedAttribute.
 *
 * @throws {DecryptionError}
 */
export function decryptElement(encrypted: Element, keys: readonly KeyObject[]): string {
  try {
    const data = requireChild(encrypted, encryption("EncryptedData"));
    const wrapped = descendantsOf(encrypted).filter((element) =>
      isNamed(element, encryption("EncryptedKey")),
    );
    if (wrapped.length > MAX_ENCRYPTED_KEYS)
      throw new DecryptionError(
        `${wrapped.length} EncryptedKey elements, expected at most ${MAX_ENCRYPTED_KEYS}`,
      );
    const secret = firstOf(wrapped, (each) => firstOf(keys, (key) => unwrap(each, key)));
    if (secret === undefined) throw new DecryptionError(noKey(encrypted, wrapped));
    return decrypt(data, secret);
  } catch (cause) {
    throw cause instanceof DecryptionError
      ? cause
      : new DecryptionError(`${nounOf(encrypted)} ${MALFORMED}`, { cause });
  }
}

const MALFORMED = "does not decrypt: its EncryptedData is malformed";

const nounOf = ({ localName }: Element): string =>
  localName === "EncryptedAssertion" ? "assertion" : localName;

/** The algorithms help to tell a foreign key from a refused algorithm. */
function noKey(encrypted: Element, wrapped: readonly Element[]): string {
  const methods = wrapped.map((each) => {
    const method = childOf(each, encryption("EncryptionMethod"));
    return quoted(method && attributeOf(method, "Algorithm"));
  });
  return `${nounOf(encrypted)} is encrypted to a key that this service does not have, or by an algorithm that is not accepted: key transport ${methods.join(", ") || "missing"}, expected rsa-oaep-mgf1p or rsa-oaep`;
}

/** The first result; failures are skipped. */
function firstOf<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Result | undefined,
): Result | undefined {
  for (const item of items) {
    try {
      const result = work(item);
      if (result !== undefined) return result;
    } catch {
      // The next item may succeed.
    }
  }
  return undefined;
}

function unwrap(wrapped: Element, key: KeyObject): Buffer {
  const method = requireChild(wrapped, encryption("EncryptionMethod"));
  return privateDecrypt({ key, padding: OAEP_PADDING, oaepHash: oaepHash(method) }, cipherBytes(wrapped));
}

/** `RSA_PKCS1_OAEP_PADDING` of OpenSSL. */
const OAEP_PADDING = 4;

/** OpenSSL uses one hash for digest and mask; providers do too. */
function oaepHash(method: Element): string {
  const algorithm = attributeOf(method, "Algorithm");
  const digest = childOf(method, { namespace: NAMESPACES.signature, name: "DigestMethod" });
  const hash = digest === undefined ? "sha1" : HASHES[attributeOf(digest, "Algorithm") ?? ""];
  if (algorithm === `${NAMESPACES.encryption}rsa-oaep-mgf1p` && hash === "sha1") return hash;
  if (algorithm === `${NAMESPACES.encryption11}rsa-oaep` && hash === maskHash(method)) return hash;
  throw new DecryptionError(
    `key transport algorithm ${quoted(algorithm)} is not accepted, expected rsa-oaep-mgf1p or rsa-oaep`,
  );
}

function maskHash(method: Element): string {
  const mask = childOf(method, { namespace: NAMESPACES.encryption11, name: "MGF" });
  const name = mask === undefined ? "mgf1sha1" : (attributeOf(mask, "Algorithm") ?? "");
  return name.replace(NAMESPACES.encryption11, "").replace("mgf1", "");
}

function decrypt(data: Element, secret: Buffer): string {
  const method = requireChild(data, encryption("EncryptionMethod"));
  const algorithm = attributeOf(method, "Algorithm") ?? "";
  const bytes = cipherBytes(data);
  const cipher = GCM[algorithm];
  const plain =
    cipher === undefined ? openCbc(CBC[algorithm], secret, bytes) : openGcm(cipher, secret, bytes);
  return new TextDecoder("utf-8", { fatal: true }).decode(plain);
}

/** @throws {Error} The tag does not match, or the bytes are too few for a nonce and a tag. */
function openGcm(cipher: CipherGCMTypes, secret: Buffer, bytes: Buffer): Buffer {
  const decipher = createDecipheriv(cipher, secret, bytes.subarray(0, 12), { authTagLength: 16 });
  decipher.setAuthTag(bytes.subarray(-16));
  return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
}

/** The last byte is the length of the padding, whose other bytes are arbitrary. */
function openCbc(cipher: string | undefined, secret: Buffer, bytes: Buffer): Buffer {
  if (cipher === undefined)
    throw new DecryptionError("cipher of EncryptedData is not accepted, expected AES or triple DES");
  const block = cipher === "des-ede3-cbc" ? 8 : 16;
  const decipher = createDecipheriv(cipher, secret, bytes.subarray(0, block)).setAutoPadding(false);
  const padded = Buffer.concat([decipher.update(bytes.subarray(block)), decipher.final()]);
  const added = padded.at(-1) ?? 0;
  if (added < 1 || added > block) throw new RangeError("malformed padding");
  return padded.subarray(0, -added);
}

function cipherBytes(element: Element): Buffer {
  const value = requireChild(requireChild(element, encryption("CipherData")), encryption("CipherValue"));
  return Buffer.from(textOf(value), "base64");
}

const named = (name: string): ElementName => ({ namespace: NAMESPACES.assertion, name });

/** Each costs operations with private keys. */
const MAX_ENCRYPTED_ATTRIBUTES = 16;

/**
 * Replaces the encrypted parts of an assertion by what they hold: EncryptedID in its Subject, EncryptedAttribute in its statements. They
 * are decrypted after the signature of the assertion was verified, which covers them as they were sent.
 *
 * @see SAML core, 2.2.4 and 2.7.3.2
 * @param assertion Parsed from the text that was signed; it is changed.
 * @returns Why attributes remain encrypted, which are left out.
 * @throws {DecryptionError} {@link XmlError} The user's id can't be decrypted: without it the user might be taken for another.
 */
export function decryptParts(assertion: Element, keys: readonly KeyObject[]): readonly string[] {
  const [subject] = childrenOf(assertion, named("Subject"));
  const id = subject && childOf(subject, named("EncryptedID"));
  if (id !== undefined) replace(id, decryptedNameId(id, keys));
  const attributes = childrenOf(assertion, named("AttributeStatement")).flatMap((statement) =>
    childrenOf(statement, named("EncryptedAttribute")),
  );
  const faults = attributes.flatMap((encrypted, index) => {
    try {
      if (index >= MAX_ENCRYPTED_ATTRIBUTES)
        throw new XmlError(
          `${attributes.length} EncryptedAttribute elements, expected at most ${MAX_ENCRYPTED_ATTRIBUTES}`,
        );
      replace(encrypted, decryptedElement(encrypted, keys, "Attribute"));
      return [];
    } catch (error) {
      if (error instanceof DecryptionError || error instanceof XmlError) return [error.message];
      throw error;
    }
  });
  return [...new Set(faults)];
}

/** The NameID of an EncryptedID. @throws {DecryptionError} {@link XmlError} */
export function decryptedNameId(encrypted: Element, keys: readonly KeyObject[]): Element {
  return decryptedElement(encrypted, keys, "NameID");
}

function decryptedElement(encrypted: Element, keys: readonly KeyObject[], expected: string): Element {
  const content = parseWithin(encrypted, decryptElement(encrypted, keys));
  if (!isNamed(content, named(expected)))
    throw new XmlError(
      `${encrypted.localName} holds ${quoted(content.localName)}, expected saml:${expected}`,
    );
  return content;
}

/**
 * Parses a decrypted element with the namespaces of its place, which encryption leaves out where the sender has encrypted a part of a
 * document.
 *
 * @see XML Encryption Syntax and Processing 1.1, 4.5.3
 */
function parseWithin(place: Element, text: string): Element {
  const declarations = namespacesOf(place).map(
    ({ prefix, namespaceURI }) => ` xmlns${prefix === "" ? "" : `:${prefix}`}="${escapeHtml(namespaceURI)}"`,
  );
  const plain = text.replace(/^\uFEFF?\s*(?:<\?xml\s[^<>?]*\?>)?/, "");
  const root = readMessage(`<decrypted${declarations.join("")}>${plain}</decrypted>`);
  const [content, ...others] = elementsIn(root);
  if (content === undefined || others.length > 0)
    throw new XmlError(`${place.localName} holds ${elementsIn(root).length} elements, expected one`);
  return content;
}

function replace(encrypted: Element, content: Element): void {
  const imported = encrypted.ownerDocument.importNode(content, true);
  encrypted.parentNode?.replaceChild(imported, encrypted);
}
