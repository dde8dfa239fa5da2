/**
 * Which key has made a signature, by the part of a document that is signed directly and says what the rest has to be. It is
 * small, whatever else there is, so that who has no key costs next to nothing.
 */
import { verify, type KeyObject, type X509Certificate } from "node:crypto";

import { ExclusiveCanonicalization } from "xml-crypto";

import { NAMESPACES } from "./saml-names.js";
import { attributeOf, requireChild, textOf } from "../federation/saml/xml-reading.js";

const named = (name: string) => ({ namespace: NAMESPACES.signature, name });

/**
 * @param signature In the one form that is accepted.
 * @returns `undefined` where none of the signers has made it.
 */
export function signingKey(
  signature: Element,
  certificates: readonly X509Certificate[],
): KeyObject | undefined {
  const info = requireChild(signature, named("SignedInfo"));
  const method = attributeOf(requireChild(info, named("SignatureMethod")), "Algorithm") ?? "";
  const hash = /rsa-(sha(?:1|256|512))$/.exec(method)?.[1];
  const value = Buffer.from(textOf(requireChild(signature, named("SignatureValue"))), "base64");
  const text = Buffer.from(canonical(info));
  return certificates
    .map(({ publicKey }) => publicKey)
    .find((key) => key.asymmetricKeyType === "rsa" && verify(hash, text, key, value));
}

function canonical(info: Element): string {
  // The canonical form is made of a copy: it may add to the element what was declared around it.
  return new ExclusiveCanonicalization().process(info.cloneNode(true) as Element, {
    ancestorNamespaces: namespacesAround(info),
  });
}

/** The innermost declaration of each prefix. */
function namespacesAround(element: Element): { prefix: string; namespaceURI: string }[] {
  const found = new Map<string, string>();
  for (
    let parent = element.parentNode as Element | null;
    parent?.nodeType === 1;
    parent = parent.parentNode as Element | null
  )
    for (let index = 0; index < parent.attributes.length; index++) {
      const { name, value } = parent.attributes[index] as Attr;
      const prefix = /^xmlns:?(.*)$/.exec(name)?.[1];
      if (prefix !== undefined && !found.has(prefix)) found.set(prefix, value);
    }
  return Array.from(found, ([prefix, namespaceURI]) => ({ prefix, namespaceURI }));
}
