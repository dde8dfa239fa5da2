/** What providers publish and send, as they document it. */

type Claims = Readonly<Record<string, unknown>>;

export interface DocumentedOpenId {
  /** Where the provider describes its addresses and claims. */
  readonly source: string;
  /** Paths at the provider's address. */
  readonly issuer: string;
  readonly endpoints: {
    readonly authorization: string;
    readonly token: string;
    readonly userinfo: string;
    readonly jwks: string;
  };
  /** Those that it knows, among others. */
  readonly scopes: readonly string[];
  /** Of a browser's login with these. */
  readonly idToken: Claims;
  readonly userInfo: Claims;
  /** Values that the rules of this kind have to require. */
  readonly required?: Readonly<Record<string, string>>;
  readonly expected: ExpectedLogin;
}

export interface DocumentedSaml {
  readonly source: string;
  readonly entityId: string;
  readonly metadata: string;
  /** The subject and the attributes. */
  readonly assertion: string;
  readonly expected: ExpectedLogin;
}

export interface ExpectedLogin {
  readonly name: string;
  readonly email?: string;
  /** Groups of these names exist here. */
  readonly groups: readonly string[];
}

const TENANT = "8eaef023-2b34-4da1-9baa-8bc8c9d6a490";
const GROUP_ID = "6b7a2e0c-6bb1-4a0e-9b15-2b5e6a0d8c11";

const KEYCLOAK: DocumentedOpenId = {
  source: "Keycloak, Server Administration Guide: Group Membership mapper without the full path",
  issuer: "/realms/cloud",
  endpoints: {
    authorization: "/realms/cloud/protocol/openid-connect/auth",
    token: "/realms/cloud/protocol/openid-connect/token",
    userinfo: "/realms/cloud/protocol/openid-connect/userinfo",
    jwks: "/realms/cloud/protocol/openid-connect/certs",
  },
  scopes: ["profile", "email"],
  idToken: {
    sub: "f3c1a0de-3f5b-4f43-8b8e-6b5c7b9f1b1c",
    typ: "ID",
    preferred_username: "kim",
    email: "kim@example.org",
    email_verified: true,
    groups: ["staff", "everyone"],
  },
  userInfo: { sub: "f3c1a0de-3f5b-4f43-8b8e-6b5c7b9f1b1c" },
  expected: { name: "kim", email: "kim@example.org", groups: ["staff"] },
};

export const DOCUMENTED_OPENID: Readonly<Record<string, DocumentedOpenId>> = {
  keycloak: KEYCLOAK,
  openid: { ...KEYCLOAK, source: "OpenID Connect Core 1.0, 5.1" },
  "entra-id": {
    source: "Microsoft identity platform: ID token claims reference; configure group claims",
    issuer: `/${TENANT}/v2.0`,
    endpoints: {
      authorization: `/${TENANT}/oauth2/v2.0/authorize`,
      token: `/${TENANT}/oauth2/v2.0/token`,
      userinfo: "/oidc/userinfo",
      jwks: `/${TENANT}/discovery/v2.0/keys`,
    },
    scopes: ["profile", "email"],
    idToken: {
      sub: "AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ",
      oid: "00000000-0000-0000-66f3-3332eca7ea81",
      tid: TENANT,
      ver: "2.0",
      preferred_username: "kim@example.org",
      email: "kim@example.org",
      groups: [GROUP_ID],
    },
    userInfo: { sub: "AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ" },
    expected: { name: "kim@example.org", email: "kim@example.org", groups: [GROUP_ID] },
  },
  okta: {
    source:
      "Okta, OpenID Connect & OAuth 2.0 API: ID token claims; with the claim groups, always in ID tokens",
    issuer: "/oauth2/default",
    endpoints: {
      authorization: "/oauth2/default/v1/authorize",
      token: "/oauth2/default/v1/token",
      userinfo: "/oauth2/default/v1/userinfo",
      jwks: "/oauth2/default/v1/keys",
    },
    scopes: ["profile", "email"],
    idToken: {
      ver: 1,
      sub: "00uid4BxXw6I6TV4m0g3",
      amr: ["pwd"],
      idp: "00ok1u7AsAkrwdZL3z0g3",
      jti: "ID.4eAWJOCMB3SX8XewDfVR",
      name: "Kim Doe",
      preferred_username: "kim@example.org",
      email: "kim@example.org",
      groups: ["Everyone", "staff"],
    },
    userInfo: { sub: "00uid4BxXw6I6TV4m0g3", preferred_username: "kim@example.org" },
    expected: { name: "kim@example.org", email: "kim@example.org", groups: ["staff"] },
  },
  google: {
    source: "Google, OpenID Connect: an ID token's payload",
    issuer: "",
    endpoints: {
      authorization: "/o/oauth2/v2/auth",
      token: "/token",
      userinfo: "/v1/userinfo",
      jwks: "/oauth2/v3/certs",
    },
    scopes: ["profile", "email"],
    idToken: {
      sub: "10769150350006150715113082367",
      hd: "example.org",
      email: "kim@example.org",
      email_verified: true,
    },
    userInfo: { sub: "10769150350006150715113082367" },
    required: { "OIDC-hd": "example.org" },
    expected: { name: "kim@example.org", email: "kim@example.org", groups: [] },
  },
  gitlab: {
    source: "gitlab.com/gitlab-org/gitlab: doc/integration/openid_connect_provider.md, shared information",
    issuer: "",
    endpoints: {
      authorization: "/oauth/authorize",
      token: "/oauth/token",
      userinfo: "/oauth/userinfo",
      jwks: "/oauth/discovery/keys",
    },
    scopes: ["profile", "email"],
    idToken: {
      sub: "42",
      sub_legacy: "1a3dd1e3b2cf4bd3c3f27b5fd4ac9d93b8ae6ffbd5e5b8f7a9e35f6f0e2b1d40",
      auth_time: 1_790_000_000,
      email: "kim@example.org",
      email_verified: true,
      groups_direct: ["example/writers"],
    },
    userInfo: {
      sub: "42",
      name: "Kim Doe",
      nickname: "kim",
      preferred_username: "kim",
      email: "kim@example.org",
      email_verified: true,
      profile: "https://gitlab.example.org/kim",
      groups: ["example", "example/writers"],
    },
    expected: { name: "kim", email: "kim@example.org", groups: ["example/writers"] },
  },
  authentik: {
    source:
      "goauthentik.io: OAuth 2.0 provider, endpoints and default scopes; blueprints/system/providers-oauth2.yaml",
    issuer: "/application/o/cloud/",
    endpoints: {
      authorization: "/application/o/authorize/",
      token: "/application/o/token/",
      userinfo: "/application/o/userinfo/",
      jwks: "/application/o/cloud/jwks/",
    },
    scopes: ["profile", "email"],
    idToken: {
      sub: "c5bd1d1ba3b2e6d8d1b7cf4a6c0c6bb2f4ed5c3d0a8a0a3e3b2c1d0f9e8d7c6b",
      acr: "goauthentik.io/providers/oauth2/default",
      email: "kim@example.org",
      email_verified: false,
      name: "Kim Doe",
      given_name: "Kim Doe",
      preferred_username: "kim",
      nickname: "kim",
      groups: ["authentik Admins", "staff"],
    },
    userInfo: { sub: "c5bd1d1ba3b2e6d8d1b7cf4a6c0c6bb2f4ed5c3d0a8a0a3e3b2c1d0f9e8d7c6b" },
    expected: { name: "kim", email: "kim@example.org", groups: ["staff"] },
  },
  zitadel: {
    source: "zitadel.com/docs: OpenID Connect endpoints, claims; the project asserts roles on authentication",
    issuer: "",
    endpoints: {
      authorization: "/oauth/v2/authorize",
      token: "/oauth/v2/token",
      userinfo: "/oidc/v1/userinfo",
      jwks: "/oauth/v2/keys",
    },
    scopes: ["profile", "email"],
    // With an access token, an ID token has none of the claims of profile and email.
    idToken: { sub: "77776025198584418", amr: ["pwd"], auth_time: 1_790_000_000 },
    userInfo: {
      sub: "77776025198584418",
      name: "Kim Doe",
      preferred_username: "kim@example.zitadel.cloud",
      email: "kim@example.org",
      email_verified: true,
      "urn:zitadel:iam:org:project:roles": {
        staff: { "69234237810729019": "example.zitadel.cloud" },
        reader: { "69234237810729019": "example.zitadel.cloud" },
      },
      "urn:zitadel:iam:org:project:69234237810729234:roles": {
        staff: { "69234237810729019": "example.zitadel.cloud" },
      },
    },
    expected: { name: "kim@example.zitadel.cloud", email: "kim@example.org", groups: ["staff"] },
  },
};

const nameId = (format: string, value: string) =>
  `<Subject><NameID Format="urn:oasis:names:tc:SAML:${format}">${value}</NameID></Subject>`;
const attributes = (format: string, values: Readonly<Record<string, readonly string[]>>) =>
  `<AttributeStatement>${Object.entries(values)
    .map(
      ([name, each]) =>
        `<Attribute Name="${name}"${format}>${each.map((value) => `<AttributeValue>${value}</AttributeValue>`).join("")}</Attribute>`,
    )
    .join("")}</AttributeStatement>`;
const formatOf = (name: string) => ` NameFormat="urn:oasis:names:tc:SAML:2.0:attrname-format:${name}"`;

export const DOCUMENTED_SAML: Readonly<Record<string, DocumentedSaml>> = {
  adfs: {
    source: "Microsoft, AD FS: the role of claims, claim types of Group and UPN; Name ID by a transform rule",
    entityId: "/adfs/services/trust",
    metadata: "/FederationMetadata/2007-06/FederationMetadata.xml",
    assertion:
      nameId("1.1:nameid-format:unspecified", "kim@example.org") +
      attributes("", { "http://schemas.xmlsoap.org/claims/Group": ["staff", "Domain Users"] }),
    expected: { name: "kim@example.org", groups: ["staff"] },
  },
  shibboleth: {
    source:
      "Shibboleth IdP 5: name identifiers, attribute registry; eduPerson; SAML V2.0 Subject Identifier Attributes",
    entityId: "/idp/shibboleth",
    metadata: "/idp/shibboleth",
    assertion:
      nameId("2.0:nameid-format:transient", "AAdzZWNyZXQxMIWkH3Ja") +
      attributes(formatOf("uri"), {
        "urn:oasis:names:tc:SAML:attribute:subject-id": ["k1m5@example.org"],
        "urn:oid:1.3.6.1.4.1.5923.1.1.1.6": ["kim@example.org"],
        "urn:oid:0.9.2342.19200300.100.1.3": ["kim.doe@example.org"],
        "urn:oid:1.3.6.1.4.1.5923.1.1.1.9": ["staff@example.org", "member@example.org"],
      }),
    expected: { name: "kim@example.org", email: "kim.doe@example.org", groups: ["staff@example.org"] },
  },
  simplesamlphp: {
    source: "SimpleSAMLphp 2, IdP quickstart: attributes by their names in LDAP",
    entityId: "/simplesaml/saml2/idp/metadata.php",
    metadata: "/simplesaml/saml2/idp/metadata.php",
    assertion:
      nameId("2.0:nameid-format:transient", "_b2c1d0f9e8d7c6b5a4") +
      attributes(formatOf("basic"), {
        uid: ["kim"],
        mail: ["kim@example.org"],
        eduPersonAffiliation: ["member", "staff"],
      }),
    expected: { name: "kim", email: "kim@example.org", groups: ["staff"] },
  },
  saml2: {
    source: "SAML 2.0 core, 8.3.7: a persistent identifier",
    entityId: "/metadata",
    metadata: "/metadata",
    assertion: nameId("2.0:nameid-format:persistent", "k1m5") + attributes("", { mail: ["kim@example.org"] }),
    expected: { name: "k1m5", groups: [] },
  },
};
