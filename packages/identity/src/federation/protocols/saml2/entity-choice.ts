/** Providers with several entities, such as those of a federation: which of them a login is at, and what their assertions may say. */
import { createHash } from "node:crypto";

import { cookiesOf } from "../../../platform/http/header-values.js";
import { quoted } from "../../../platform/text/quoted-value.js";
import type { BrowserStep, EnabledProtocol, FederatedRequest } from "../../assertion-verifier.js";
import { discoveryPage } from "../../browser/discovery-page.js";
import { AssertionRefusedError } from "../../federation-errors.js";
import { entitiesOf, type ProviderMetadata } from "./metadata/provider-metadata.js";
import type { Saml2Settings } from "./saml2-settings.js";

/** The parameter that has the chosen entity, as at services of the SAML discovery protocol. */
const PARAMETER = "entityID";
const REMEMBERED_SECONDS = 90 * 86_400;

export interface EntityChoice {
  readonly request: FederatedRequest;
  readonly protocol: EnabledProtocol<Saml2Settings>;
  readonly provider: ProviderMetadata;
}

export const hasSeveral = ({ others = [] }: ProviderMetadata): boolean => others.length > 0;

/** @throws {AssertionRefusedError} The provider has no such entity. */
export function requireEntity(
  provider: ProviderMetadata,
  entityId: string,
  step = "request",
): ProviderMetadata {
  const found = entitiesOf(provider).find((each) => each.entityId === entityId);
  if (found !== undefined) return found;
  throw new AssertionRefusedError({
    step,
    reason: `${quoted(entityId)} is none of the ${entitiesOf(provider).length} entities of the provider (remote_ids)`,
  });
}

/** The entity that the user has chosen, or else the page on which to choose. @throws {AssertionRefusedError} An unknown one. */
export function chosenEntity({ request, protocol, provider }: EntityChoice): ProviderMetadata | BrowserStep {
  if (!hasSeveral(provider)) return provider;
  const chosen = request.query.get(PARAMETER);
  if (chosen !== undefined) return requireEntity(provider, chosen);
  const remembered = cookiesOf(request.headers.cookie).find(([name]) => name === cookieName(protocol))?.[1];
  // What the request had, and nothing else: the choice leads back to where it was asked for.
  const parameters = [
    ...Array.from(request.query).filter(([name]) => name !== "q"),
    ...(request.origin === undefined ? [] : [["origin", request.origin] as const]),
  ];
  return discoveryPage({
    entities: entitiesOf(provider).map((each) => ({
      id: each.entityId,
      names: each.names,
      scopes: each.scopes,
      logos: each.logos,
    })),
    parameter: PARAMETER,
    parameters,
    search: request.query.get("q") ?? "",
    isRemembered: (entityId) => digestOf(entityId) === remembered,
    languages: request.headers["accept-language"] ?? "",
    loadsLogos: protocol.settings.discovery_logos === true,
  });
}

/** The `Set-Cookie` values that have the browser remember its choice. */
export function rememberChoice({ protocol }: EntityChoice, { entityId }: ProviderMetadata): string[] {
  const secure = protocol.authUrl.startsWith("https:") ? "; Secure" : "";
  const path = new URL(protocol.authUrl).pathname.replace(/\/v3\/.*$/, "/v3");
  return [
    `${cookieName(protocol)}=${digestOf(entityId)}; Path=${path}; Max-Age=${REMEMBERED_SECONDS}; HttpOnly; SameSite=Lax${secure}`,
  ];
}

const cookieName = ({ idpId, id }: Pick<EnabledProtocol, "idpId" | "id">): string =>
  `chosen-entity-${digestOf(JSON.stringify([idpId, id])).slice(0, 12)}`;

const digestOf = (text: string): string => createHash("sha256").update(text).digest("base64url");

/** The entity whose keys have to verify a message: that of the login which it says it answers, or which it says has issued it. */
export function expectedEntity(
  provider: ProviderMetadata,
  xml: string,
  begun: string | undefined,
): ProviderMetadata {
  if (!hasSeveral(provider)) return provider;
  const issuer = /<(?:[\w.-]+:)?Issuer(?:\s[^<>]*)?>\s*([^<\s]{1,1024})\s*</.exec(xml)?.[1];
  const named = begun ?? issuer?.replaceAll("&amp;", "&");
  if (named === undefined)
    throw new AssertionRefusedError({ step: "assertion", reason: "the message names no Issuer" });
  return requireEntity(provider, named, "assertion");
}

/** Attributes of which a part behind `@` names the domain that vouches for them. */
const SCOPED = new Set([
  "urn:oid:1.3.6.1.4.1.5923.1.1.1.6",
  "urn:oid:1.3.6.1.4.1.5923.1.1.1.9",
  "urn:oid:1.3.6.1.4.1.5923.1.1.1.13",
  "urn:mace:dir:attribute-def:eduPersonPrincipalName",
  "urn:mace:dir:attribute-def:eduPersonScopedAffiliation",
  "urn:oasis:names:tc:SAML:attribute:subject-id",
  "urn:oasis:names:tc:SAML:attribute:pairwise-id",
  "eduPersonPrincipalName",
  "eduPersonScopedAffiliation",
  "eduPersonUniqueId",
  "subject-id",
  "pairwise-id",
]);

export interface ScopedAttributes {
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Names of those that lost values. */
  readonly leftOut: readonly string[];
}

/**
 * The attributes as one of several entities may assert them. No entity can name a user of another one: values of scoped attributes
 * have a domain of its metadata, and its NameIDs begin with its entity ID.
 */
export function attributesOfEntity(
  attributes: Readonly<Record<string, unknown>>,
  { entityId, scopes }: ProviderMetadata,
  prefix: string,
): ScopedAttributes {
  const leftOut: string[] = [];
  const kept = Object.entries(attributes).flatMap(([name, value]): [string, unknown][] => {
    const plain = name.startsWith(prefix) ? name.slice(prefix.length) : name;
    if (plain === "NAME_ID" || name === "REMOTE_USER") return [[name, `${entityId}!${String(value)}`]];
    if (!SCOPED.has(plain)) return [[name, value]];
    const values = String(value).split(";");
    const own = values.filter(
      (each) => scopes.includes(each.slice(each.lastIndexOf("@") + 1)) && each.includes("@"),
    );
    if (own.length < values.length) leftOut.push(name);
    return own.length === 0 ? [] : [[name, own.join(";")]];
  });
  return { attributes: Object.fromEntries(kept), leftOut };
}
