/** OpenID providers: their discovery documents and keys, and the client that the service is to them; cached for five minutes, and renewed in the background. */
import { createPrivateKey, type KeyObject } from "node:crypto";

import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  importPKCS8,
  type CryptoKey,
  type JWTVerifyGetKey,
} from "jose";
import * as openid from "openid-client";

import type { OpenedSettings } from "../../identity-providers/protocols/protocol-settings.js";
import type { Clock, Moment } from "../../platform/clock.js";
import {
  createOutgoingFetch,
  hostOf,
  type Lookup,
  type OutgoingFetch,
  type OutgoingRequest,
  type OutgoingRules,
} from "../../platform/outgoing/outgoing-requests.js";
import { jwkWeakness } from "../../platform/secrets/key-strength.js";
import { quoted } from "../../platform/text/quoted-value.js";
import type { VerifierProtocol } from "../assertion-verifier.js";
import { LEEWAY_SECONDS } from "../leeway.js";
import { createProviderCache, type Schedule } from "../provider-cache.js";

type AnyOpenIdSettings = Extract<OpenedSettings, { readonly type: "openid" }>;

/** The settings of a protocol that is a client at the provider: all but those for workloads alone. */
export type OpenIdSettings = AnyOpenIdSettings & { readonly client_id: string };

export type ClientProtocol = VerifierProtocol<"openid"> & { readonly settings: OpenIdSettings };

/** The settings that name the provider's keys. */
export type KeySettings = Pick<AnyOpenIdSettings, "issuer" | "jwks" | "jwks_uri" | "ca_certificates">;

/** Finds the provider's key of a signature. */
export interface ProviderKeys extends JWTVerifyGetKey {
  /** Downloads the keys again. */
  readonly reload?: () => Promise<void>;
}

export interface ProviderConnection {
  readonly configuration: openid.Configuration;
  readonly keys: ProviderKeys;
  /** Sends requests to addresses that the provider, or the operator, has named. */
  readonly fetch: OutgoingFetch;
}

export interface ProviderConnections {
  /**
   * @param refreshedAt A document that was fetched for a smaller value is fetched again.
   * @throws The discovery document can't be fetched, or is invalid.
   */
  get(settings: OpenIdSettings, refreshedAt?: Moment): Promise<ProviderConnection>;
}

export interface ProviderConnectionsDeps {
  readonly clock: Clock;
  /** For development: issuers over HTTP, and on private addresses. */
  readonly allowsHttpIssuers: boolean;
  /** The operator's own networks in which providers may be. */
  readonly isProviderNetwork: (address: string) => boolean;
  /** Resolves host names; the system's resolver if left out. */
  readonly lookup?: Lookup;
  /** Runs a refresh later; a timer if left out. */
  readonly schedule?: Schedule;
}

export function createProviderConnections({
  schedule,
  ...deps
}: ProviderConnectionsDeps): ProviderConnections {
  const { clock } = deps;
  const cache = createProviderCache<ProviderConnection>({
    clock,
    ...(schedule !== undefined && { schedule }),
  });
  return {
    get: (settings, refreshedAt) =>
      cache.get(
        settings,
        {
          load: () => discover(settings, deps),
          prepare: async ({ keys }) => keys.reload?.(),
        },
        { refreshedAt },
      ),
  };
}

/** What a provider publishes, and the way to its addresses. */
export interface PublishedProvider {
  readonly metadata: openid.ServerMetadata & { readonly jwks_uri: string };
  readonly fetch: OutgoingFetch;
}

/**
 * Reads the discovery document, past the cache.
 *
 * @throws {IssuerMismatchError} The discovery document can't be fetched, or is invalid.
 */
export async function readProvider(
  settings: KeySettings,
  deps: ProviderConnectionsDeps,
): Promise<PublishedProvider> {
  const fetch = fetchFor(settings, deps);
  return { metadata: await readMetadata(settings.issuer, fetch), fetch };
}

async function discover(
  settings: OpenIdSettings,
  deps: ProviderConnectionsDeps,
): Promise<ProviderConnection> {
  const { metadata, fetch } = await readProvider(settings, deps);
  const configuration = new openid.Configuration(
    metadata,
    settings.client_id,
    { [openid.clockTolerance]: LEEWAY_SECONDS },
    await clientAuthentication(settings),
  );
  configuration[openid.customFetch] = fetch;
  // The rules of outgoing requests decide about HTTP.
  openid.allowInsecureRequests(configuration);
  return { configuration, keys: createProviderKeys(new URL(metadata.jwks_uri), fetch), fetch };
}

/**
 * The keys of a provider at which the service is no client: inline, at an address, or by discovery.
 *
 * @throws The discovery document can't be fetched, or is invalid.
 */
export async function findKeys(settings: KeySettings, deps: ProviderConnectionsDeps): Promise<ProviderKeys> {
  const { issuer, jwks, jwks_uri: uri } = settings;
  if (jwks !== undefined) return createLocalJWKSet({ keys: strongKeys(jwks.keys).strong });
  const fetch = fetchFor(settings, deps);
  return createProviderKeys(new URL(uri ?? (await readMetadata(issuer, fetch)).jwks_uri), fetch);
}

/** Sends requests to the provider, by the rules for its issuer. */
export function fetchFor(settings: KeySettings, { lookup, ...deps }: ProviderConnectionsDeps): OutgoingFetch {
  const rules = rulesFor(new URL(settings.issuer), deps);
  return createOutgoingFetch({ ...rules, authorities: settings.ca_certificates }, lookup);
}

/** Addresses in the discovery document reach no further into private networks than the issuer's own. */
function rulesFor(
  issuer: URL,
  { allowsHttpIssuers, isProviderNetwork }: Omit<ProviderConnectionsDeps, "lookup">,
): OutgoingRules {
  const issuerHost = allowsHttpIssuers ? hostOf(issuer) : undefined;
  return {
    allowsHttp: allowsHttpIssuers && issuer.protocol === "http:",
    allowsPrivate: (address, host) => host === issuerHost || isProviderNetwork(address),
  };
}

/** The discovery document was read, and belongs to another issuer. */
export class IssuerMismatchError extends TypeError {
  override readonly name = "IssuerMismatchError";
}

/** @see OpenID Connect Discovery 1.0, 4.1 and 4.3: the document's issuer has to be the one requested. */
async function readMetadata(issuer: string, fetch: OutgoingFetch): Promise<PublishedProvider["metadata"]> {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const response = await fetch(url, { method: "GET", headers: { accept: "application/json" } });
  if (response.status !== 200) throw new TypeError(`discovery is answered with status ${response.status}`);
  const metadata = (await response.json()) as openid.ServerMetadata | null;
  const received = metadata?.issuer as unknown;
  if (metadata === null || received !== issuer)
    throw new IssuerMismatchError(
      `discovery document names issuer ${quoted(typeof received === "string" ? received : undefined)}, expected the setting's ${quoted(issuer)}`,
    );
  const { jwks_uri } = metadata;
  if (typeof jwks_uri !== "string") throw new TypeError("the discovery document has no jwks_uri");
  return { ...metadata, jwks_uri };
}

type AuthMethod = NonNullable<OpenIdSettings["client_auth_method"]>;

/** How the service authenticates as a client at the provider. @throws The secret or key of the method is missing, or invalid. */
export function clientAuthentication(settings: OpenIdSettings): Promise<openid.ClientAuth> {
  return METHODS[clientAuthMethod(settings)](settings);
}

/** The setting `client_auth_method`, or else the method that the secret or key allows. */
export function clientAuthMethod(settings: OpenIdSettings): AuthMethod {
  return settings.client_auth_method ?? usualMethod(settings);
}

const METHODS: Readonly<Record<AuthMethod, (settings: OpenIdSettings) => Promise<openid.ClientAuth>>> = {
  client_secret_basic: async ({ client_secret: secret }) => basicAuth(required(secret, "client_secret")),
  client_secret_post: async ({ client_secret: secret }) =>
    openid.ClientSecretPost(required(secret, "client_secret")),
  private_key_jwt: async ({ client_private_key: key }) =>
    openid.PrivateKeyJwt(await readKey(required(key, "client_private_key"))),
  none: async () => openid.None(),
};

/**
 * Encodes the client's id and secret as in forms, except unreserved characters: providers that don't decode them accept the dots
 * and tildes of Google and Entra ID.
 *
 * @see RFC 6749, 2.3.1
 */
function basicAuth(secret: string): openid.ClientAuth {
  return (_provider, { client_id: id }, _body, headers) => {
    const pair = [id, secret].map((part) => encodeURIComponent(part).replaceAll("%20", "+")).join(":");
    headers.set("authorization", `Basic ${Buffer.from(pair).toString("base64")}`);
  };
}

function usualMethod({ client_secret, client_private_key }: OpenIdSettings): AuthMethod {
  if (client_private_key) return "private_key_jwt";
  return client_secret ? "client_secret_basic" : "none";
}

function required(value: string | null | undefined, name: string): string {
  if (!value) throw new TypeError(`the protocol's settings have no ${name}`);
  return value;
}

async function readKey(pem: string): Promise<CryptoKey> {
  const key = createPrivateKey(pem);
  return importPKCS8(key.export({ type: "pkcs8", format: "pem" }).toString(), algorithmOf(key));
}

function algorithmOf({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): string {
  const name = type === "ec" ? `ec ${details?.namedCurve ?? ""}` : (type ?? "");
  const algorithm = { rsa: "RS256", ed25519: "EdDSA", ...CURVES }[name];
  if (algorithm === undefined)
    throw new TypeError(
      `client_private_key is of type ${name}, expected rsa, ed25519 or ec (P-256, P-384, P-521)`,
    );
  return algorithm;
}

const CURVES: Readonly<Record<string, string>> = {
  "ec prime256v1": "ES256",
  "ec secp384r1": "ES384",
  "ec secp521r1": "ES512",
};

/** The JWKS is downloaded again for an unknown key at most this often. */
const KEYS_COOLDOWN_MS = 30_000;
/** Weak keys that a rejection names. */
const MAX_NAMED_KEYS = 3;

/** The provider signs with a weak key. */
export class WeakKeyError extends Error {
  override readonly name = "WeakKeyError";
}

interface WeakKey {
  readonly kid: unknown;
  readonly weakness: string;
}

/** Finds the provider's key of a signature among its strong keys. */
export function createProviderKeys(url: URL, fetch: OutgoingFetch): ProviderKeys {
  let weakKeys: readonly WeakKey[] = [];

  async function fetchStrongKeys(address: string, request: OutgoingRequest): Promise<Response> {
    const response = await fetch(address, request);
    if (response.status !== 200) return response;
    const text = await response.text();
    const keys = keysIn(text);
    if (keys === undefined) return new Response(text);
    const { strong, weak } = strongKeys(keys);
    weakKeys = weak;
    return Response.json({ keys: strong });
  }

  const find = createRemoteJWKSet(url, {
    cooldownDuration: KEYS_COOLDOWN_MS,
    [customFetch]: fetchStrongKeys,
  });
  const findStrong: JWTVerifyGetKey = async (header, token) => {
    try {
      return await find(header, token);
    } catch (error) {
      const meant = weakKeys.filter(({ kid }) => header.kid === undefined || header.kid === kid);
      if (!(error instanceof errors.JWKSNoMatchingKey) || meant.length === 0) throw error;
      throw new WeakKeyError(`weak keys of the JWKS are not used: ${named(meant)}`, { cause: error });
    }
  };
  return Object.assign(findStrong, { reload: find.reload });
}

/** SPIFFE marks keys of JWTs by a use of its own, which libraries for JWTs ignore (JWT-SVID, 4). */
const SPIFFE_USE = "jwt-svid";

function strongKeys(keys: readonly unknown[]) {
  const strong: object[] = [];
  const weak: WeakKey[] = [];
  for (const key of keys) {
    const jwk = { ...(key as { readonly kid?: unknown; readonly use?: unknown } | null) };
    const weakness = jwkWeakness(jwk);
    if (weakness !== undefined) weak.push({ kid: jwk.kid, weakness });
    else strong.push(jwk.use === SPIFFE_USE ? { ...jwk, use: "sig" } : jwk);
  }
  return { strong, weak };
}

/** @returns `undefined` where it is no JWKS, which jose reports. */
function keysIn(text: string): readonly unknown[] | undefined {
  try {
    const { keys } = JSON.parse(text) as { readonly keys?: unknown };
    return Array.isArray(keys) ? keys : undefined;
  } catch {
    return undefined;
  }
}

function named(keys: readonly WeakKey[]): string {
  const shown = keys.slice(0, MAX_NAMED_KEYS).map(({ kid, weakness }) => {
    const name = typeof kid === "string" ? `kid ${JSON.stringify(kid.slice(0, 100))}` : "no kid";
    return `${weakness} (${name})`;
  });
  return keys.length > MAX_NAMED_KEYS ? `${shown.join("; ")}; and others` : shown.join("; ");
}
