/** What identity providers say of themselves in their metadata. */
import { X509Certificate } from "node:crypto";

import { BINDINGS, NAMESPACES } from "./saml-names.js";
import {
  attributeOf,
  childOf,
  childrenOf,
  descendantsOf,
  isNamed,
  readMetadataXml,
  textOf,
  XmlError,
} from "./xml-reading.js";

export interface ProviderDescription {
  readonly entityId: string;
  /** Of the keys by which it signs. */
  readonly certificates: readonly X509Certificate[];
  /** Where it takes requests; `undefined` where it takes none of this kind. */
  readonly redirectUrl: string | undefined;
  readonly postUrl: string | undefined;
  /** Whether it says that requests need no signature. */
  readonly takesUnsigned: boolean;
}

const metadata = (name: string) => ({ namespace: NAMESPACES.metadata, name });
const CERTIFICATE = { namespace: NAMESPACES.signature, name: "X509Certificate" };

/**
 * The identity provider that metadata describes. Of several it is the one that the remote ids name.
 *
 * @throws {XmlError} There is none, or several.
 */
export function readProviderMetadata(xml: string, remoteIds: readonly string[]): ProviderDescription {
  const described = descendantsOf(readMetadataXml(xml)).flatMap((entity) => {
    const role = isNamed(entity, metadata("EntityDescriptor"))
      ? childOf(entity, metadata("IDPSSODescriptor"))
      : undefined;
    return role === undefined ? [] : [{ entityId: attributeOf(entity, "entityID") ?? "", role }];
  });
  const chosen =
    described.length > 1 ? described.filter(({ entityId }) => remoteIds.includes(entityId)) : described;
  const [provider, ...others] = chosen;
  if (provider === undefined || others.length > 0)
    throw new XmlError(`the metadata describes ${chosen.length} identity providers of this name`);
  return describe(provider.entityId, provider.role);
}

function describe(entityId: string, role: Element): ProviderDescription {
  const endpoint = (binding: string) => {
    const services = childrenOf(role, metadata("SingleSignOnService"));
    const found = services.find((service) => attributeOf(service, "Binding") === binding);
    const url = found && attributeOf(found, "Location");
    return url !== undefined && /^https?:\/\//.test(url) && URL.canParse(url) ? url : undefined;
  };
  return {
    entityId,
    certificates: certificatesOf(role),
    redirectUrl: endpoint(BINDINGS.redirect),
    postUrl: endpoint(BINDINGS.post),
    takesUnsigned: attributeOf(role, "WantAuthnRequestsSigned") === "false",
  };
}

function certificatesOf(role: Element): X509Certificate[] {
  return childrenOf(role, metadata("KeyDescriptor"))
    .filter((descriptor) => attributeOf(descriptor, "use") !== "encryption")
    .flatMap((descriptor) => descendantsOf(descriptor))
    .filter((element) => isNamed(element, CERTIFICATE))
    .map((element) => new X509Certificate(Buffer.from(textOf(element), "base64")));
}
