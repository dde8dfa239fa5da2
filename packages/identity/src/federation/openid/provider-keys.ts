/** The keys that an OpenID provider publishes (its JWKS), without those that are too weak to prove anything. */
import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from "jose";

import { jwkWeakness } from "../../platform/secrets/key-strength.js";
import type { OutgoingFetch, OutgoingRequest } from "../../platform/outgoing/outgoing-requests.js";

/** A key that nobody knows is looked for this often. */
const KEYS_COOLDOWN_MS = 30_000;
/** Weak keys that a refusal names at most. */
const MAX_NAMED = 3;

/** The provider signs by a key that is too weak. */
export class WeakKeyError extends Error {
  override readonly name = "WeakKeyError";
}

interface WeakKey {
  readonly kid: unknown;
  readonly weakness: string;
}

/** Finds the provider's key for a signature. */
export function createProviderKeys(url: URL, fetch: OutgoingFetch): JWTVerifyGetKey {
  let weakKeys: readonly WeakKey[] = [];

  async function fetchStrongKeys(address: string, request: OutgoingRequest): Promise<Response> {
    const response = await fetch(address, request);
    if (response.status !== 200) return response;
    const text = await response.text();
    const keys = keysIn(text);
    if (keys === undefined) return new Response(text);
    weakKeys = keys.flatMap((key) => {
      const weakness = jwkWeakness(key);
      return weakness === undefined ? [] : [{ kid: (key as { readonly kid?: unknown }).kid, weakness }];
    });
    return Response.json({ keys: keys.filter((key) => jwkWeakness(key) === undefined) });
  }

  const find = createRemoteJWKSet(url, {
    cooldownDuration: KEYS_COOLDOWN_MS,
    [customFetch]: fetchStrongKeys,
  });
  return async (header, token) => {
    try {
      return await find(header, token);
    } catch (error) {
      const meant = weakKeys.filter(({ kid }) => header.kid === undefined || header.kid === kid);
      if (!(error instanceof errors.JWKSNoMatchingKey) || meant.length === 0) throw error;
      throw new WeakKeyError(`weak keys of the JWKS are not used: ${named(meant)}`, { cause: error });
    }
  };
}

/** @returns `undefined` where it is no JWKS, which is for jose to say. */
function keysIn(text: string): readonly unknown[] | undefined {
  try {
    const { keys } = JSON.parse(text) as { readonly keys?: unknown };
    return Array.isArray(keys) ? keys : undefined;
  } catch {
    return undefined;
  }
}

function named(keys: readonly WeakKey[]): string {
  const shown = keys.slice(0, MAX_NAMED).map(({ kid, weakness }) => {
    const name = typeof kid === "string" ? `kid ${JSON.stringify(kid.slice(0, 100))}` : "no kid";
    return `${weakness} (${name})`;
  });
  return keys.length > MAX_NAMED ? `${shown.join("; ")}; and others` : shown.join("; ");
}
