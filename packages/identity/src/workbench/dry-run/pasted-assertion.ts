/**
 * Reads an assertion that an author of rules pastes, with the attribute names that a login gives: JSON, lines, a JWT or SAML XML. Nothing is
 * verified: it is for dry runs alone.
 */
import type { PublicSettings, SettingsType } from "../../identity-providers/protocols/protocol-settings.js";
import type { Assertion } from "../../mappings/rules/evaluate-mapping.js";
import { isRecord } from "../../mappings/rules/rule-schema.js";
import { errorClass, InvalidError } from "../../platform/errors.js";
import { isNestedTooDeep, MAX_JSON_DEPTH, parseExactJson } from "../../platform/text/exact-json.js";
import { NAMESPACES } from "../../saml/saml-names.js";
import { claimAttributes, type Claims } from "../../federation/protocols/openid/claim-attributes.js";
import { isOpenId } from "../../federation/protocols/openid/openid-settings.js";
import { subjectFault } from "../../federation/protocols/openid/claims.js";
import {
  assertionAttributes,
  readAuthnStatement,
} from "../../federation/protocols/saml2/assertion-attributes.js";
import { descendantsOf, isNamed, readMessage } from "../../federation/protocols/saml2/xml-reading.js";

/** The text is no assertion in any of the forms. */
export class PastedAssertionError extends errorClass(InvalidError, "mapping/assertion") {}

export interface PastedAssertion {
  readonly format: "json" | "claims" | "lines" | "jwt" | "saml";
  readonly attributes: Assertion;
  /** Attributes and claims that lack a value, because it has a semicolon, or because two claims have the name. */
  readonly leftOut: readonly string[];
}

/** What a protocol's settings say of names. */
export interface PasteNaming {
  /** The format of its assertions: the prefix is for these alone. */
  readonly format: SettingsType["assertionFormat"];
  readonly settings: PublicSettings | null | undefined;
  readonly remoteIdAttribute: string | null;
}

/** @throws {PastedAssertionError} */
export function readPasted(text: string, naming: PasteNaming | undefined): PastedAssertion {
  const trimmed = text.trim();
  if (trimmed.startsWith("{")) return readJson(trimmed, naming);
  if (/^[\w-]+\.[\w-]+\.[\w-]*$/.test(trimmed)) return readJwt(trimmed, naming);
  if (trimmed.startsWith("<")) return readSaml(trimmed, naming);
  const decoded = /^[A-Za-z0-9+/=\s%]+$/.test(trimmed) ? decodedForm(trimmed) : "";
  if (decoded.trimStart().startsWith("<")) return readSaml(decoded.trim(), naming);
  return readLines(trimmed);
}

const EXPECTED =
  "expected a JSON object of attributes, lines such as MAIL: kim@example.org, a JWT, or a SAML response";

function readJson(text: string, naming: PasteNaming | undefined): PastedAssertion {
  const content = contentOf(parsed(text, "JSON"));
  // Claims as an ID token has them; attributes of an assertion have the names and texts that rules see.
  const isClaims = typeof content["iss"] === "string" || typeof content["sub"] === "string";
  if (isClaims) return { format: "claims", ...named(content, naming) };
  return { format: "json", attributes: contentOf(JSON.parse(text) as Claims), leftOut: [] };
}

function contentOf(json: Claims): Claims {
  return isRecord(json["assertion"]) ? json["assertion"] : json;
}

function readJwt(text: string, naming: PasteNaming | undefined): PastedAssertion {
  const payload = Buffer.from(text.split(".")[1] ?? "", "base64url").toString();
  return { format: "jwt", ...named(parsed(payload, "the payload of the JWT"), naming) };
}

/** @throws {PastedAssertionError} A login rejects the claims: their `sub` is no text. */
function named(claims: Claims, naming: PasteNaming | undefined) {
  const fault = subjectFault(claims);
  if (fault !== undefined) throw new PastedAssertionError(`A login rejects the claims: ${fault}.`);
  const { attributes, leftOut, ambiguous, ambiguousAttributes } = claimAttributes(
    claims,
    isOpenId(naming?.settings) ? naming.settings : undefined,
  );
  return { attributes, leftOut: [...leftOut, ...ambiguous, ...ambiguousAttributes] };
}

function readSaml(xml: string, naming: PasteNaming | undefined): PastedAssertion {
  try {
    const all = descendantsOf(readMessage(xml));
    const assertion = all.find((element) => isNamed(element, ofSaml("Assertion")));
    if (assertion === undefined)
      throw new Error(
        all.some((element) => isNamed(element, ofSaml("EncryptedAssertion")))
          ? "the assertion is encrypted: a test login reads it"
          : "the document has no saml:Assertion",
      );
    const { remoteIdAttribute = null } = naming ?? {};
    const prefix = (naming?.format === "saml" ? naming.settings?.attribute_prefix : undefined) ?? "";
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

function readLines(text: string): PastedAssertion {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const pairs = lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    if (colon < 1) throw new PastedAssertionError(`The text is no assertion: ${EXPECTED}.`);
    return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
  });
  return { format: "lines", attributes: Object.fromEntries(pairs), leftOut: [] };
}

function parsed(text: string, what: string): Readonly<Record<string, unknown>> {
  if (isNestedTooDeep(text))
    throw new PastedAssertionError(`${what} is nested deeper than ${MAX_JSON_DEPTH} levels.`);
  try {
    const value = parseExactJson(text);
    if (isRecord(value)) return value;
  } catch (cause) {
    throw new PastedAssertionError(`${what} is invalid: ${(cause as Error).message}.`, { cause });
  }
  throw new PastedAssertionError(`The text is no assertion: ${EXPECTED}.`);
}
