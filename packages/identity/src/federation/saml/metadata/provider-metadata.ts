/** Reads identity providers' metadata. */
import { X509Certificate } from "node:crypto";

import { keyWeakness } from "../../../platform/secrets/key-strength.js";
import { BINDINGS, NAMESPACES } from "../../../saml/saml-names.js";
import {
  attributeOf,
  childOf,
  childrenOf,
  descendantsOf,
  isNamed,
  readMetadataXml,
  textOf,
  XmlError,
} from "../xml-reading.js";
import { fingerprintOf } from "../signed-element.js";

export interface ProviderMetadata {
  readonly entityId: string;
  /** Its signing certificates with strong keys. */
  readonly certificates: readonly X509Certificate[];
  /** The others, by fingerprint, with the reason: for the log. */
  readonly weakKeys: readonly string[];
  /** The SingleSignOnService of the HTTP-Redirect binding. */
  readonly redirectUrl: string | undefined;
  /** That of the HTTP-POST binding. */
  readonly postUrl: string | undefined;
  /** Whether requests need no signature (`WantAuthnRequestsSigned="false"`). */
  readonly takesUnsigned: boolean;
  /** The SingleLogoutService of each binding. */
  readonly logout: { readonly redirect: LogoutService | undefined; readonly post: LogoutService | undefined };
}

export interface LogoutService {
  readonly url: string;
  /** For responses (`ResponseLocation`); `url`, where the metadata names no other. */
  readonly responseUrl: string;
}

const metadata = (name: string) => ({ namespace: NAMESPACES.metadata, name });
/** As many as settings may pin. Each login tries each. */
const MAX_CERTIFICATES = 16;
const CERTIFICATE = { namespace: NAMESPACES.signature, name: "X509Certificate" };

/**
 * The identity provider that metadata describes. The remote ids select one of several.
 *
 * @throws {XmlError} None, or several.
 */
export function readProviderMetadata(xml: string, remoteIds: readonly string[]): ProviderMetadata {
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
    throw new XmlError(
      `the metadata describes ${chosen.length} identity providers${described.length > 1 ? " named in the provider's remote_ids" : ""}, expected one`,
    );
  return describe(provider.entityId, provider.role);
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
    ...separateWeakKeys(certificatesOf(role)),
    redirectUrl: endpoint(BINDINGS.redirect),
    postUrl: endpoint(BINDINGS.post),
    takesUnsigned: attributeOf(role, "WantAuthnRequestsSigned") === "false",
    logout: { redirect: logoutService(BINDINGS.redirect), post: logoutService(BINDINGS.post) },
  };
}

function urlOf(service: Element | undefined, attribute: string): string | undefined {
  const url = service && attributeOf(service, attribute);
  return url !== undefined && /^https?:\/\//.test(url) && URL.canParse(url) ? url : undefined;
}

/** Separates certificates with strong keys from the others. */
export function separateWeakKeys(
  certificates: readonly X509Certificate[],
): Pick<ProviderMetadata, "certificates" | "weakKeys"> {
  const checked = certificates.map((certificate) => ({
    certificate,
    weakness: keyWeakness(certificate.publicKey),
  }));
  return {
    certificates: checked
      .filter(({ weakness }) => weakness === undefined)
      .map(({ certificate }) => certificate),
    weakKeys: checked.flatMap(({ certificate, weakness }) =>
      weakness === undefined ? [] : [`${weakness} (certificate ${fingerprintOf(certificate)})`],
    ),
  };
}

function certificatesOf(role: Element): X509Certificate[] {
  const elements = childrenOf(role, metadata("KeyDescriptor"))
    .filter((descriptor) => attributeOf(descriptor, "use") !== "encryption")
    .flatMap((descriptor) => descendantsOf(descriptor))
    .filter((element) => isNamed(element, CERTIFICATE));
  if (elements.length > MAX_CERTIFICATES)
    throw new XmlError(`${elements.length} certificates to sign with, expected at most ${MAX_CERTIFICATES}`);
  return elements.map((element) => readCertificate(textOf(element)));
}

function readCertificate(base64: string): X509Certificate {
  try {
    return new X509Certificate(Buffer.from(base64, "base64"));
  } catch (cause) {
    throw new XmlError("an X509Certificate of a KeyDescriptor is malformed", { cause });
  }
}
