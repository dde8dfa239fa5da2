/** The keys that an OpenID provider publishes (its JWKS), and verification of the JWTs that it signs. */
import {
  createRemoteJWKSet,
  customFetch,
  errors,
  jwtVerify,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
} from "jose";

import type { Clock, Moment } from "../../platform/clock.js";
import { jwkWeakness } from "../../platform/secrets/key-strength.js";
import { quoted } from "../../platform/text/quoted-value.js";
import type { OutgoingFetch, OutgoingRequest } from "../../platform/outgoing/outgoing-requests.js";

/** Accepted clock skew. */
export const LEEWAY_SECONDS = 60;
/** Asymmetric algorithms only: the client can't make such signatures. */
const SIGNATURE_ALGORITHMS = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(" ");
/** The JWKS is downloaded again for an unknown key at most this often. */
const KEYS_COOLDOWN_MS = 30_000;
/** Weak keys that a rejection names. */
const MAX_NAMED_KEYS = 3;
/**
 * Keys that are tried for a token without "kid". Each costs an import and a verification, and a JWKS of 1 MB holds 2,200 RSA keys:
 * seconds of a core per token.
 */
export const MAX_TRIED_KEYS = 20;

const TOO_MANY_KEYS = `signature does not verify with the first ${MAX_TRIED_KEYS} keys of the JWKS; a token without "kid" is tried with no more`;

/** The provider signs with a weak key. */
export class WeakKeyError extends Error {
  override readonly name = "WeakKeyError";
}

interface WeakKey {
  readonly kid: unknown;
  readonly weakness: string;
}

/** Finds the provider's key of a signature among its strong keys. */
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

export interface ExpectedClaims {
  readonly issuer: string;
  /** Each is accepted. */
  readonly audiences: readonly string[];
  readonly requiredClaims: string[];
  readonly clock: Clock;
}

/**
 * The claims of a JWT that the provider has signed.
 *
 * A token may lack "kid", as access tokens of AD FS do: then each published key is tried, up to {@link MAX_TRIED_KEYS}.
 *
 * @throws The signature does not verify, or a claim is not as expected. The message names the claim, not other values.
 */
export async function verifySigned(
  token: string,
  keys: JWTVerifyGetKey,
  { issuer, audiences, requiredClaims, clock }: ExpectedClaims,
): Promise<JWTPayload> {
  const options: JWTVerifyOptions = {
    algorithms: SIGNATURE_ALGORITHMS,
    issuer,
    audience: [...audiences],
    requiredClaims,
    clockTolerance: LEEWAY_SECONDS,
    currentDate: new Date(clock.now()),
  };
  try {
    return (await jwtVerify(token, keys, options)).payload;
  } catch (error) {
    if (error instanceof errors.JWKSMultipleMatchingKeys) return verifyWithAnyOf(error, token, options);
    throw explained(error, options);
  }
}

async function verifyWithAnyOf(
  keys: errors.JWKSMultipleMatchingKeys,
  token: string,
  options: JWTVerifyOptions,
): Promise<JWTPayload> {
  let tried = 0;
  for await (const key of keys) {
    if (tried++ === MAX_TRIED_KEYS) throw new errors.JWSSignatureVerificationFailed(TOO_MANY_KEYS);
    try {
      return (await jwtVerify(token, key, options)).payload;
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw explained(error, options);
    }
  }
  throw new errors.JWSSignatureVerificationFailed();
}

/** Adds the value received and the value expected to what jose reports about issuer, audience and times. */
function explained(error: unknown, { issuer, audience, currentDate }: JWTVerifyOptions): unknown {
  if (!(error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired)) return error;
  const { claim, payload, message } = error;
  const value = payload[claim];
  if (claim === "iss" || claim === "aud")
    return new Error(
      `${message}: ${quotedClaim(value)}, expected ${quotedClaim(claim === "iss" ? issuer : audience)}`,
    );
  if (typeof value !== "number" || currentDate === undefined) return error;
  return new Error(`${message}: ${timeText(value, currentDate.getTime())}`);
}

/** Values of `iss` or `aud`, as messages name them. */
export function quotedClaim(value: unknown): string {
  return [value]
    .flat()
    .map((each) => quoted(typeof each === "string" ? each : JSON.stringify(each)))
    .join(" or ");
}

/** A time of a token beside the current time, such as `2026-11-21T12:03:11.000Z, now 2026-11-21T12:05:00.000Z (leeway 60 s)`. */
export function timeText(seconds: number, now: Moment): string {
  const date = new Date(seconds * 1000);
  const time = Number.isNaN(date.getTime()) ? `${seconds} s since 1970` : date.toISOString();
  return `${time}, now ${new Date(now).toISOString()} (leeway ${LEEWAY_SECONDS} s)`;
}
