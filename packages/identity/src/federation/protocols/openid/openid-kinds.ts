/** Providers of OpenID Connect by name: what to enter there, and what their logins have. Each has a guide. */
import { anyProvider, providerKind, type ProviderKind } from "../settings-form.js";
import { DEFAULT_SCOPES } from "./openid-settings.js";

const SCOPES = { scopes: DEFAULT_SCOPES };

/** The subject never changes; the name may. */
const USUAL_CLAIMS = {
  user_id: "OIDC-sub",
  user_name: "OIDC-preferred_username",
  email: "OIDC-email",
  groups: "OIDC-groups",
};

/** Tokens of jobs and of service accounts: without a client at the provider. */
const forWorkloads = {
  requires: [],
  tested_by: "token",
  without: ["client_id", "client_secret", "scopes"],
} as const;

export const OPENID_KINDS: readonly ProviderKind[] = [
  providerKind({
    id: "keycloak",
    title: "Keycloak",
    about: "OpenID Connect, with groups",
    example: "https://keycloak.example.org/realms/cloud",
    register: "Clients, Create client: Client authentication on, Standard flow. Valid redirect URIs:",
    attributes: USUAL_CLAIMS,
    settings: SCOPES,
  }),
  providerKind({
    id: "entra-id",
    title: "Entra ID",
    about: "OpenID Connect, with ids of groups",
    example: "https://login.microsoftonline.com/TENANT-ID/v2.0",
    register: "App registrations, New registration: Redirect URI, of type Web:",
    attributes: { ...USUAL_CLAIMS, user_id: "OIDC-oid" },
    settings: SCOPES,
  }),
  providerKind({
    id: "okta",
    title: "Okta",
    about: "OpenID Connect, with groups",
    example: "https://example.okta.com/oauth2/default",
    register: "Applications, Create App Integration: OIDC, Web Application. Sign-in redirect URIs:",
    // The subject of an access token is another than that of an ID token.
    attributes: { user_name: "OIDC-preferred_username", email: "OIDC-email", groups: "OIDC-groups" },
    settings: SCOPES,
  }),
  providerKind({
    id: "google",
    title: "Google",
    about: "OpenID Connect, without groups",
    example: "https://accounts.google.com",
    register: "Google Auth Platform, Clients, Create client: Web application. Authorized redirect URIs:",
    attributes: { user_id: "OIDC-sub", user_name: "OIDC-email", email: "OIDC-email" },
    requires: [
      {
        attribute: "OIDC-hd",
        reason: "Without the organization, everyone with a Google account could log in.",
      },
    ],
    settings: { issuer: "https://accounts.google.com", ...SCOPES },
  }),
  providerKind({
    id: "gitlab",
    title: "GitLab",
    about: "OpenID Connect, with groups by path",
    example: "https://gitlab.com",
    register:
      "Applications, Add new application: Confidential, scopes openid, profile and email. Redirect URI:",
    attributes: USUAL_CLAIMS,
    // The ID token has the direct groups alone, and no name.
    settings: { ...SCOPES, userinfo: "always" },
  }),
  providerKind({
    id: "authentik",
    title: "authentik",
    about: "OpenID Connect, with groups",
    example: "https://authentik.example.org/application/o/cloud/",
    register: "Applications, Create with provider: OAuth2/OpenID, Confidential. Redirect URIs, Strict:",
    attributes: USUAL_CLAIMS,
    settings: SCOPES,
  }),
  providerKind({
    id: "zitadel",
    title: "Zitadel",
    about: "OpenID Connect, with roles of a project",
    example: "https://example-abc123.zitadel.cloud",
    register:
      "Projects, New application: Web, Code; in the project's settings, Assert Roles on Authentication. Redirect URIs:",
    attributes: { ...USUAL_CLAIMS, groups: "OIDC-urn:zitadel:iam:org:project:roles" },
    // Roles are the keys of an object, in userinfo where the project asserts them: no scope asks for those of the client's own project.
    settings: {
      ...SCOPES,
      claims_as_keys: ["urn:zitadel:iam:org:project:roles"],
      userinfo: "always",
    },
  }),
  providerKind({
    id: "github",
    guide: "github-actions",
    title: "GitHub Actions",
    about: "Tokens of jobs: GitHub has no OpenID Connect for people",
    example: "https://token.actions.githubusercontent.com",
    register: "Nothing: jobs with the permission id-token: write request tokens themselves.",
    attributes: { user_name: "OIDC-repository" },
    ...forWorkloads,
    settings: {
      issuer: "https://token.actions.githubusercontent.com",
      token_kinds: ["workload"],
      conditions: [
        { claim: "sub", values: ["repo:OWNER/REPOSITORY:ref:refs/heads/main"] },
        { claim: "repository_id", values: ["REPOSITORY-ID"] },
      ],
    },
  }),
  providerKind({
    id: "kubernetes",
    title: "Kubernetes",
    about: "Tokens of service accounts",
    example: "https://kubernetes.default.svc.cluster.local",
    register: "Nothing: pods get tokens from their cluster.",
    attributes: { user_name: "OIDC-sub" },
    ...forWorkloads,
    settings: {
      token_kinds: ["workload"],
      conditions: [{ claim: "sub", values: ["system:serviceaccount:NAMESPACE:NAME"] }],
    },
  }),
  anyProvider({
    id: "openid",
    title: "Any OpenID Connect",
    about: "By its issuer",
    example: "https://idp.example.org",
    guide: "docs/identity/openid-connect.md",
    register: "Create a confidential client for the authorization code flow, with this redirect URI:",
    attributes: USUAL_CLAIMS,
    settings: SCOPES,
  }),
];
