/** Metadata aggregates as federations publish them. */
import { PROVIDER, type Signer } from "../test-provider.js";

export interface TestEntity {
  readonly entityId: string;
  readonly signer?: Signer;
  /** By language. */
  readonly names?: Readonly<Record<string, string>>;
  readonly logo?: string;
  readonly scope?: string;
  /** XML in its extensions. */
  readonly extension?: string;
  /** XML attributes. */
  readonly attributes?: string;
}

export function entityXml(entity: TestEntity): string {
  const { entityId, signer = PROVIDER, names = {}, logo, scope, extension = "", attributes = "" } = entity;
  const base64 = signer.certificate.replaceAll(/-----.*-----|\s/g, "");
  const shown = Object.entries(names)
    .map(([language, name]) => `<mdui:DisplayName xml:lang="${language}">${name}</mdui:DisplayName>`)
    .join("");
  const image = logo === undefined ? "" : `<mdui:Logo height="16" width="16">${logo}</mdui:Logo>`;
  const domain =
    scope === undefined
      ? ""
      : `<shibmd:Scope xmlns:shibmd="urn:mace:shibboleth:metadata:1.0" regexp="false">${scope}</shibmd:Scope>`;
  return `<md:EntityDescriptor entityID="${entityId}"${attributes}>
  <md:Extensions><mdrpi:RegistrationInfo xmlns:mdrpi="urn:oasis:names:tc:SAML:metadata:rpi" registrationAuthority="https://federation.example"/>${extension}</md:Extensions>
  <md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
    <md:Extensions>${domain}<mdui:UIInfo xmlns:mdui="urn:oasis:names:tc:SAML:metadata:ui">${shown}${image}</mdui:UIInfo></md:Extensions>
    <md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>${base64}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>
    <!-- of the registry -->
    <md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${entityId}/sso?a=1&amp;b=2"/>
  </md:IDPSSODescriptor>
</md:EntityDescriptor>`;
}

/** @param content Elements. */
export function aggregateXml(content: string, attributes = ""): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:xs="http://www.w3.org/2001/XMLSchema" Name="https://federation.example"${attributes}>
${content}
</md:EntitiesDescriptor>`;
}
