/** A protocol of an enabled provider, as logins get it. */
import type { EnabledProtocol } from "../../src/federation/assertion-verifier.js";
import type { OpenedSettings } from "../../src/identity-providers/protocols/protocol-settings.js";

export interface ProtocolParts<Settings> extends Partial<Omit<EnabledProtocol, "settings" | "provider">> {
  readonly settings: Settings;
  readonly remoteIds?: readonly string[];
}

export function enabledProtocol<Settings extends OpenedSettings>({
  idpId = "acme",
  remoteIds = [],
  ...parts
}: ProtocolParts<Settings>): EnabledProtocol<Settings> {
  return {
    idpId,
    id: "saml2",
    mappingId: "people",
    remoteIdAttribute: null,
    refreshedAt: 0,
    authUrl: `https://id.example.org/v3/OS-FEDERATION/identity_providers/${idpId}/protocols/saml2/auth`,
    revision: 0,
    provider: {
      id: idpId,
      domainId: "default",
      enabled: true,
      description: null,
      remoteIds,
      authorizationTtl: null,
      authorizedDomains: null,
      scimUniqueId: null,
    },
    ...parts,
  };
}
