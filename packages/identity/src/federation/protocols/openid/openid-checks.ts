/** Checks of OpenID Connect settings against the provider's discovery document and keys. */
import type { ProtocolToCheck } from "../../../identity-providers/protocols/protocol-report.js";
import { once } from "../../../platform/concurrency/once.js";
import { jwkWeakness } from "../../../platform/secrets/key-strength.js";
import { quoted } from "../../../platform/text/quoted-value.js";
import { SIGNATURE_ALGORITHMS } from "./token-algorithms.js";
import { acceptsAccessTokens, type OpenIdSettings, type PublicOpenIdSettings } from "./openid-settings.js";
import type { ProviderConnectionsDeps, PublishedProvider } from "./provider-connections.js";
import { describeResponse } from "../../provider-words.js";
import {
  checkRemoteId,
  failed,
  passed,
  reasonOf,
  warned,
  type Checks,
  type CheckResult,
} from "../../provider-checks/check.js";

export type OpenIdChecksDeps = ProviderConnectionsDeps;

export function openIdChecks(
  { provider, open }: ProtocolToCheck,
  settings: PublicOpenIdSettings,
  deps: OpenIdChecksDeps,
): Checks {
  const { issuer } = settings;
  const remoteIds = { "remote-ids": async () => [checkRemoteId(provider.remoteIds, issuer)] };
  // Of tokens of workloads alone.
  if (settings.jwks !== undefined) return remoteIds;
  if (settings.jwks_uri !== undefined)
    return { ...remoteIds, jwks: async () => [await checkKeysAt(settings.jwks_uri ?? "", settings, deps)] };
  const read = once(async () => (await connections()).readProvider(settings, deps));
  const ifRead =
    (check: (published: PublishedProvider) => Promise<CheckResult> | CheckResult) => async () => {
      const published = await read().catch(() => undefined);
      return published === undefined ? [] : [await check(published)];
    };
  const ofProvider: Checks = {
    discovery: async () => [await checkDiscovery(read(), issuer, deps)],
    issuer: async () => checkIssuer(read(), issuer),
    ...remoteIds,
    jwks: ifRead(({ metadata, fetch }) => checkKeys(metadata.jwks_uri, fetch)),
  };
  if (!acceptsAccessTokens(settings)) return ofProvider;
  return {
    ...ofProvider,
    introspection: ifRead((published) => checkIntrospection(published, settings)),
    userinfo: ifRead(checkUserInfo),
    "id-token": ifRead(checkIdTokens),
    "client-authentication": async () => [await checkClient((await open()) as OpenIdSettings, read())],
  };
}

/** Loaded on demand, as by logins. */
const connections = () => import("./provider-connections.js");

async function checkDiscovery(
  reading: Promise<PublishedProvider>,
  issuer: string,
  { allowsHttpIssuers }: OpenIdChecksDeps,
): Promise<CheckResult> {
  const { IssuerMismatchError } = await connections();
  try {
    await reading;
  } catch (error) {
    if (issuer.startsWith("http:") && !allowsHttpIssuers)
      return failed(
        `issuer ${quoted(issuer)} is an HTTP address, expected https: change "issuer" of the settings, or, for development, set ` +
          "IDENTITY_ALLOW_HTTP_ISSUERS",
      );
    if (!(error instanceof IssuerMismatchError))
      return failed(`${reasonOf(error)}: check "issuer" of the settings, ${quoted(issuer)}`);
  }
  return passed(`the discovery document of ${quoted(issuer)} can be read`);
}

async function checkIssuer(reading: Promise<PublishedProvider>, issuer: string): Promise<CheckResult[]> {
  const { IssuerMismatchError } = await connections();
  try {
    await reading;
    return [passed(`the discovery document names issuer ${quoted(issuer)}`)];
  } catch (error) {
    if (!(error instanceof IssuerMismatchError)) return [];
    const result = failed(`${error.message}: set "issuer" of the settings to the provider's own spelling`);
    const { named } = error;
    if (named === undefined || !isOtherSpelling(named, issuer)) return [result];
    return [{ ...result, proposal: { settings: { issuer: named } } }];
  }
}

/** Whether two issuers are of one server: another one is not proposed. */
function isOtherSpelling(named: string, issuer: string): boolean {
  return URL.canParse(named) && URL.canParse(issuer) && new URL(named).origin === new URL(issuer).origin;
}

async function checkKeysAt(
  uri: string,
  settings: PublicOpenIdSettings,
  deps: OpenIdChecksDeps,
): Promise<CheckResult> {
  const { fetchFor } = await connections();
  return checkKeys(uri, fetchFor(settings, deps)).catch((error: unknown) =>
    failed(`${reasonOf(error)}: check "jwks_uri" of the settings, ${quoted(uri)}`),
  );
}

async function checkKeys(uri: string, fetch: PublishedProvider["fetch"]): Promise<CheckResult> {
  const response = await fetch(uri, { method: "GET", headers: { accept: "application/json" } });
  if (response.status !== 200)
    return failed(
      [
        `jwks_uri ${quoted(uri)} is answered with status ${response.status}, expected 200`,
        ...describeResponse(response).facts.slice(1),
      ].join("; "),
    );
  const keys = ((await response.json()) as { readonly keys?: unknown } | null)?.keys;
  if (!Array.isArray(keys)) return failed(`the document at jwks_uri ${quoted(uri)} has no list "keys"`);
  const signing = keys.filter(isSigningKey);
  const weaknesses = signing.flatMap((key) => jwkWeakness(key) ?? []);
  const usable = signing.length - weaknesses.length;
  const found = `${usable} of ${keys.length} keys at jwks_uri ${quoted(uri)} can sign tokens`;
  const weak = weaknesses.length === 0 ? "" : `; ignored: ${[...new Set(weaknesses)].slice(0, 3).join("; ")}`;
  if (usable === 0)
    return failed(`${found}${weak}: have the provider publish an RSA key of at least 2048 bits or an EC key`);
  return weak === "" ? passed(found) : warned(`${found}${weak}`);
}

/** Whether the key can verify signatures: public, and not for encryption only. */
function isSigningKey(key: unknown): boolean {
  const { kty, use } = (key ?? {}) as { readonly kty?: unknown; readonly use?: unknown };
  return (kty === "RSA" || kty === "EC" || kty === "OKP") && use !== "enc";
}

function checkIntrospection(
  { metadata }: PublishedProvider,
  { token_info_url: tokenInfoUrl }: PublicOpenIdSettings,
): CheckResult {
  if (tokenInfoUrl !== undefined)
    return passed(`opaque access tokens are sent to token_info_url ${quoted(tokenInfoUrl)}`);
  const { introspection_endpoint: url } = metadata;
  if (typeof url === "string") return passed(`opaque access tokens are introspected at ${quoted(url)}`);
  return warned(
    "the discovery document has no introspection_endpoint: access tokens have to be JWTs, opaque ones are rejected unless " +
      '"token_info_url" is set. Logins in browsers are not concerned',
  );
}

function checkUserInfo({ metadata }: PublishedProvider): CheckResult {
  const { userinfo_endpoint: url } = metadata;
  if (typeof url === "string") return passed(`userinfo is at ${quoted(url)}`);
  return warned(
    "the discovery document has no userinfo_endpoint: claims come from tokens alone, and access tokens that could be ID tokens " +
      "are rejected",
  );
}

/** Logins in browsers end with an ID token. @see OpenID Connect Discovery 1.0, 3: RS256 has to be among the algorithms. */
function checkIdTokens({ metadata }: PublishedProvider): CheckResult {
  const offered: unknown = metadata.id_token_signing_alg_values_supported;
  if (!Array.isArray(offered))
    return passed("ID tokens are signed with RS256, or as the client is registered");
  const usable = offered.filter((name) => SIGNATURE_ALGORITHMS.includes(name as string)).map(String);
  if (usable.length > 0)
    return passed(`the provider can sign ID tokens with ${usable.slice(0, 10).join(", ")}`);
  const named = offered.slice(0, 10).map((name) => quoted(String(name)));
  return warned(
    `the provider signs ID tokens with ${named.join(", ") || "none"} (id_token_signing_alg_values_supported), expected one of ` +
      `${SIGNATURE_ALGORITHMS.join(", ")}: logins in browsers are rejected. HS256 signs with the client's secret: have the provider ` +
      "sign with a key of its own",
  );
}

async function checkClient(
  settings: OpenIdSettings,
  reading: Promise<PublishedProvider>,
): Promise<CheckResult> {
  const { clientAuthentication, clientAuthMethod } = await connections();
  const method = clientAuthMethod(settings);
  await clientAuthentication(settings);
  const published = await reading.catch(() => undefined);
  const offered = published?.metadata.token_endpoint_auth_methods_supported;
  if (!Array.isArray(offered) || offered.includes(method))
    return passed(`the client authenticates by ${method}`);
  return warned(
    `the client authenticates by ${method}, the provider offers ${offered.slice(0, 10).map(quoted).join(", ")}: set ` +
      '"client_auth_method" of the settings',
  );
}
