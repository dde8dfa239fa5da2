/**
 * Assertions in request headers, from a trusted front end: a web server whose module authenticates the users.
 *
 * The front end proves itself by a secret, and only from configured addresses: otherwise every client could assert any user.
 */
import { createHash, timingSafeEqual } from "node:crypto";

import type { Config } from "../../../config-options.js";
import type { Assertion } from "../../../mappings/rules/evaluate-mapping.js";
import { isNestedTooDeep, MAX_JSON_DEPTH } from "../../../platform/text/exact-json.js";
import { quoted } from "../../../platform/text/quoted-value.js";
import type { TrustedProxies } from "../../../platform/trusted-proxies.js";
import {
  asVerified,
  type EnabledProtocol,
  type FederatedRequest,
  type VerifiedAssertion,
} from "../../assertion-verifier.js";
import { AssertionRefusedError } from "../../federation-errors.js";
import type { ForwardedSettings } from "./forwarded-settings.js";

/** The header that carries the front end's secret. */
const SECRET_HEADER = "x-forwarded-assertion-secret";

export interface ForwardingSettings {
  /** The header that carries the assertion where a protocol names no other; `undefined` for none. */
  readonly header: string | undefined;
  readonly secret: string;
  readonly isForwarder: TrustedProxies;
  /** The attribute that carries the remote id where a protocol names no other; `undefined` for none. */
  readonly remoteIdAttribute: string | undefined;
}

export type ForwardedRequest = Pick<FederatedRequest, "rawHeaders" | "peerAddress">;

export interface ForwardedVerifier {
  verify(request: FederatedRequest, protocol: EnabledProtocol<ForwardedSettings>): Promise<VerifiedAssertion>;
  /**
   * The attributes in the service's assertion header.
   *
   * @returns `undefined` without the header.
   * @throws {AssertionRefusedError} A malformed assertion, or the front end is not trusted.
   */
  attributesOf(request: ForwardedRequest): Assertion | undefined;
  /**
   * The remote id in the service's assertion header, for a browser that names no provider.
   *
   * @returns `undefined` without the header.
   * @throws {AssertionRefusedError} The assertion carries no remote id, or the front end is not trusted.
   */
  remoteIdOf(request: ForwardedRequest): string | undefined;
}

/** Forwarded assertions require both a secret and addresses. */
export function forwardingSettings(settings: Config["federation"]): ForwardingSettings | undefined {
  const { forwardedAssertionSecret: secret, isAssertionForwarder: isForwarder } = settings;
  if (secret === undefined || isForwarder === undefined) return undefined;
  const { forwardedAssertionHeader: header, remoteIdAttribute } = settings;
  return { header, secret, isForwarder, remoteIdAttribute };
}

/** @param settings `undefined` if no front end is trusted. */
export function createForwardedVerifier(settings: ForwardingSettings | undefined): ForwardedVerifier {
  function attributesOf(request: ForwardedRequest): Assertion | undefined {
    const header = settings?.header === undefined ? undefined : onlyHeader(request, settings.header);
    if (header === undefined) return undefined;
    requireForwarder(request, settings);
    return readJson(header, "");
  }

  return {
    async verify(request, protocol) {
      const forwarding = requireForwarder(request, settings);
      const attributes = readAttributes(request, protocol, forwarding);
      const name = protocol.remoteIdAttribute ?? forwarding.remoteIdAttribute;
      const remoteId = name === undefined ? undefined : attributes[name];
      return asVerified({
        identityProviderId: protocol.idpId,
        protocolId: protocol.id,
        remoteId: typeof remoteId === "string" ? remoteId : undefined,
        attributes,
        expiresAt: undefined,
        origin: request.origin,
      });
    },
    attributesOf,
    remoteIdOf(request) {
      const attributes = attributesOf(request);
      if (attributes === undefined) return undefined;
      const { remoteIdAttribute = "" } = settings ?? {};
      const remoteId = attributes[remoteIdAttribute];
      if (typeof remoteId === "string") return remoteId;
      const attribute = remoteIdAttribute || "IDENTITY_REMOTE_ID_ATTRIBUTE";
      throw refused("remote-id", `assertion carries no remote id (attribute ${attribute} is missing)`);
    },
  };
}

function requireForwarder(
  request: ForwardedRequest,
  settings: ForwardingSettings | undefined,
): ForwardingSettings {
  if (settings === undefined)
    throw refused("forwarder", "no front end is trusted (IDENTITY_FORWARDED_ASSERTION_SECRET is not set)");
  if (!settings.isForwarder(request.peerAddress))
    throw refused(
      "forwarder",
      `peer address ${quoted(request.peerAddress)} is not among IDENTITY_FORWARDED_ASSERTION_FROM`,
    );
  if (!isSame(onlyHeader(request, SECRET_HEADER) ?? "", settings.secret))
    throw refused("forwarder", `invalid or missing secret in the header ${SECRET_HEADER}`);
  return settings;
}

/** In constant time. */
function isSame(given: string, secret: string): boolean {
  return timingSafeEqual(digest(given), digest(secret));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function readAttributes(
  request: ForwardedRequest,
  { settings }: EnabledProtocol<ForwardedSettings>,
  { header: defaultHeader }: ForwardingSettings,
): Assertion {
  if (settings.header_prefix !== undefined)
    return readHeaders(request, settings.header_prefix, settings.attribute_prefix);
  const name = settings.header ?? defaultHeader;
  const value = name === undefined ? undefined : onlyHeader(request, name);
  if (value === undefined)
    throw refused(
      "header",
      `the request has no header ${name ?? "for assertions (IDENTITY_FORWARDED_ASSERTION_HEADER)"}`,
    );
  return readJson(value, settings.attribute_prefix ?? "");
}

const NOT_JSON = "the assertion is no JSON in base64";

/** Base64 of a JSON object: attributes by name. */
function readJson(value: string, prefix: string): Assertion {
  // The decoder would stop at padding in the middle, and ignore a second assertion.
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(value)) throw refused("header", NOT_JSON);
  const decoded = Buffer.from(value, "base64").toString();
  if (isNestedTooDeep(decoded))
    throw refused("header", `the assertion is nested deeper than ${MAX_JSON_DEPTH} levels`);
  let json: unknown;
  try {
    json = JSON.parse(decoded);
  } catch (cause) {
    throw new AssertionRefusedError(
      { step: "header", reason: NOT_JSON },
      { cause: cause instanceof SyntaxError ? undefined : cause },
    );
  }
  if (typeof json !== "object" || json === null || Array.isArray(json))
    throw refused("header", "the assertion is no JSON object");
  return named(
    Object.entries(json).map(([name, text]) => [
      prefix + name,
      typeof text === "string" ? restored(text) : text,
    ]),
  );
}

/**
 * Each header with the prefix is an attribute, under its CGI name: `OIDC-Claim-Email` is `HTTP_OIDC_CLAIM_EMAIL`, as in mappings
 * written for Keystone. CGI names don't distinguish hyphens from underscores: a front end that replaces one spelling of a header
 * may pass on a client's other one.
 *
 * @throws {AssertionRefusedError} Two headers give one attribute, or a name has an underscore and the prefix has none.
 */
function readHeaders({ rawHeaders }: ForwardedRequest, start: string, prefix = "HTTP_"): Assertion {
  const lowered = start.toLowerCase();
  const attributes = new Map<string, string>();
  const names = new Set<string>();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name = "", value = ""] = [rawHeaders[index]?.toLowerCase(), rawHeaders[index + 1]];
    const spelled = name.replaceAll("-", "_");
    if (!spelled.startsWith(lowered.replaceAll("-", "_")) || name === SECRET_HEADER) continue;
    if (names.has(spelled)) throw refused("header", `duplicate header for the attribute of ${name}`);
    names.add(spelled);
    if (name.includes("_") && !lowered.includes("_"))
      throw refused(
        "header",
        `header ${name} has an underscore, and header_prefix ${quoted(start)} has none`,
      );
    if (name.startsWith(lowered)) attributes.set(prefix + spelled.toUpperCase(), restored(value));
  }
  return named([...attributes]);
}

/** Without a prototype: an attribute may have any name, such as `__proto__`. */
function named(entries: readonly (readonly [string, unknown])[]): Assertion {
  return Object.assign(Object.create(null), Object.fromEntries(entries)) as Assertion;
}

/** @throws {AssertionRefusedError} A duplicate header: one of them may be the client's. */
function onlyHeader({ rawHeaders }: ForwardedRequest, name: string): string | undefined {
  const lowered = name.toLowerCase();
  const values = rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === lowered,
  );
  if (values.length > 1) throw refused("header", `duplicate header ${lowered}: ${values.length} times`);
  return values[0];
}

/** Providers send UTF-8, and web servers read it as Latin-1: reversed as in Keystone, if it is valid UTF-8. */
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
