/**
 * What is known of OpenID providers: their discovery documents and keys, remembered for some minutes.
 *
 * It is remembered by the settings, so that changed ones work at once.
 */
import { createHash } from "node:crypto";

import type { JWTVerifyGetKey } from "jose";
import * as openid from "openid-client";

import type { Clock, Moment } from "../../platform/clock.js";
import {
  createOutgoingFetch,
  hostOf,
  type Lookup,
  type OutgoingFetch,
  type OutgoingRules,
} from "../../platform/outgoing/outgoing-requests.js";
import { clientProof } from "./client-authentication.js";
import type { OpenIdSettings } from "./openid-settings.js";
import { createProviderKeys } from "./provider-keys.js";

/** How far the clocks of others may differ from this one. */
export const CLOCK_TOLERANCE_SECONDS = 60;
/** Signatures that only the provider can make. */
export const SIGNATURE_ALGORITHMS =
  "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(" ");

const LIFE_MS = 300_000;
const MAX_CONNECTIONS = 256;
/** A provider that does not answer is asked this often, however many want to log in. */
const FAILURE_LIFE_MS = 5000;

/** A provider that is known. */
export interface ProviderConnection {
  readonly configuration: openid.Configuration;
  /** Finds the provider's key for a signature. */
  readonly keys: JWTVerifyGetKey;
  /** Asks at addresses that the provider, or the operator, has told. */
  readonly fetch: OutgoingFetch;
}

export interface ProviderConnections {
  /** @throws The provider doesn't answer, or not as a provider does. */
  get(settings: OpenIdSettings): Promise<ProviderConnection>;
}

export interface ProviderConnectionsDeps {
  readonly clock: Clock;
  /** For development: issuers over HTTP, and on addresses that are not on the internet. */
  readonly allowsHttpIssuers: boolean;
  /** Networks of the operator's own that providers may be in. */
  readonly isProviderNetwork: (address: string) => boolean;
  /** How names are looked up; as the system does it, if left out. */
  readonly lookup?: Lookup;
}

export function createProviderConnections(deps: ProviderConnectionsDeps): ProviderConnections {
  const known = new Map<
    string,
    { readonly until: Moment; readonly connection: Promise<ProviderConnection> }
  >();

  function connect(key: string, settings: OpenIdSettings): Promise<ProviderConnection> {
    const entry = { until: deps.clock.now() + LIFE_MS, connection: discover(settings, deps) };
    entry.connection.catch(() => (entry.until = deps.clock.now() + FAILURE_LIFE_MS));
    known.delete(key);
    known.set(key, entry);
    const [oldest] = known.keys();
    if (known.size > MAX_CONNECTIONS && oldest !== undefined) known.delete(oldest);
    return entry.connection;
  }

  return {
    get(settings) {
      const key = createHash("sha256").update(JSON.stringify(settings)).digest("base64");
      const entry = known.get(key);
      return entry !== undefined && entry.until > deps.clock.now()
        ? entry.connection
        : connect(key, settings);
    },
  };
}

async function discover(
  settings: OpenIdSettings,
  { lookup, ...deps }: ProviderConnectionsDeps,
): Promise<ProviderConnection> {
  const rules = rulesFor(new URL(settings.issuer), deps);
  const fetch = createOutgoingFetch(rules, lookup);
  const metadata = await readMetadata(settings.issuer, fetch);
  if (typeof metadata.jwks_uri !== "string")
    throw new TypeError("the provider doesn't tell where its keys are");

  const client = { [openid.clockTolerance]: CLOCK_TOLERANCE_SECONDS };
  const configuration = new openid.Configuration(
    metadata,
    settings.client_id,
    client,
    await clientProof(settings),
  );
  configuration[openid.customFetch] = fetch;
  // The rules say who may be asked over HTTP.
  openid.allowInsecureRequests(configuration);
  return { configuration, keys: createProviderKeys(new URL(metadata.jwks_uri), fetch), fetch };
}

/** Whatever a provider says of itself, it doesn't lead further inwards than where its issuer is. */
function rulesFor(
  issuer: URL,
  { allowsHttpIssuers, isProviderNetwork }: ProviderConnectionsDeps,
): OutgoingRules {
  const issuerHost = allowsHttpIssuers ? hostOf(issuer) : undefined;
  return {
    allowsHttp: allowsHttpIssuers && issuer.protocol === "http:",
    allowsPrivate: (address, host) => host === issuerHost || isProviderNetwork(address),
  };
}

/** @see OpenID Connect Discovery 1.0, 4.1 and 4.3: the issuer has to be the one that was asked. */
async function readMetadata(issuer: string, fetch: OutgoingFetch): Promise<openid.ServerMetadata> {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const answer = await fetch(url, { method: "GET", headers: { accept: "application/json" } });
  if (answer.status !== 200) throw new TypeError(`discovery is answered with status ${answer.status}`);
  const metadata = (await answer.json()) as openid.ServerMetadata | null;
  if (metadata?.issuer !== issuer) throw new TypeError("discovery tells of another issuer");
  return metadata;
}
