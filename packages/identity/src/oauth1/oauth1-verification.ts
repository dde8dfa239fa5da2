/** Verification of OAuth 1.0a requests: parameters, time, signature and nonce. */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";

import type { FastifyRequest } from "fastify";

import type { Platform } from "../area.js";
import type { Moment } from "../platform/clock.js";
import { sentTarget } from "../platform/http/request-target.js";
import { OAuth1ParameterError, OAuth1RefusedError } from "./oauth1-store.js";

export interface OAuth1VerifierDeps extends Pick<Platform, "clock"> {
  /** Of the service: what clients have signed. */
  readonly publicUrl: string;
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
export function readOAuth1Request(
  request: Pick<FastifyRequest, "method" | "originalUrl" | "headers">,
): OAuth1Request {
  const parameters = readParameters(request.headers.authorization);
  requireParameter(parameters, "oauth_consumer_key");
  requireParameter(parameters, "oauth_signature");
  const signatureMethod = requireParameter(parameters, "oauth_signature_method");
  if (signatureMethod !== "HMAC-SHA1")
    throw new OAuth1ParameterError("The oauth_signature_method is not supported, expected HMAC-SHA1");
  if ((parameters.get("oauth_version") ?? "1.0") !== "1.0")
    throw new OAuth1ParameterError("The oauth_version is not 1.0");
  return { method: request.method, path: sentTarget(request), parameters };
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

/** A request signed by HMAC-SHA1 (RFC 5849, section 3). The parameters of a form are not read: no request to this service has any. */
export interface OAuth1Request {
  readonly method: string;
  /** Path and query as the client sent them: they are what it signed. */
  readonly path: string;
  /** By name, from the header. */
  readonly parameters: ReadonlyMap<string, string>;
}

export interface OAuth1Secrets {
  readonly consumer: string;
  /** Of the request token or access token; empty without one. */
  readonly token: string;
}

const PARAMETER = /^\s*(?<name>[^\s="]+)="(?<value>[^"]*)"\s*$/;

/**
 * The parameters of an `Authorization` header; none for another scheme.
 *
 * @throws {OAuth1ParameterError} It is malformed, or names a parameter twice.
 */
export function readParameters(authorization = ""): ReadonlyMap<string, string> {
  const [, text = ""] = /^OAuth\s+(.*)$/is.exec(authorization) ?? [];
  const parameters = new Map<string, string>();
  for (const part of text === "" ? [] : text.split(",")) {
    const { name, value } = PARAMETER.exec(part)?.groups ?? {};
    if (name === undefined || value === undefined)
      throw new OAuth1ParameterError("Malformed authorization header");
    if (parameters.has(decode(name))) throw new OAuth1ParameterError(`Duplicate parameter ${name}`);
    parameters.set(decode(name), decode(value));
  }
  return parameters;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new OAuth1ParameterError("Malformed percent-encoding in the authorization header");
  }
}

/** The unreserved characters of RFC 3986 alone stay. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** What a client signs. @param publicUrl The address of the service, as clients know it. */
export function signatureBase({ method, path, parameters }: OAuth1Request, publicUrl: string): string {
  const { origin, pathname, searchParams } = new URL(publicUrl + path);
  const signed = [...searchParams, ...parameters]
    .filter(([name]) => name !== "realm" && name !== "oauth_signature")
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .toSorted(([a, valueOfA], [b, valueOfB]) => compare(a, b) || compare(valueOfA, valueOfB));
  const normalized = signed.map(([name, value]) => `${name}=${value}`).join("&");
  return [method, origin + pathname, normalized].map(encode).join("&");
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** Whether the request carries the signature by these secrets. */
export function isSignedBy(request: OAuth1Request, secrets: OAuth1Secrets, publicUrl: string): boolean {
  const key = `${encode(secrets.consumer)}&${encode(secrets.token)}`;
  const expected = createHmac("sha1", key).update(signatureBase(request, publicUrl)).digest();
  const given = Buffer.from(request.parameters.get("oauth_signature") ?? "", "base64");
  return given.length === expected.length && timingSafeEqual(given, expected);
}
