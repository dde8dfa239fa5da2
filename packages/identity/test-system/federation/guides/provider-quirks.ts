/** Peculiarities of the guides' providers, from their documentation. */
import type { OpenIdQuirks } from "./simulated-openid.js";
import type { SamlQuirks } from "./simulated-saml.js";

export interface ProviderQuirks {
  /** Its id here. */
  readonly id: string;
  /** The same for SAML, where it is not one provider with two protocols. */
  readonly samlId?: string;
  /** Its addresses, which the simulated provider replaces. */
  readonly addresses: readonly string[];
  readonly openid: OpenIdQuirks;
  readonly saml: SamlQuirks;
  /** What it is called in SAML. */
  readonly entityId: (address: string) => string;
}

const TENANT = "8eaef023-2b34-4da1-9baa-8bc8c9d6a490";

/** Elements about WS-Federation in the metadata of AD FS and Entra ID. */
const SECURITY_TOKEN_ROLE = `<RoleDescriptor xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:fed="http://docs.oasis-open.org/wsfed/federation/200706" xsi:type="fed:SecurityTokenServiceType" protocolSupportEnumeration="http://docs.oasis-open.org/wsfed/federation/200706"><fed:ClaimTypesOffered><auth:ClaimType xmlns:auth="http://docs.oasis-open.org/wsfed/authorization/200706" Uri="http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name"><auth:DisplayName>Name</auth:DisplayName></auth:ClaimType></fed:ClaimTypesOffered></RoleDescriptor>`;

export const QUIRKS: Readonly<Record<string, ProviderQuirks>> = {
  adfs: {
    id: "adfs",
    addresses: ["https://adfs.example.org"],
    openid: {
      discovery: () => ({
        access_token_issuer: "http://adfs.example.org/adfs/services/trust",
        token_endpoint_auth_methods_supported: [
          "client_secret_post",
          "client_secret_basic",
          "private_key_jwt",
          "windows_client_authentication",
        ],
        grant_types_supported: [
          "authorization_code",
          "refresh_token",
          "client_credentials",
          "urn:ietf:params:oauth:grant-type:jwt-bearer",
          "implicit",
          "password",
          "srv_challenge",
          "urn:ietf:params:oauth:grant-type:device_code",
        ],
      }),
      accessHeader: { typ: "JWT", kid: undefined, x5t: "jeeQjLUam_5ajgq5q1jVLeYl8Gik" },
    },
    saml: { signs: ["assertion"], isEncrypted: true, otherRoles: SECURITY_TOKEN_ROLE },
    entityId: () => "http://adfs.example.org/adfs/services/trust",
  },
  "entra-id": {
    id: "entra",
    addresses: ["https://login.microsoftonline.com"],
    openid: {
      discovery: (url) => ({
        token_endpoint_auth_methods_supported: [
          "client_secret_post",
          "private_key_jwt",
          "client_secret_basic",
        ],
        device_authorization_endpoint: `${url}/device/code`,
        tenant_region_scope: "EU",
        cloud_instance_name: "microsoftonline.com",
        msgraph_host: "graph.microsoft.com",
      }),
      accessHeader: { typ: "JWT" },
    },
    saml: { signs: ["assertion"], otherRoles: SECURITY_TOKEN_ROLE },
    entityId: () => `https://sts.windows.net/${TENANT}/`,
  },
  google: {
    id: "google",
    samlId: "google-saml",
    addresses: ["https://accounts.google.com", "https://oauth2.googleapis.com"],
    openid: {
      discovery: (url) => ({
        device_authorization_endpoint: `${url}/device/code`,
        revocation_endpoint: `${url}/revoke`,
        token_endpoint_auth_methods_supported: ["client_secret_post", "client_secret_basic"],
        grant_types_supported: [
          "authorization_code",
          "refresh_token",
          "urn:ietf:params:oauth:grant-type:device_code",
          "urn:ietf:params:oauth:grant-type:jwt-bearer",
        ],
      }),
      accessHeader: undefined,
      verification: "verification_url",
    },
    saml: { signs: ["assertion"] },
    entityId: (address) => `${address}/o/saml2?idpid=C01abcdef`,
  },
  keycloak: {
    id: "keycloak",
    addresses: ["https://keycloak.example.org"],
    openid: {
      discovery: (url) => ({
        introspection_endpoint: `${url}/introspect`,
        device_authorization_endpoint: `${url}/device/code`,
        grant_types_supported: [
          "authorization_code",
          "client_credentials",
          "implicit",
          "password",
          "refresh_token",
          "urn:ietf:params:oauth:grant-type:device_code",
          "urn:openid:params:grant-type:ciba",
        ],
        token_endpoint_auth_methods_supported: [
          "private_key_jwt",
          "client_secret_basic",
          "client_secret_post",
          "tls_client_auth",
          "client_secret_jwt",
        ],
      }),
      accessHeader: { typ: "JWT" },
    },
    saml: { signs: ["response"], ecpPath: "/realms/cloud/protocol/saml" },
    entityId: (address) => `${address}/realms/cloud`,
  },
  okta: {
    id: "okta",
    addresses: ["https://example.okta.com"],
    openid: {
      discovery: (url) => ({
        introspection_endpoint: `${url}/introspect`,
        device_authorization_endpoint: `${url}/device/code`,
        grant_types_supported: ["authorization_code", "implicit", "refresh_token", "password"],
        token_endpoint_auth_methods_supported: [
          "client_secret_basic",
          "client_secret_post",
          "client_secret_jwt",
          "private_key_jwt",
          "none",
        ],
      }),
      accessHeader: {},
    },
    saml: { signs: ["assertion", "response"], inclusivePrefixes: ["xs"] },
    entityId: () => "http://www.okta.com/exk1a2b3c4d5e6f7g8h9",
  },
};
