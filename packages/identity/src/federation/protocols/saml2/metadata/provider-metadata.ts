/** Reads identity providers' metadata. */
import { X509Certificate } from "node:crypto";

import { quoted } from "../../../../platform/text/quoted-value.js";
import { BINDINGS, NAMESPACES } from "../../../../saml/saml-names.js";
import {
  attributeOf,
  childOf,
  childrenOf,
  descendantsOf,
  elementsIn,
  isNamed,
  readMetadataXml,
  textOf,
  XmlError,
  momentOf,
  parseDuration,
} from "../xml-reading.js";
import { separateWeakKeys, type SortedCertificates } from "../provider-certificates.js";
import {
  checkUniqueIds,
  hasSignature,
  readSigned,
  SignatureError,
  trustedSigners,
  type SignatureTrust,
} from "../signed-element.js";
import type { MetadataValidity } from "./metadata-lifetime.js";

/** `certificates` are those to verify signatures with. `validUntil` and `cacheMs` are the earliest and shortest that hold for it. */
export interface ProviderMetadata extends MetadataValidity, SortedCertificates {
  readonly entityId: string;
  /** Other entities of the same provider, which its remote_ids name. */
  readonly others?: readonly ProviderMetadata[];
  /** What people know it by, by language; `` where it names none. */
  readonly names: Readonly<Record<string, string>>;
  /** The domains that its scoped attributes may name (`shibmd:Scope`). */
  readonly scopes: readonly string[];
  /** URLs of its logos: of HTTPS, or with the image in them. */
  readonly logos: readonly string[];
  /** The SingleSignOnService of the HTTP-Redirect binding. */
  readonly redirectUrl: string | undefined;
  /** That of the HTTP-POST binding. */
  readonly postUrl: string | undefined;
  /** The formats of NameIDs that it supports; none, where the metadata names none. */
  readonly nameIdFormats: readonly string[];
  /** Whether requests need no signature (`WantAuthnRequestsSigned="false"`). */
  readonly takesUnsigned: boolean;
  /** The SingleLogoutService of each binding. */
  readonly logout: { readonly redirect: LogoutService | undefined; readonly post: LogoutService | undefined };
}

/** All entities of a provider. */
export const entitiesOf = (provider: ProviderMetadata): readonly ProviderMetadata[] => [
  provider,
  ...(provider.others ?? []),
];

export interface LogoutService {
  readonly url: string;
  /** For responses (`ResponseLocation`); `url`, where the metadata names no other. */
  readonly responseUrl: string;
}

/** Metadata as text, and what it is read for. Structured-cloneable. */
export interface MetadataDocument {
  readonly xml: string;
  /** They select one of several entities. */
  readonly remoteIds: readonly string[];
  /** The trusted signers of the document; any document is accepted if left out. */
  readonly trust?: SignatureTrust | undefined;
}

const metadata = (name: string) => ({ namespace: NAMESPACES.metadata, name });
/** As many as settings may pin. Each login tries each. */
const MAX_CERTIFICATES = 16;
/** Entity IDs that a rejection names. */
const MAX_NAMED_ENTITIES = 5;
const CERTIFICATE = { namespace: NAMESPACES.signature, name: "X509Certificate" };

/**
 * The identity provider that metadata describes. The remote ids select one of several.
 *
 * @throws {XmlError} None, or several.
 * @throws {SignatureError} No trusted signer has signed the document.
 */
export function readProviderMetadata({ xml, remoteIds, trust }: MetadataDocument): ProviderMetadata {
  const described = entitiesIn(documentRoot(xml, trust)).flatMap((entity) => {
    const role = childOf(entity, metadata("IDPSSODescriptor"));
    return role === undefined ? [] : [{ entityId: attributeOf(entity, "entityID") ?? "", role }];
  });
  const chosen =
    described.length > 1 ? described.filter(({ entityId }) => remoteIds.includes(entityId)) : described;
  const twice = chosen.find(({ entityId }, index) =>
    chosen.slice(0, index).some((each) => each.entityId === entityId),
  );
  if (twice !== undefined) throw new XmlError(`the metadata describes ${quoted(twice.entityId)} twice`);
  const [provider, ...others] = chosen.map(({ entityId, role }) => describe(entityId, role));
  if (provider !== undefined) return { ...provider, others };
  const count = `the metadata describes ${chosen.length} identity providers`;
  if (described.length <= 1) throw new XmlError(`${count}, expected one`);
  const found = namedEntities(described.map(({ entityId }) => entityId));
  throw new XmlError(
    `${count} named in the provider's remote_ids, expected one: found ${found}, remote_ids ${namedEntities(remoteIds)}`,
  );
}

/** Within the root, and groups in it: one within another entity is that one's own statement, such as an extension. */
function entitiesIn(element: Element): Element[] {
  if (isNamed(element, metadata("EntityDescriptor"))) return [element];
  if (!isNamed(element, metadata("EntitiesDescriptor"))) return [];
  return elementsIn(element).flatMap(entitiesIn);
}

function namedEntities(ids: readonly string[]): string {
  const shown = ids.slice(0, MAX_NAMED_ENTITIES).map(quoted).join(", ");
  return ids.length > MAX_NAMED_ENTITIES ? `${shown}, …` : shown || "none";
}

/**
 * The root element; with trusted signers, as one of them signed it.
 *
 * @see SAML metadata, 3.1: the signature is of the same form as those of messages.
 */
function documentRoot(xml: string, trust: SignatureTrust | undefined): Element {
  const root = readMetadataXml(xml);
  if (trust === undefined) return root;
  checkUniqueIds(root);
  if (!hasSignature(root))
    throw new SignatureError(
      `the metadata is not signed: ${quoted(root.localName)} has no Signature, expected one by ${trustedSigners(trust)}`,
    );
  return readSigned(root, xml, trust, readMetadataXml).root;
}

function describe(entityId: string, role: Element): ProviderMetadata {
  const service = (name: string, binding: string) =>
    childrenOf(role, metadata(name)).find((each) => attributeOf(each, "Binding") === binding);
  const endpoint = (binding: string) => urlOf(service("SingleSignOnService", binding), "Location");
  const logoutService = (binding: string): LogoutService | undefined => {
    const found = service("SingleLogoutService", binding);
    const url = urlOf(found, "Location");
    return url === undefined ? undefined : { url, responseUrl: urlOf(found, "ResponseLocation") ?? url };
  };
  return {
    entityId,
    ...appearanceOf(role),
    ...certificatesOf(role),
    redirectUrl: endpoint(BINDINGS.redirect),
    postUrl: endpoint(BINDINGS.post),
    nameIdFormats: childrenOf(role, metadata("NameIDFormat")).map((element) => textOf(element)),
    takesUnsigned: attributeOf(role, "WantAuthnRequestsSigned") === "false",
    logout: { redirect: logoutService(BINDINGS.redirect), post: logoutService(BINDINGS.post) },
    ...validityOf(role),
  };
}

const ui = (name: string) => ({ namespace: "urn:oasis:names:tc:SAML:metadata:ui", name });
const SCOPE = { namespace: "urn:mace:shibboleth:metadata:1.0", name: "Scope" };
const MAX_NAMES = 50;
/** Characters of a name, and of a logo. */
const MAX_NAME = 200;
const MAX_LOGO = 65_536;

/** @see SAML Metadata Extensions for Login and Discovery User Interface, and SAML metadata, 2.3.2.1 */
function appearanceOf(role: Element): Pick<ProviderMetadata, "names" | "logos" | "scopes"> {
  const extensions = childrenOf(role, metadata("Extensions"));
  const infos = extensions.flatMap((each) => childrenOf(each, ui("UIInfo")));
  const organizations = childrenOf(role.parentNode as Element, metadata("Organization"));
  const shown = infos.flatMap((info) => childrenOf(info, ui("DisplayName")));
  const named = organizations.flatMap((each) => childrenOf(each, metadata("OrganizationDisplayName")));
  const names = (shown.length > 0 ? shown : named)
    .slice(0, MAX_NAMES)
    .map((each) => [attributeOf(each, "xml:lang") ?? "", textOf(each).slice(0, MAX_NAME)] as const);
  const logos = infos.flatMap((info) => childrenOf(info, ui("Logo"))).map((each) => textOf(each));
  const own = childrenOf(role.parentNode as Element, metadata("Extensions"));
  const scopes = [...extensions, ...own]
    .flatMap((each) => childrenOf(each, SCOPE))
    // Patterns are not evaluated, so that nothing matches them.
    .filter((each) => !["true", "1"].includes(attributeOf(each, "regexp") ?? ""));
  return {
    scopes: scopes.map((each) => textOf(each)),
    names: Object.fromEntries(names),
    logos: logos.filter((url) => url.length <= MAX_LOGO && /^(?:https:\/\/|data:image\/)/i.test(url)),
  };
}

function urlOf(service: Element | undefined, attribute: string): string | undefined {
  const url = service && attributeOf(service, attribute);
  return url !== undefined && /^https?:\/\//.test(url) && URL.canParse(url) ? url : undefined;
}

/** @see SAML metadata, 2.3.1: what the elements around a descriptor state holds for it too. */
function validityOf(role: Element): MetadataValidity {
  const lineage = lineageOf(role);
  const ends = lineage.flatMap((element) => momentOf(element, "validUntil") ?? []);
  // One that is no duration is ignored: it is advice, unlike validUntil.
  const durations = lineage.flatMap(
    (element) => parseDuration(attributeOf(element, "cacheDuration") ?? "") ?? [],
  );
  return {
    validUntil: ends.length === 0 ? undefined : Math.min(...ends),
    cacheMs: durations.length === 0 ? undefined : Math.min(...durations),
  };
}

/** An element and those around it. */
function lineageOf(element: Element): Element[] {
  const lineage: Element[] = [];
  for (let each: Node | null = element; each?.nodeType === 1; each = each.parentNode)
    lineage.push(each as Element);
  return lineage;
}

/** What can't be used is not used, as a weak key: a federation of thousands would fail with it. */
function certificatesOf(role: Element): SortedCertificates {
  const elements = childrenOf(role, metadata("KeyDescriptor"))
    .filter((descriptor) => attributeOf(descriptor, "use") !== "encryption")
    .flatMap((descriptor) => descendantsOf(descriptor))
    .filter((element) => isNamed(element, CERTIFICATE));
  const used = elements.slice(0, MAX_CERTIFICATES).map((element) => readCertificate(textOf(element)));
  const malformed = used.flatMap((certificate, index) =>
    certificate === undefined ? [`malformed (certificate ${index + 1} of ${elements.length})`] : [],
  );
  const beyond =
    elements.length > MAX_CERTIFICATES
      ? [`beyond the first ${MAX_CERTIFICATES} of ${elements.length} certificates to sign with`]
      : [];
  const { weakKeys, ...sorted } = separateWeakKeys(used.filter((certificate) => certificate !== undefined));
  return { ...sorted, weakKeys: [...weakKeys, ...malformed, ...beyond] };
}

function readCertificate(base64: string): X509Certificate | undefined {
  try {
    return new X509Certificate(Buffer.from(base64, "base64"));
  } catch {
    return undefined;
  }
}
