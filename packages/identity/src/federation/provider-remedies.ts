/**
 * What providers say when they refuse, and what to do about it: known codes and sentences of Entra ID, Okta, Keycloak and AD FS. The
 * guides in docs/identity/providers have the same tables.
 *
 * @see https://learn.microsoft.com/en-us/entra/identity-platform/reference-error-codes
 * @see https://developer.okta.com/docs/reference/error-codes/
 */
import { Type, type Static } from "typebox";

const Remedy = Type.Object({
  /** What people call the provider. */
  provider: Type.String(),
  /** The page about it in the documentation. */
  guide: Type.String(),
  /** A code, or a part of the sentence, as the provider writes it. */
  text: Type.String(),
  meaning: Type.String(),
  remedy: Type.String(),
});
export type Remedy = Static<typeof Remedy>;

/** What a failed login has of its provider. */
export const PROVIDER_ANSWER = {
  /** The provider's own words, quoted; left out where it has sent none. */
  provider_words: Type.Optional(Type.String()),
  /** What to do about known answers of providers. */
  remedies: Type.Optional(Type.Array(Remedy)),
};

/** @param reason Of the failed login. */
export function providerAnswer(reason: string): { provider_words?: string; remedies?: Remedy[] } {
  const words = wordsIn(reason);
  const remedies = remediesFor(reason);
  return {
    ...(words !== undefined && { provider_words: words }),
    ...(remedies.length > 0 && { remedies: [...remedies] }),
  };
}

type Row = readonly [text: string, meaning: string, remedy: string];

const ENTRA: readonly Row[] = [
  ["AADSTS50011", "the redirect URI is not registered", "Authentication, Web: add the redirect URI, exactly"],
  [
    "AADSTS500113",
    "no redirect URI is registered",
    "Authentication, Add a platform, Web: add the redirect URI",
  ],
  [
    "AADSTS50105",
    "the user is not assigned to the application",
    "Enterprise applications, Users and groups: add the user or a group; or Properties, Assignment required: No",
  ],
  [
    "AADSTS700016",
    "the tenant has no application of this client id",
    "compare the client id with Application (client) ID, and the tenant in the issuer",
  ],
  [
    "AADSTS7000215",
    "the client secret is wrong",
    "Certificates & secrets: create one, and enter its Value, not its Secret ID",
  ],
  [
    "AADSTS7000222",
    "the client secret has expired",
    "Certificates & secrets: create one, and enter its Value here",
  ],
  [
    "AADSTS65001",
    "neither the user nor an administrator has consented",
    "API permissions: Grant admin consent",
  ],
  ["AADSTS90094", "an administrator has to consent", "API permissions: Grant admin consent"],
  [
    "AADSTS50020",
    "the user belongs to another tenant, or to a personal account",
    "log in with an account of this tenant, or invite the user as a guest",
  ],
  [
    "AADSTS90072",
    "the user of another tenant is no guest of this one",
    "Users, Invite external user; or log in with an account of this tenant",
  ],
  ["AADSTS50034", "the tenant has no user of this name", "log in with an account of this tenant"],
  ["AADSTS50057", "the user is disabled", "Users: enable the account"],
  ["AADSTS90002", "the tenant does not exist", "correct the tenant's id in the issuer"],
  [
    "AADSTS50076",
    "a second factor is required",
    "log in with a browser: a password alone is not accepted by the tenant's policy",
  ],
  ["AADSTS53003", "a Conditional Access policy blocks the login", "Sign-in logs name the policy: change it"],
  ["AADSTS70011", "a scope is invalid", "correct the scopes of the settings"],
  [
    "AADSTS650053",
    "a scope does not exist at the resource",
    "correct the scopes, or Expose an API: Add a scope",
  ],
  [
    "AADSTS700027",
    "the client's certificate is not registered, or another",
    "Certificates & secrets, Certificates: upload that of client_private_key",
  ],
  ["AADSTS54005", "the code was used before", "log in again: the page was loaded twice"],
  [
    "AADSTS75011",
    "the user was authenticated in another way than the request demands",
    "empty Classes of authentication (authn_contexts), or set ForceAuthn",
  ],
  [
    "AADSTS750054",
    "the address was opened without a SAML request",
    "begin the login here, not at the application's address",
  ],
];

const OKTA: readonly Row[] = [
  [
    "must be a Login redirect URI",
    "the redirect URI is not registered",
    "General, Sign-in redirect URIs: add the redirect URI, exactly",
  ],
  [
    "not assigned to the client application",
    "the user is not assigned",
    "Assignments: add the user or a group",
  ],
  [
    "Policy evaluation failed",
    "no access policy of the authorization server lets the client or the user in",
    "Security, API, the server, Access Policies: a rule for this client",
  ],
  [
    "scopes are not configured",
    "the authorization server lacks a scope",
    "Security, API, the server, Scopes: add it, or remove it from the scopes of the settings",
  ],
  [
    "client secret supplied for a confidential client is invalid",
    "the client secret is wrong",
    "General, Client Credentials: copy the secret",
  ],
  [
    "Client authentication failed",
    "the client id or secret is wrong, or sent in another way",
    "General, Client Credentials: copy both; compare client_auth_method",
  ],
  [
    "Invalid value for 'client_id'",
    "there is no such client",
    "General, Client Credentials: copy the client id",
  ],
  [
    "not authorized to use the provided grant type",
    "the application lacks the grant type",
    "General, Grant type: Authorization Code",
  ],
];

const KEYCLOAK: readonly Row[] = [
  [
    "Invalid parameter: redirect_uri",
    "the redirect URI is not registered",
    "Clients, the client, Valid redirect URIs: add it, exactly",
  ],
  [
    "Incorrect redirect_uri",
    "the code belongs to another redirect URI",
    "compare the public URL of this service with the registered redirect URI",
  ],
  [
    "Invalid client or Invalid client credentials",
    "the client id or secret is wrong",
    "Clients, the client, Credentials: copy the secret; compare the client id",
  ],
  [
    "Invalid client credentials",
    "the client secret is wrong",
    "Clients, the client, Credentials: copy the secret",
  ],
  ["Client not found", "the realm has no such client", "compare the client id, and the realm in the issuer"],
  ["Invalid scopes", "the client lacks a scope", "Clients, the client, Client scopes: add it"],
  [
    "not allowed for direct access grants",
    "passwords are not accepted for this client",
    "Clients, the client, Capability config: Direct access grants",
  ],
  [
    "Client is not allowed to initiate browser login",
    "the client is not for browsers",
    "Clients, the client, Capability config: Standard flow",
  ],
  [
    "Account is not fully set up",
    "the user has required actions",
    "log in with a browser, or Users, Details: remove the required actions",
  ],
  ["Account disabled", "the user is disabled", "Users, Details: Enabled"],
  ["Code not valid", "the code was used before, or has expired", "log in again"],
  [
    "invalid_signature",
    "the signature of the SAML request does not verify",
    "Clients, the client, Keys: import the certificate of this service's metadata; or Client signature required: off",
  ],
];

const ADFS: readonly Row[] = [
  [
    "MSIS9223",
    "the client identifier is not registered",
    "Application Groups: compare the Client Identifier",
  ],
  [
    "MSIS9224",
    "the redirect URI is not registered",
    "Application Groups, the application: add the Redirect URI, exactly",
  ],
  ["MSIS9622", "the client secret is wrong", "Application Groups, the application: reset the shared secret"],
  [
    "MSIS9605",
    "the client may not use the resource",
    "Application Groups, the Web API: its Identifier is the client identifier; Client Permissions",
  ],
  [
    "MSIS9602",
    "the resource is not registered",
    "Application Groups, the Web API, Identifier: the client identifier",
  ],
  [
    "MSIS7007",
    "no relying party trust has this entity ID",
    "Relying Party Trusts, Identifiers: add the entity ID of this service",
  ],
  [
    "MSIS3200",
    "the trust has no such ACS URL",
    "Relying Party Trusts, Endpoints: add the ACS URL, or update from the metadata",
  ],
  [
    "MSIS7070",
    "no claim rule issues a NameID of the requested format",
    "a rule that issues Name ID in this format, or empty Format of NameIDs",
  ],
  [
    "MSIS0038",
    "the signature of the SAML request does not verify",
    "Relying Party Trusts, Update from Federation Metadata",
  ],
  [
    "MSIS7042",
    "the browser has begun too many logins within seconds",
    "close the tab, and look for a loop of redirects",
  ],
];

/** Codes of OAuth and OpenID Connect, of any provider, and checks of its tokens that fail by a setting. @see RFC 6749, 4.1.2.1 and 5.2; OpenID Connect Core 1.0, 3.1.2.6 */
export const STANDARD_ANSWERS: readonly Row[] = [
  [
    "error invalid_client",
    "the client id or secret is wrong, or sent in another way",
    "enter both again; the provider's page of the client says how it authenticates (client_auth_method)",
  ],
  [
    "error invalid_grant",
    "the code was used before, has expired, or belongs to another client or redirect URI",
    "log in again; if it stays, compare the redirect URI",
  ],
  [
    "error unauthorized_client",
    "the client may not use the authorization code flow",
    "allow it for the client at the provider",
  ],
  [
    "error invalid_scope",
    "the provider does not know a scope, or does not give it to this client",
    "correct the scopes of the settings, or add the scope to the client",
  ],
  [
    "error access_denied",
    "the user or the provider refused",
    "assign the user to the client at the provider, and agree to what it asks",
  ],
  [
    "error invalid_request",
    "the provider lacks a parameter, or refuses one",
    "compare the redirect URI and the settings with the provider's page of the client",
  ],
  [
    'unexpected "aud"',
    "the token is for another client or audience",
    "enter the client id that the provider's page of the client has; add the audience of access tokens to audiences",
  ],
  [
    'unexpected "iss"',
    "the tokens name another issuer than the settings",
    "enter the issuer as the tokens spell it, or have the provider correct it",
  ],
  [
    '"exp" claim timestamp check failed',
    "the token had expired before it came",
    "synchronize the clocks of the provider and of this service (NTP)",
  ],
  [
    '"nbf" claim timestamp check failed',
    "the token is valid from a later time on",
    "synchronize the clocks of the provider and of this service (NTP)",
  ],
  [
    '"iat" is in the future',
    "the provider's clock is ahead of this service's",
    "synchronize the clocks of the provider and of this service (NTP)",
  ],
];

export const KNOWN_ANSWERS: readonly {
  readonly provider: string;
  readonly guide: string;
  readonly rows: readonly Row[];
}[] = [
  { provider: "Entra ID", guide: "entra-id", rows: ENTRA },
  { provider: "Okta", guide: "okta", rows: OKTA },
  { provider: "Keycloak", guide: "keycloak", rows: KEYCLOAK },
  { provider: "AD FS", guide: "adfs", rows: ADFS },
];

const STANDARD: readonly Remedy[] = STANDARD_ANSWERS.map(([text, meaning, remedy]) => ({
  provider: "any provider",
  guide: "docs/identity/openid-connect.md",
  text,
  meaning,
  remedy,
}));

const REMEDIES: readonly Remedy[] = KNOWN_ANSWERS.flatMap(({ provider, guide, rows }) =>
  rows.map(([text, meaning, remedy]) => ({
    provider,
    guide: `docs/identity/providers/${guide}.md`,
    text,
    meaning,
    remedy,
  })),
);

/** At most: a text with many codes is a list of them. */
const MAX_REMEDIES = 3;

/** Those whose code or sentence the reason of a failed login has; the first in the text comes first. A provider's own say more than the standard. */
export function remediesFor(reason: string): readonly Remedy[] {
  const own = remediesOf(REMEDIES, reason);
  return own.length > 0 ? own : remediesOf(STANDARD, reason);
}

function remediesOf(remedies: readonly Remedy[], reason: string): readonly Remedy[] {
  const found = remedies.flatMap((remedy) => {
    const place = placeOf(remedy.text, reason);
    return place < 0 ? [] : [{ remedy, place, end: place + remedy.text.length }];
  });
  // `Invalid client credentials` is a part of a longer sentence.
  const whole = found.filter(
    ({ remedy, place, end }) =>
      !found.some((other) => other.remedy !== remedy && other.place <= place && end <= other.end),
  );
  return (
    whole
      .toSorted((one, other) => one.place - other.place)
      // Sentences of one provider may stand behind a code of another.
      .filter(({ remedy }, _, [first]) => remedy.provider === first?.remedy.provider)
      .slice(0, MAX_REMEDIES)
      .map(({ remedy }) => remedy)
  );
}

/** A code is not the start of a longer one. */
function placeOf(text: string, reason: string): number {
  const place = reason.indexOf(text);
  return place >= 0 && /\d$/.test(text) && /^\d/.test(reason.slice(place + text.length)) ? -1 : place;
}

/** As `oauthWords` and `statusFault` write them, in the reason of a failed login. */
const WORDS = /\b(?:error_description|StatusMessage) "((?:[^"\\]|\\.)*)"/;

/** The provider's own words, where the reason has some. */
export function wordsIn(reason: string): string | undefined {
  return WORDS.exec(reason)?.[1]?.replaceAll(/\\(["\\])/g, "$1");
}
