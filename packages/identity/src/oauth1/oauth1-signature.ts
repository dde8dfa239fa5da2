/**
 * Signatures of OAuth 1.0a requests by HMAC-SHA1, with the parameters in the header `Authorization`. The parameters of a form are not
 * read: no request to this service has any.
 *
 * @see https://datatracker.ietf.org/doc/html/rfc5849#section-3
 */
import { createHmac, timingSafeEqual } from "node:crypto";

import { OAuth1ParameterError } from "./oauth1-errors.js";

export interface OAuth1Request {
  readonly method: string;
  /** Path and query, as received. */
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
