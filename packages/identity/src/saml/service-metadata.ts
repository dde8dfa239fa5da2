/**
 * What the service tells others about itself: as an identity provider for other clouds, and as a service provider for logins.
 *
 * @see saml-schema-metadata-2.0.xsd for the order of elements, which matters.
 */
import { certificateText, signXml } from "./xml-signing.js";
import { BINDINGS, NAMESPACES, TRANSIENT_FORMAT } from "./saml-names.js";
import type { SamlKeyRing } from "./saml-keys.js";
import type { SamlSettings } from "./saml-settings.js";
import { element, inAscii, type Xml } from "./xml-writing.js";

export interface MetadataFacts {
  readonly entityId: string;
  readonly settings: SamlSettings;
  readonly ring: SamlKeyRing;
  /** Where the service gives assertions. */
  readonly signOnUrl: string;
  /** Where it takes them: one at least. */
  readonly consumerUrls: readonly string[];
  /** Of the document. */
  readonly id: string;
}

/** A signed EntityDescriptor. */
export function samlMetadata({
  entityId,
  settings,
  ring,
  signOnUrl,
  consumerUrls,
  id,
}: MetadataFacts): string {
  const { xml } = element(
    "md:EntityDescriptor",
    {
      "xmlns:md": NAMESPACES.metadata,
      "xmlns:ds": NAMESPACES.signature,
      ID: id,
      entityID: entityId,
    },
    identityProvider(ring, signOnUrl),
    serviceProvider(ring, consumerUrls),
    organization(settings),
    contact(settings),
  );
  const place = { id, reference: "/*", action: "prepend" } as const;
  return inAscii(signXml(xml, place, ring.signing));
}

function identityProvider({ keys }: SamlKeyRing, signOnUrl: string): Xml {
  return element(
    "md:IDPSSODescriptor",
    { protocolSupportEnumeration: NAMESPACES.protocol },
    ...keys.map((key) => keyDescriptor("signing", certificateText(key))),
    element("md:NameIDFormat", {}, TRANSIENT_FORMAT),
    element("md:SingleSignOnService", { Binding: BINDINGS.uri, Location: signOnUrl }),
  );
}

function serviceProvider({ keys, signing }: SamlKeyRing, consumerUrls: readonly string[]): Xml {
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
    ...keys.map((key) => keyDescriptor("signing", certificateText(key))),
    keyDescriptor("encryption", certificateText(signing)),
    ...endpoints.map((endpoint, index) =>
      element("md:AssertionConsumerService", { ...endpoint, index: String(index) }),
    ),
  );
}

function keyDescriptor(use: "signing" | "encryption", certificate: string): Xml {
  const data = element("ds:X509Data", {}, element("ds:X509Certificate", {}, certificate));
  return element("md:KeyDescriptor", { use }, element("ds:KeyInfo", {}, data));
}

/** Nothing where the name or the URL is missing: each needs the other. */
function organization(settings: SamlSettings): Xml {
  const { samlOrganizationName: name, samlOrganizationUrl: url } = settings;
  if (name === undefined || url === undefined) return NOTHING;
  const english = { "xml:lang": "en" };
  return element(
    "md:Organization",
    {},
    element("md:OrganizationName", english, name),
    element("md:OrganizationDisplayName", english, settings.samlOrganizationDisplayName ?? name),
    element("md:OrganizationURL", english, url),
  );
}

function contact(settings: SamlSettings): Xml {
  const parts = [
    ["Company", settings.samlContactCompany],
    ["GivenName", settings.samlContactName],
    ["SurName", settings.samlContactSurname],
    ["EmailAddress", settings.samlContactEmail && `mailto:${settings.samlContactEmail}`],
    ["TelephoneNumber", settings.samlContactTelephone],
  ] as const;
  const known = parts.flatMap(([name, value]) =>
    value === undefined ? [] : [element(`md:${name}`, {}, value)],
  );
  if (known.length === 0) return NOTHING;
  return element("md:ContactPerson", { contactType: settings.samlContactType }, ...known);
}

const NOTHING: Xml = { xml: "" };
