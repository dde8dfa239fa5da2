/** The kinds of identity providers that the wizard knows: what they are called there, their settings, and rules to start from. */

export type SettingsType = "openid" | "saml2";

export interface ProviderKind {
  readonly id: string;
  readonly title: string;
  /** In a few words: how users log in through it. */
  readonly about: string;
  readonly type: SettingsType;
  /** An issuer, or an address of metadata, as this kind has it. */
  readonly example: string;
  /** Where the values of this service go, at the provider. */
  readonly register: string;
  /** The rules of a new mapping. */
  readonly rules: readonly object[];
  /** The settings that the form starts with. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

const DEFAULT_DOMAIN = { name: "Default" };
const groups = (attribute: string) => ({
  remote: [{ type: attribute }],
  local: [{ groups: "{0}", domain: DEFAULT_DOMAIN }],
});
const named = (attribute: string) => ({ remote: [{ type: attribute }], local: [{ user: { name: "{0}" } }] });
/** The subject never changes; the name may. */
const withSubject = (subject: string, name: string) => ({
  remote: [{ type: subject }, { type: name }],
  local: [{ user: { id: "{0}", name: "{1}" } }],
});

export const KINDS: readonly ProviderKind[] = [
  {
    id: "keycloak",
    title: "Keycloak",
    about: "OpenID Connect, with groups",
    type: "openid",
    example: "https://keycloak.example.org/realms/cloud",
    register: "Clients, Create client: Client authentication on, Standard flow. Valid redirect URIs:",
    rules: [withSubject("OIDC-sub", "OIDC-preferred_username"), groups("OIDC-groups")],
  },
  {
    id: "okta",
    title: "Okta",
    about: "OpenID Connect, with groups",
    type: "openid",
    example: "https://example.okta.com/oauth2/default",
    register: "Applications, Create App Integration: OIDC, Web Application. Sign-in redirect URIs:",
    rules: [named("OIDC-preferred_username"), groups("OIDC-groups")],
  },
  {
    id: "entra-id",
    title: "Entra ID",
    about: "OpenID Connect, with group ids",
    type: "openid",
    example: "https://login.microsoftonline.com/TENANT-ID/v2.0",
    register: "App registrations, New registration: Redirect URI, of type Web:",
    rules: [withSubject("OIDC-oid", "OIDC-preferred_username")],
  },
  {
    id: "google",
    title: "Google",
    about: "OpenID Connect, without groups",
    type: "openid",
    example: "https://accounts.google.com",
    register: "Google Auth Platform, Clients, Create client: Web application. Authorized redirect URIs:",
    rules: [
      {
        remote: [
          { type: "OIDC-sub" },
          { type: "OIDC-email" },
          { type: "OIDC-email_verified", any_one_of: ["true"] },
          { type: "OIDC-hd", any_one_of: ["example.org"] },
        ],
        local: [{ user: { id: "{0}", name: "{1}", email: "{1}" } }],
      },
    ],
  },
  {
    id: "adfs",
    title: "AD FS",
    about: "SAML 2.0, with groups",
    type: "saml2",
    example: "https://adfs.example.org/FederationMetadata/2007-06/FederationMetadata.xml",
    register:
      "AD FS Management, Relying Party Trusts, Add Relying Party Trust: import the metadata, or enter:",
    rules: [named("NAME_ID"), groups("http://schemas.xmlsoap.org/claims/Group")],
  },
  {
    id: "keystone",
    title: "Another Keystone",
    about: "Keystone to Keystone: users of another cloud",
    type: "saml2",
    example: "https://keystone.example.org/v3/OS-FEDERATION/saml2/metadata",
    register: "Create a service provider there, with these values as sp_url and auth_url:",
    rules: [
      {
        remote: [
          { type: "openstack_user" },
          { type: "openstack_user_domain", any_one_of: ["Default"] },
          { type: "openstack_roles", any_one_of: ["member"] },
        ],
        local: [{ user: { name: "{0}" } }],
      },
    ],
    settings: { allow_sha1: true, allow_missing_audience: true },
  },
  {
    id: "openid",
    title: "Any OpenID Connect",
    about: "By its issuer",
    type: "openid",
    example: "https://idp.example.org",
    register: "Create a confidential client for the authorization code flow, with this redirect URI:",
    rules: [withSubject("OIDC-sub", "OIDC-preferred_username"), groups("OIDC-groups")],
  },
  {
    id: "saml2",
    title: "Any SAML 2.0",
    about: "By its metadata",
    type: "saml2",
    example: "https://idp.example.org/saml/metadata",
    register: "Create a service provider from the metadata, or with these values:",
    rules: [named("NAME_ID")],
  },
];

export function kindOf(id: string | null): ProviderKind | undefined {
  return KINDS.find((kind) => kind.id === id);
}
