/**
 * The keys of an OpenID provider: its JWKS, without keys that are too weak. While it can't be downloaded, the last good one is used,
 * also that of before a restart.
 */
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  type JSONWebKeySet,
  type JWTVerifyGetKey,
} from "jose";

import type { Clock, Moment } from "../../../platform/clock.js";
import {
  AddressRefusedError,
  type OutgoingFetch,
  type OutgoingRequest,
} from "../../../platform/outgoing/outgoing-requests.js";
import { jwkWeakness } from "../../../platform/secrets/key-strength.js";
import { ProviderResponseError } from "../../provider-words.js";
import { NO_SHELF, type DocumentShelf } from "../../published/provider-document-cache.js";

/** Finds the provider's key of a signature. */
export interface ProviderKeys extends JWTVerifyGetKey {
  /** Downloads the keys again. */
  readonly reload?: () => Promise<void>;
  /** The strong ones that were read last; `undefined` before. */
  readonly jwks?: () => JSONWebKeySet | undefined;
}

export interface ProviderKeysOptions {
  readonly fetch: OutgoingFetch;
  readonly clock: Clock;
  /** Where the last good JWKS is kept; nowhere, if left out. */
  readonly shelf?: DocumentShelf | undefined;
  /** Reports that the keys can't be downloaded, and until when the last good ones are used. */
  readonly onStale?: ((error: unknown, until: Moment) => void) | undefined;
}

/** How long discovery document and keys are used before they are read again. */
export const KEYS_LIFE_MS = 300_000;

/**
 * For how long the last good discovery document and keys are used, from when they were read: tokens from before an outage are valid
 * for about as long. A key that the provider withdraws meanwhile is accepted until then, or until the protocol is refreshed.
 */
export const KEPT_MS = 3_600_000;

/**
 * The JWKS is downloaded again for an unknown key, or after a failed download, at most this often; otherwise at the end of its life.
 */
const KEYS_COOLDOWN_MS = 30_000;
/** Weak keys that a rejection names. */
const MAX_NAMED_KEYS = 3;

/** The provider signs with a weak key. */
export class WeakKeyError extends Error {
  override readonly name = "WeakKeyError";
}

interface LastKeys {
  readonly jwks: JSONWebKeySet;
  readonly find: JWTVerifyGetKey;
  readonly until: Moment;
}

interface WeakKey {
  readonly kid: unknown;
  readonly weakness: string;
}

/** Finds the provider's key of a signature among its strong keys. */
export function createProviderKeys(
  url: URL,
  { fetch, clock, shelf = NO_SHELF, onStale }: ProviderKeysOptions,
): ProviderKeys {
  let weakKeys: readonly WeakKey[] = [];
  let last: LastKeys | undefined;
  /** When the last download failed; `undefined` if it did not. */
  let failedAt: Moment | undefined;

  function adopt(keys: readonly unknown[], readAt: Moment): LastKeys {
    const { strong, weak } = strongKeys(keys);
    const jwks: JSONWebKeySet = { keys: strong };
    weakKeys = weak;
    last = { jwks, find: createLocalJWKSet(jwks), until: readAt + KEPT_MS };
    return last;
  }

  /** @throws {ProviderResponseError} Another answer than a JWKS. */
  async function download(address: string, request: OutgoingRequest): Promise<Response> {
    try {
      const response = await fetch(address, request);
      const text = response.status === 200 ? await response.text() : "";
      const keys = keysIn(text);
      if (keys === undefined) throw new ProviderResponseError(notJwks(response.status), response);
      failedAt = undefined;
      const { jwks } = adopt(keys, clock.now());
      void shelf.keep(text);
      return Response.json(jwks);
    } catch (error) {
      void shelf.fail(error);
      // An address that is not allowed is no outage.
      failedAt = error instanceof AddressRefusedError ? undefined : clock.now();
      throw error;
    }
  }

  const findPublished = createRemoteJWKSet(url, {
    cooldownDuration: KEYS_COOLDOWN_MS,
    [customFetch]: download,
  });

  /** @returns `undefined` if they are too old. */
  async function findLast(): Promise<LastKeys | undefined> {
    const now = clock.now();
    if (last !== undefined && now < last.until) return last;
    const found = await shelf.find();
    if (found === undefined || now >= found.readAt + KEPT_MS) return undefined;
    const keys = keysIn(found.text);
    return keys && adopt(keys, found.readAt);
  }

  const find: JWTVerifyGetKey = async (header, token) => {
    const now = clock.now();
    // Not each login waits for a provider that does not answer.
    const isFailing = failedAt !== undefined && now < failedAt + KEYS_COOLDOWN_MS;
    if (isFailing && last !== undefined && now < last.until) return last.find(header, token);
    try {
      return await findPublished(header, token);
    } catch (error) {
      const usable = failedAt === undefined ? undefined : await findLast();
      if (usable === undefined) throw error;
      onStale?.(error, usable.until);
      return usable.find(header, token);
    }
  };

  const findStrong: JWTVerifyGetKey = async (header, token) => {
    try {
      return await find(header, token);
    } catch (error) {
      const meant = weakKeys.filter(({ kid }) => header.kid === undefined || header.kid === kid);
      if (!(error instanceof errors.JWKSNoMatchingKey) || meant.length === 0) throw error;
      throw new WeakKeyError(`weak keys of the JWKS are not used: ${named(meant)}`, { cause: error });
    }
  };
  return Object.assign(findStrong, { reload: findPublished.reload, jwks: () => last?.jwks });
}

/** The keys of JWKS that are in settings. */
export function inlineKeys({ keys }: { readonly keys: readonly unknown[] }): ProviderKeys {
  return createLocalJWKSet({ keys: strongKeys(keys).strong });
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

const notJwks = (status: number): string =>
  status === 200
    ? 'the document at jwks_uri is no JSON Web Key Set: it has no list "keys"'
    : `jwks_uri is answered with status ${status}`;

/** @returns `undefined` where it is no JWKS. */
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
