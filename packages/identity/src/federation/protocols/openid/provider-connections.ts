/**
 * OpenID providers: their discovery documents and keys, and the client that the service is to them; cached for five minutes, renewed in
 * the background, and kept for an hour while a provider does not answer.
 */
import { createPrivateKey, type KeyObject } from "node:crypto";

import { importPKCS8, type CryptoKey } from "jose";
import * as openid from "openid-client";

import type { Platform } from "../../../area.js";
import {
  AddressRefusedError,
  createOutgoingFetch,
  hostOf,
  type Lookup,
  type OutgoingFetch,
  type OutgoingRules,
} from "../../../platform/outgoing/outgoing-requests.js";
import { quoted } from "../../../platform/text/quoted-value.js";
import type { EnabledProtocol, VerifierLog } from "../../assertion-verifier.js";
import { isoTime, LEEWAY_SECONDS } from "../../leeway.js";
import { ProviderResponseError } from "../../provider-words.js";
import type { DocumentSource, DocumentKind } from "../../published/document-store.js";
import {
  NO_SHELF,
  type DocumentOwner,
  type DocumentShelf,
  type ProviderDocumentCache,
} from "../../published/provider-document-cache.js";
import {
  createProviderCache,
  type ProviderCache,
  type ProviderLoad,
  type Schedule,
} from "../../published/refreshing-cache.js";
import { NOT_JSON, withExactNumbers } from "./claims.js";
import { discoverySource, keysSource } from "./openid-documents.js";
import type { AnyOpenIdSettings, OpenIdSettings } from "./openid-settings.js";
import { createProviderKeys, inlineKeys, KEPT_MS, KEYS_LIFE_MS, type ProviderKeys } from "./provider-keys.js";

/** The settings that name the provider's keys. */
export type KeySettings = Pick<AnyOpenIdSettings, "issuer" | "jwks" | "jwks_uri" | "ca_certificates">;

export interface ProviderConnection {
  readonly configuration: openid.Configuration;
  readonly keys: ProviderKeys;
  /** Sends requests to addresses that the provider, or the operator, has named. */
  readonly fetch: OutgoingFetch;
}

type Warnings = Pick<VerifierLog, "warn">;

export interface ProviderConnections {
  /** @throws The discovery document can't be fetched, or is invalid, and none is kept. */
  get(protocol: EnabledProtocol<OpenIdSettings>, log?: Warnings): Promise<ProviderConnection>;
}

export interface ProviderConnectionsDeps extends Pick<Platform, "clock"> {
  /** For development: issuers over HTTP, and on private addresses. */
  readonly allowsHttpIssuers: boolean;
  /** The operator's own networks in which providers may be. */
  readonly isProviderNetwork: (address: string) => boolean;
  /** Resolves host names; the system's resolver if left out. */
  readonly lookup?: Lookup;
  /** Keeps what was downloaded; nothing, if left out. */
  readonly kept?: ProviderDocumentCache | undefined;
  /** Runs a refresh later; a timer if left out. */
  readonly schedule?: Schedule;
}

const MAX_RETRY_MS = 60_000;

function createCache<Value>({ clock, schedule }: ProviderConnectionsDeps): ProviderCache<Value> {
  return createProviderCache<Value>({
    clock,
    maxRetryMs: MAX_RETRY_MS,
    lifeMs: () => KEYS_LIFE_MS,
    keptUntil: (_, loadedAt) => loadedAt + KEPT_MS,
    isOutage: (error) => !(error instanceof AddressRefusedError || error instanceof IssuerMismatchError),
    ...(schedule !== undefined && { schedule }),
  });
}

async function reloadKeys({ keys }: ProviderConnection): Promise<void> {
  await keys.reload?.();
}

export function createProviderConnections(deps: ProviderConnectionsDeps): ProviderConnections {
  const cache = createCache<ProviderConnection>(deps);
  return {
    get(protocol, log) {
      const reading = { protocol, log, deps };
      const connect = async ({ metadata, fetch }: PublishedProvider): Promise<ProviderConnection> => ({
        configuration: await configure(protocol.settings, { metadata, fetch }),
        keys: keysAt(metadata.jwks_uri, { ...reading, fetch }),
        fetch,
      });
      const loading = { ...discovery(reading, connect), prepare: reloadKeys };
      return cache.get(protocol.settings, loading, protocol);
    },
  };
}

/** The keys of providers at which the service is no client: inline, at an address, or by discovery. */
export function createKeyCache(deps: ProviderConnectionsDeps) {
  const cache = createCache<ProviderKeys>(deps);

  function loadingOf(reading: ProviderReading): ProviderLoad<ProviderKeys> {
    const { settings } = reading.protocol;
    const { jwks, jwks_uri: uri } = settings;
    if (jwks !== undefined) return { load: async () => inlineKeys(jwks) };
    if (uri === undefined)
      return discovery(reading, async ({ metadata, fetch }) =>
        keysAt(metadata.jwks_uri, { ...reading, fetch }),
      );
    return {
      load: async () => keysAt(uri, { ...reading, fetch: fetchFor(settings, deps), kind: "workload-jwks" }),
    };
  }

  return {
    /** @throws The discovery document can't be fetched, or is invalid, and none is kept. */
    get(protocol: EnabledProtocol<AnyOpenIdSettings>, log: Warnings): Promise<ProviderKeys> {
      const loading = loadingOf({ protocol, log, deps });
      return cache.get(protocol.settings, { ...loading, prepare: async (keys) => keys.reload?.() }, protocol);
    },
  };
}

interface ProviderReading {
  readonly protocol: EnabledProtocol<AnyOpenIdSettings>;
  readonly log: Warnings | undefined;
  readonly deps: ProviderConnectionsDeps;
}

/** Loads what needs the discovery document, which is kept. */
function discovery<Value>(
  { protocol, log, deps }: ProviderReading,
  make: (published: PublishedProvider) => Promise<Value>,
): ProviderLoad<Value> {
  const { settings } = protocol;
  const { issuer } = settings;
  const shelf = () => shelfFor(protocol, { deps, kind: "discovery", source: discoverySource(issuer) });
  return {
    async load() {
      const fetch = fetchFor(settings, deps);
      const reading = fetchMetadata(issuer, fetch);
      reading.catch((error: unknown) => shelf().fail(error));
      const { text, metadata } = await reading;
      const value = await make({ metadata, fetch });
      void shelf().keep(text);
      return value;
    },
    async restore() {
      const found = await shelf().find();
      if (found === undefined) return undefined;
      try {
        const metadata = readMetadata(found.text, issuer);
        return { value: await make({ metadata, fetch: fetchFor(settings, deps) }), loadedAt: found.readAt };
      } catch {
        return undefined;
      }
    },
    onStale: ({ keptUntil }, error) =>
      log?.warn({ err: error, issuer, usedUntil: isoTime(keptUntil) }, "discovery document not renewed"),
  };
}

interface KeysContext extends ProviderReading {
  readonly fetch: OutgoingFetch;
  readonly kind?: DocumentKind;
}

function keysAt(uri: string, { protocol, log, fetch, deps, kind = "jwks" }: KeysContext): ProviderKeys {
  const { issuer } = protocol.settings;
  return createProviderKeys(new URL(uri), {
    fetch,
    clock: deps.clock,
    shelf: shelfFor(protocol, { deps, kind, source: keysSource(issuer, uri) }),
    onStale: (error, until) =>
      log?.warn({ err: error, issuer, usedUntil: isoTime(until) }, "keys of the issuer not renewed"),
  });
}

interface ShelfPlace {
  readonly deps: ProviderConnectionsDeps;
  readonly kind: DocumentKind;
  readonly source: DocumentSource;
}

function shelfFor(owner: DocumentOwner, { deps: { kept }, kind, source }: ShelfPlace): DocumentShelf {
  return kept?.at({ owner, kind, source }) ?? NO_SHELF;
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
  const { metadata } = await fetchMetadata(settings.issuer, fetch);
  return { metadata, fetch };
}

/** The client that the service is to the provider. */
export async function configure(
  settings: OpenIdSettings,
  { metadata, fetch }: { readonly metadata: openid.ServerMetadata; readonly fetch: OutgoingFetch },
): Promise<openid.Configuration> {
  const configuration = new openid.Configuration(
    metadata,
    settings.client_id,
    { [openid.clockTolerance]: LEEWAY_SECONDS },
    await clientAuthentication(settings),
  );
  configuration[openid.customFetch] = withExactNumbers(fetch);
  // The rules of outgoing requests decide about HTTP.
  openid.allowInsecureRequests(configuration);
  return configuration;
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
  /** The issuer that the document names, if it is a text. */
  readonly named: string | undefined;
  constructor(message: string, named: string | undefined) {
    super(message);
    this.named = named;
  }
}

async function fetchMetadata(issuer: string, fetch: OutgoingFetch) {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const response = await fetch(url, { method: "GET", headers: { accept: "application/json" } });
  if (response.status !== 200)
    throw new ProviderResponseError(`discovery is answered with status ${response.status}`, response);
  const text = await response.text();
  try {
    return { text, metadata: readMetadata(text, issuer) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ProviderResponseError(NOT_JSON, response);
  }
}

/** @see OpenID Connect Discovery 1.0, 4.1 and 4.3: the document's issuer has to be the one requested. */
function readMetadata(text: string, issuer: string): PublishedProvider["metadata"] {
  const metadata = JSON.parse(text) as openid.ServerMetadata | null;
  const received = metadata?.issuer as unknown;
  if (metadata === null || received !== issuer) {
    const named = typeof received === "string" ? received : undefined;
    throw new IssuerMismatchError(
      `discovery document names issuer ${quoted(named)}, expected the setting's ${quoted(issuer)}`,
      named,
    );
  }
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
