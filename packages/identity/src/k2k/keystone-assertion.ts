/** Assertions for other clouds, in Keystone's form: their mappings work unchanged. */
import type { Moment } from "../platform/clock.js";
import type { NewId } from "../platform/ids.js";
import type { SamlKey } from "../saml/saml-keys.js";
import { BEARER, ENTITY_FORMAT, NAMESPACES, SOAP_NEXT, SUCCESS } from "../saml/saml-names.js";
import { element, inAscii, instant, signXml, xmlId, type Xml } from "../saml/xml-writing.js";

export interface KeystoneUser {
  readonly user: string;
  readonly userDomain: string;
  readonly roles: readonly string[];
  readonly project: string;
  readonly projectDomain: string;
  readonly groups: readonly { readonly name: string; readonly domain: string }[];
}

export interface AssertionOptions {
  /** The service's entity ID. */
  readonly issuer: string;
  /** The only URL that accepts the assertion. */
  readonly recipient: string;
  readonly key: SamlKey;
  readonly newId: NewId;
  readonly now: Moment;
  readonly lifetimeMs: number;
}

const PASSWORD = "urn:oasis:names:tc:SAML:2.0:ac:classes:Password";
const URI_NAMES = "urn:oasis:names:tc:SAML:2.0:attrname-format:uri";

/** A Response with one signed assertion. */
export async function keystoneResponse(user: KeystoneUser, options: AssertionOptions): Promise<string> {
  const { issuer, recipient, key, newId, now } = options;
  const assertionId = xmlId(newId);
  const { xml } = element(
    "samlp:Response",
    {
      "xmlns:samlp": NAMESPACES.protocol,
      "xmlns:saml": NAMESPACES.assertion,
      "xmlns:xs": NAMESPACES.schema,
      "xmlns:xsi": NAMESPACES.instance,
      ID: xmlId(newId),
      Version: "2.0",
      IssueInstant: instant(now),
      Destination: recipient,
    },
    issuerOf(issuer),
    element("samlp:Status", {}, element("samlp:StatusCode", { Value: SUCCESS })),
    assertion(user, assertionId, options),
  );
  const reference = `//*[@ID="${assertionId}"]/*[local-name()="Issuer"]`;
  return inAscii(await signXml(xml, { id: assertionId, reference, action: "after" }, key));
}

function assertion(user: KeystoneUser, id: string, options: AssertionOptions): Xml {
  const { issuer, now, lifetimeMs } = options;
  const end = instant(now + lifetimeMs);
  return element(
    "saml:Assertion",
    { ID: id, Version: "2.0", IssueInstant: instant(now) },
    issuerOf(issuer),
    subject(user.user, end, options),
    element("saml:Conditions", { NotOnOrAfter: end }),
    authentication(end, options),
    attributes(user),
  );
}

function issuerOf(issuer: string): Xml {
  return element("saml:Issuer", { Format: ENTITY_FORMAT }, issuer);
}

function subject(name: string, end: string, { recipient }: AssertionOptions): Xml {
  const data = element("saml:SubjectConfirmationData", { NotOnOrAfter: end, Recipient: recipient });
  return element(
    "saml:Subject",
    {},
    element("saml:NameID", {}, name),
    element("saml:SubjectConfirmation", { Method: BEARER }, data),
  );
}

function authentication(end: string, { issuer, now, newId }: AssertionOptions): Xml {
  return element(
    "saml:AuthnStatement",
    { AuthnInstant: instant(now), SessionIndex: newId(), SessionNotOnOrAfter: end },
    element(
      "saml:AuthnContext",
      {},
      element("saml:AuthnContextClassRef", {}, PASSWORD),
      element("saml:AuthenticatingAuthority", {}, issuer),
    ),
  );
}

function attributes({ user, userDomain, roles, project, projectDomain, groups }: KeystoneUser): Xml {
  const values: readonly (readonly [string, readonly string[]])[] = [
    ["openstack_user", [user]],
    ["openstack_roles", roles],
    ["openstack_project", [project]],
    ["openstack_project_domain", [projectDomain]],
    ["openstack_user_domain", [userDomain]],
    ["openstack_groups", groups.map(groupText)],
  ];
  const present = values.filter(([, texts]) => texts.length > 0);
  return element("saml:AttributeStatement", {}, ...present.map(([name, texts]) => attribute(name, texts)));
}

function attribute(name: string, texts: readonly string[]): Xml {
  const values = texts.map((text) => element("saml:AttributeValue", { "xsi:type": "xs:string" }, text));
  return element("saml:Attribute", { Name: name, NameFormat: URI_NAMES }, ...values);
}

/** With the blanks of Python's `json`: mappings may match the text. */
function groupText({ name, domain }: { readonly name: string; readonly domain: string }): string {
  return `JSON:{"name": ${JSON.stringify(name)}, "domain": {"name": ${JSON.stringify(domain)}}}`;
}

/** A Response in SOAP, as Keystone wraps it for ECP. */
export function keystoneEnvelope(response: string, relayState: string): string {
  return element(
    "soap:Envelope",
    { "xmlns:soap": NAMESPACES.soap, "xmlns:ecp": NAMESPACES.ecp },
    element(
      "soap:Header",
      {},
      element("ecp:RelayState", { "soap:mustUnderstand": "1", "soap:actor": SOAP_NEXT }, relayState),
    ),
    element("soap:Body", {}, { xml: response }),
  ).xml;
}
