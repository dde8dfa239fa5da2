/** Verification of OAuth 1.0a requests: parameters, time, signature and nonce. */
import { createHash } from "node:crypto";

import type { Clock, Moment } from "../platform/clock.js";
import { OAuth1ParameterError, OAuth1RefusedError } from "./oauth1-errors.js";
import { isSignedBy, readParameters, type OAuth1Request, type OAuth1Secrets } from "./oauth1-signature.js";

export interface OAuth1VerifierDeps {
  /** Of the service: what clients have signed. */
  readonly publicUrl: string;
  readonly clock: Clock;
  /** Uses an id until it expires. @returns Whether it was not used before, by any process. */
  readonly useOnce: (id: { readonly id: string; readonly expiresAt: Moment }) => Promise<boolean>;
}

/** How far the time of a request may be from the clock. */
export const MAX_TIME_OFF_SECONDS = 600;

export type OAuth1Verifier = ReturnType<typeof createOAuth1Verifier>;

export function createOAuth1Verifier({ publicUrl, clock, useOnce }: OAuth1VerifierDeps) {
  return {
    /**
     * Verifies that a request was signed with these secrets, for the first time.
     *
     * @throws {OAuth1ParameterError} {@link OAuth1RefusedError}
     */
    async verify(request: OAuth1Request, secrets: OAuth1Secrets): Promise<void> {
      const { parameters } = request;
      const seconds = requireTime(parameters, clock.now());
      const nonce = requireParameter(parameters, "oauth_nonce");
      if (!isSignedBy(request, secrets, publicUrl))
        throw new OAuth1RefusedError("invalid OAuth 1.0a signature");
      const parts = [parameters.get("oauth_consumer_key"), parameters.get("oauth_token"), seconds, nonce];
      const id = createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
      // Later the time of the request is too far off.
      const expiresAt = (seconds + MAX_TIME_OFF_SECONDS) * 1000;
      if (!(await useOnce({ id, expiresAt }))) throw new OAuth1RefusedError("replayed OAuth 1.0a request");
    },
  };
}

/** @throws {OAuth1ParameterError} It is malformed, or not signed by HMAC-SHA1. */
export function readOAuth1Request({
  method,
  url,
  authorization,
}: {
  readonly method: string;
  readonly url: string;
  readonly authorization: string | undefined;
}): OAuth1Request {
  const parameters = readParameters(authorization);
  requireParameter(parameters, "oauth_consumer_key");
  requireParameter(parameters, "oauth_signature");
  const signatureMethod = requireParameter(parameters, "oauth_signature_method");
  if (signatureMethod !== "HMAC-SHA1")
    throw new OAuth1ParameterError("The oauth_signature_method is not supported, expected HMAC-SHA1");
  if ((parameters.get("oauth_version") ?? "1.0") !== "1.0")
    throw new OAuth1ParameterError("The oauth_version is not 1.0");
  return { method, path: url, parameters };
}

/** @throws {OAuth1ParameterError} */
export function requireParameter(parameters: OAuth1Request["parameters"], name: string): string {
  const value = parameters.get(name) ?? "";
  if (value === "") throw new OAuth1ParameterError(`Missing ${name}`);
  return value;
}

/** @returns Seconds since 1970. */
function requireTime(parameters: OAuth1Request["parameters"], now: Moment): number {
  const text = requireParameter(parameters, "oauth_timestamp");
  const seconds = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
  if (Math.abs(seconds - now / 1000) <= MAX_TIME_OFF_SECONDS) return seconds;
  throw new OAuth1ParameterError(
    `The oauth_timestamp differs from the time by over ${MAX_TIME_OFF_SECONDS} seconds`,
  );
}
