/** SAML that an author of rules pastes: XML, or the `SAMLResponse` of a form. */
import { NAMESPACES } from "../../../saml/saml-names.js";
import { PastedAssertionError, type PastedAssertion, type PasteNaming } from "../pasted-text.js";
import { assertionAttributes, readAuthnStatement } from "./assertion-attributes.js";
import type { Saml2Settings } from "./saml2-settings.js";
import { descendantsOf, isNamed, readMessage } from "./xml-reading.js";

/** @returns `undefined` for text of another form. */
export function readPastedSaml(
  text: string,
  naming: PasteNaming<Saml2Settings>,
): PastedAssertion | undefined {
  if (text.startsWith("<")) return readXml(text, naming);
  const decoded = /^[A-Za-z0-9+/=\s%]+$/.test(text) ? decodedForm(text).trim() : "";
  return decoded.startsWith("<") ? readXml(decoded, naming) : undefined;
}

function readXml(xml: string, { settings, remoteIdAttribute }: PasteNaming<Saml2Settings>): PastedAssertion {
  try {
    const all = descendantsOf(readMessage(xml));
    const assertion = all.find((element) => isNamed(element, ofSaml("Assertion")));
    if (assertion === undefined)
      throw new Error(
        all.some((element) => isNamed(element, ofSaml("EncryptedAssertion")))
          ? "the assertion is encrypted: a test login reads it"
          : "the document has no saml:Assertion",
      );
    const prefix = settings?.attribute_prefix ?? "";
    const authn = hasStatement(assertion) ? readAuthnStatement(assertion, undefined) : undefined;
    return {
      format: "saml",
      ...assertionAttributes(assertion, { prefix, remoteIdAttribute, ...(authn && { authn }) }),
    };
  } catch (cause) {
    throw new PastedAssertionError(`The SAML document can't be read: ${(cause as Error).message}.`, {
      cause,
    });
  }
}

const ofSaml = (name: string) => ({ namespace: NAMESPACES.assertion, name });

function hasStatement(assertion: Element): boolean {
  return descendantsOf(assertion).some((element) => isNamed(element, ofSaml("AuthnStatement")));
}

/** The `SAMLResponse` of a form, also as the browser's tools show it. */
function decodedForm(text: string): string {
  const plain = /%[0-9A-F]{2}/i.test(text)
    ? text.replaceAll("%2B", "+").replaceAll("%2F", "/").replaceAll("%3D", "=")
    : text;
  return Buffer.from(plain, "base64").toString();
}
