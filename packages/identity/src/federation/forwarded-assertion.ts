/**
 * What a front end says of a user, in headers: for those who have a web server's module know who users are.
 *
 * It is believed by its secret, and only from addresses that were named. Whoever can send requests here by another way could
 * otherwise be anybody.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

import type { Assertion } from "../mappings/evaluate-mapping.js";
import { isNestedTooDeep, MAX_JSON_DEPTH } from "../platform/json-depth.js";
import type { TrustedProxies } from "../platform/trusted-proxies.js";
import type { AssertionVerifier, VerifierProtocol, VerifierRequest } from "./assertion-verifier.js";
import { AssertionRefusedError } from "./federation-errors.js";
import { asVerified } from "./verified-assertion.js";

/** The header by which a front end proves itself. */
const SECRET_HEADER = "x-forwarded-assertion-secret";

export interface ForwardingSettings {
  /** The header that has the assertion where a protocol names no other; `undefined` for none. */
  readonly header: string | undefined;
  readonly secret: string;
  readonly isForwarder: TrustedProxies;
  /** The attribute that names the provider where a protocol names no other; `undefined` for none. */
  readonly remoteIdAttribute: string | undefined;
}

type ForwardedRequest = Pick<VerifierRequest, "headers" | "peerAddress">;

export interface ForwardedVerifier extends AssertionVerifier<"forwarded"> {
  /**
   * The provider that the header of the service names, for a browser that has not said which one it wants.
   *
   * @returns `undefined` where there is no such header.
   * @throws {AssertionRefusedError} It names none, or must not be believed.
   */
  remoteIdOf(request: ForwardedRequest): string | undefined;
}

/** @param settings `undefined` where no front end is believed. */
export function createForwardedVerifier(settings: ForwardingSettings | undefined): ForwardedVerifier {
  return {
    type: "forwarded",
    async verify(request, protocol) {
      const believed = requireForwarder(request, settings);
      const attributes = readAttributes(request.headers, protocol, believed);
      const name = protocol.remoteIdAttribute ?? believed.remoteIdAttribute;
      const remoteId = name === undefined ? undefined : attributes[name];
      return asVerified({
        identityProviderId: protocol.identityProviderId,
        protocolId: protocol.protocolId,
        remoteId: typeof remoteId === "string" ? remoteId : undefined,
        attributes,
        expiresAt: undefined,
        origin: request.origin,
      });
    },
    remoteIdOf(request) {
      const header = settings?.header === undefined ? undefined : headerOf(request.headers, settings.header);
      if (header === undefined) return undefined;
      const { remoteIdAttribute = "" } = requireForwarder(request, settings);
      const remoteId = readJson(header, "")[remoteIdAttribute];
      if (typeof remoteId === "string") return remoteId;
      throw refused("remote-id", "the assertion does not say whose it is");
    },
  };
}

function requireForwarder(
  { headers, peerAddress }: ForwardedRequest,
  settings: ForwardingSettings | undefined,
): ForwardingSettings {
  if (settings === undefined) throw refused("forwarder", "no front end is configured to be believed");
  if (!settings.isForwarder(peerAddress)) throw refused("forwarder", "the address is none of a front end");
  if (!isSame(headerOf(headers, SECRET_HEADER) ?? "", settings.secret))
    throw refused("forwarder", "the front end's secret is missing or wrong");
  return settings;
}

/** Takes the same time wherever they differ. */
function isSame(given: string, secret: string): boolean {
  return timingSafeEqual(digest(given), digest(secret));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function readAttributes(
  headers: IncomingHttpHeaders,
  { settings }: VerifierProtocol<"forwarded">,
  { header: standard }: ForwardingSettings,
): Assertion {
  if (settings.header_prefix !== undefined)
    return readHeaders(headers, settings.header_prefix, settings.attribute_prefix);
  const name = settings.header ?? standard;
  const value = name === undefined ? undefined : headerOf(headers, name);
  if (value === undefined) throw refused("header", "the request has no assertion");
  return readJson(value, settings.attribute_prefix ?? "");
}

/** Base64 of a JSON object: attributes by name. */
function readJson(value: string, prefix: string): Assertion {
  // Of two headers Node makes one, and of two texts in base64 the first would count, which may be a client's.
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(value)) throw refused("header", "the assertion is no JSON in base64");
  const decoded = Buffer.from(value, "base64").toString();
  if (isNestedTooDeep(decoded))
    throw refused("header", `the assertion is nested deeper than ${MAX_JSON_DEPTH} levels`);
  let json: unknown;
  try {
    json = JSON.parse(decoded);
  } catch (cause) {
    throw new AssertionRefusedError(
      { step: "header", reason: "the assertion is no JSON in base64" },
      { cause: cause instanceof SyntaxError ? undefined : cause },
    );
  }
  if (typeof json !== "object" || json === null || Array.isArray(json))
    throw refused("header", "the assertion is no object");
  return named(
    Object.entries(json).map(([name, text]) => [
      prefix + name,
      typeof text === "string" ? restored(text) : text,
    ]),
  );
}

/**
 * Each header whose name begins so is an attribute, under the name that web servers give headers: `OIDC-Claim-Email` is
 * `HTTP_OIDC_CLAIM_EMAIL`, which mappings written for Keystone know.
 */
function readHeaders(headers: IncomingHttpHeaders, start: string, prefix = "HTTP_"): Assertion {
  const lowered = start.toLowerCase();
  const found = Object.keys(headers).filter((name) => name.startsWith(lowered) && name !== SECRET_HEADER);
  const attributes = new Map<string, string>();
  for (const name of found) {
    const attribute = prefix + name.toUpperCase().replaceAll("-", "_");
    // A front end that replaces one spelling of a header may let the other one through.
    if (attributes.has(attribute)) throw refused("header", "two headers are one attribute");
    attributes.set(attribute, restored(headerOf(headers, name) ?? ""));
  }
  return named([...attributes]);
}

/** Without a prototype: an attribute may have any name. */
function named(entries: readonly (readonly [string, unknown])[]): Assertion {
  return Object.assign(Object.create(null), Object.fromEntries(entries)) as Assertion;
}

function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name.toLowerCase()];
  return Array.isArray(value) ? value.join(",") : value;
}

/** Providers send UTF-8, and web servers read it as Latin-1: undone as Keystone does it, where it can be. */
function restored(text: string): string {
  if (!/^[\0-\xff]*$/.test(text) || !/[\x80-\xff]/.test(text)) return text;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(text, "latin1"));
  } catch {
    return text;
  }
}

function refused(step: string, reason: string): AssertionRefusedError {
  return new AssertionRefusedError({ step, reason });
}
