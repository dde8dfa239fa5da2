/**
 * The service's SAML metadata: as a service provider for logins, and as an identity provider for other clouds.
 *
 * @see saml-schema-metadata-2.0.xsd for the order of elements, which matters.
 */
import type { Platform } from "../area.js";
import { createRevisionCache } from "../platform/concurrency/revision-cache.js";
import type { SamlKey, SamlKeyRing, SamlKeys } from "./saml-keys.js";
import { BINDINGS, NAMESPACES, TRANSIENT_FORMAT } from "./saml-names.js";
import { entityIdOf, type SamlSettings } from "./saml-settings.js";
import { element, inAscii, signXml, xmlId, type Xml } from "./xml-writing.js";

export interface ServiceMetadataDeps extends Pick<Platform, "newId" | "links"> {
  readonly settings: SamlSettings;
  readonly keys: Pick<SamlKeys, "current">;
  readonly endpoints: () => Promise<ServiceEndpoints>;
  /** Another number as soon as keys or protocols may have changed. */
  readonly revision: () => number;
}

/** Where the service receives messages as a service provider. */
export interface ServiceEndpoints {
  /** The ACS URLs of the SAML protocols. */
  readonly consumerUrls: readonly string[];
  /** The URL of single logout; `undefined` where no protocol has it. */
  readonly logoutUrl: string | undefined;
}

/** @returns A function that returns the signed EntityDescriptor. */
export function createServiceMetadata(deps: ServiceMetadataDeps): () => Promise<string> {
  const { settings, links, revision } = deps;
  const endpointCache = createRevisionCache<ServiceEndpoints>({ revision, maxEntries: 1 });
  /** Signed once per change of keys or protocols: anyone may request the metadata. */
  let document: { readonly content: string; readonly xml: Promise<string> } | undefined;

  return async () => {
    const { consumerUrls, logoutUrl } = await endpointCache.get("endpoints", () => deps.endpoints());
    const ring = await deps.keys.current();
    const content = JSON.stringify([
      consumerUrls,
      logoutUrl,
      ring.keys.map(({ number }) => number),
      ring.signing.number,
    ]);
    if (document?.content !== content) {
      const xml = samlMetadata({
        entityId: entityIdOf(settings, links),
        settings,
        ring,
        signOnUrl: links.to("/v3/auth/OS-FEDERATION/saml2"),
        // The schema demands one: without SAML protocols it is a URL that rejects all.
        consumerUrls:
          consumerUrls.length > 0 ? consumerUrls : [links.to("/v3/auth/OS-FEDERATION/websso/saml2")],
        logoutUrl,
        id: xmlId(deps.newId),
      });
      document = { content, xml };
    }
    return document.xml;
  };
}

interface MetadataContent extends ServiceEndpoints {
  readonly entityId: string;
  readonly settings: SamlSettings;
  readonly ring: SamlKeyRing;
  /** Where other clouds' users get assertions. */
  readonly signOnUrl: string;
  /** The document's ID. */
  readonly id: string;
}

async function samlMetadata(content: MetadataContent): Promise<string> {
  const { entityId, settings, ring, signOnUrl, id } = content;
  const { xml } = element(
    "md:EntityDescriptor",
    {
      "xmlns:md": NAMESPACES.metadata,
      "xmlns:ds": NAMESPACES.signature,
      ID: id,
      entityID: entityId,
    },
    identityProvider(ring, signOnUrl),
    serviceProvider(ring, content),
    organization(settings),
    contact(settings),
  );
  const place = { id, reference: "/*", action: "prepend" } as const;
  return inAscii(await signXml(xml, place, ring.signing));
}

function identityProvider({ keys }: SamlKeyRing, signOnUrl: string): Xml {
  return element(
    "md:IDPSSODescriptor",
    { protocolSupportEnumeration: NAMESPACES.protocol },
    ...keys.map((key) => keyDescriptor("signing", key)),
    element("md:NameIDFormat", {}, TRANSIENT_FORMAT),
    element("md:SingleSignOnService", { Binding: BINDINGS.uri, Location: signOnUrl }),
  );
}

function serviceProvider({ keys, signing }: SamlKeyRing, { consumerUrls, logoutUrl }: ServiceEndpoints): Xml {
  const logoutBindings = logoutUrl === undefined ? [] : [BINDINGS.redirect, BINDINGS.post];
  const endpoints = consumerUrls.flatMap((url) => [
    { Binding: BINDINGS.post, Location: url },
    { Binding: BINDINGS.paos, Location: url },
  ]);
  return element(
    "md:SPSSODescriptor",
    {
      AuthnRequestsSigned: "true",
      WantAssertionsSigned: "true",
      protocolSupportEnumeration: NAMESPACES.protocol,
    },
    ...keys.map((key) => keyDescriptor("signing", key)),
    keyDescriptor("encryption", signing),
    ...logoutBindings.map((binding) =>
      element("md:SingleLogoutService", { Binding: binding, Location: logoutUrl }),
    ),
    ...endpoints.map((endpoint, index) =>
      element("md:AssertionConsumerService", { ...endpoint, index: String(index) }),
    ),
  );
}

function keyDescriptor(use: "signing" | "encryption", { certificate }: SamlKey): Xml {
  const base64 = certificate.raw.toString("base64");
  const data = element("ds:X509Data", {}, element("ds:X509Certificate", {}, base64));
  return element("md:KeyDescriptor", { use }, element("ds:KeyInfo", {}, data));
}

/** Empty unless both name and URL are set: each requires the other. */
function organization(settings: SamlSettings): Xml {
  const { organizationName: name, organizationUrl: url } = settings;
  if (name === undefined || url === undefined) return EMPTY;
  const english = { "xml:lang": "en" };
  return element(
    "md:Organization",
    {},
    element("md:OrganizationName", english, name),
    element("md:OrganizationDisplayName", english, settings.organizationDisplayName ?? name),
    element("md:OrganizationURL", english, url),
  );
}

function contact(settings: SamlSettings): Xml {
  const parts = [
    ["Company", settings.contactCompany],
    ["GivenName", settings.contactName],
    ["SurName", settings.contactSurname],
    ["EmailAddress", settings.contactEmail && `mailto:${settings.contactEmail}`],
    ["TelephoneNumber", settings.contactTelephone],
  ] as const;
  const known = parts.flatMap(([name, value]) =>
    value === undefined ? [] : [element(`md:${name}`, {}, value)],
  );
  if (known.length === 0) return EMPTY;
  return element("md:ContactPerson", { contactType: settings.contactType }, ...known);
}

const EMPTY: Xml = { xml: "" };
