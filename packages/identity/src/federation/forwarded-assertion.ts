/**
 * What a front end says of a user, in headers: for those who have a web server's module know who users are.
 *
 * It is believed by its secret, and only from addresses that were named. Whoever can send requests here by another way could
 * otherwise be anybody.
 */
import { createHash, timingSafeEqual } from "node:crypto";

import type { Assertion } from "../mappings/rules/evaluate-mapping.js";
import { isNestedTooDeep, MAX_JSON_DEPTH } from "../platform/text/json-depth.js";
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

type ForwardedRequest = Pick<VerifierRequest, "headers" | "rawHeaders" | "peerAddress">;

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
      const attributes = readAttributes(request, protocol, believed);
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
      const header = settings?.header === undefined ? undefined : onlyHeader(request, settings.header);
      if (header === undefined) return undefined;
      const { remoteIdAttribute = "" } = requireForwarder(request, settings);
      const remoteId = readJson(header, "")[remoteIdAttribute];
      if (typeof remoteId === "string") return remoteId;
      throw refused("remote-id", "the assertion does not say whose it is");
    },
  };
}

function requireForwarder(
  request: ForwardedRequest,
  settings: ForwardingSettings | undefined,
): ForwardingSettings {
  if (settings === undefined) throw refused("forwarder", "no front end is configured to be believed");
  if (!settings.isForwarder(request.peerAddress))
    throw refused("forwarder", "the address is none of a front end");
  if (!isSame(onlyHeader(request, SECRET_HEADER) ?? "", settings.secret))
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
  request: ForwardedRequest,
  { settings }: VerifierProtocol<"forwarded">,
  { header: standard }: ForwardingSettings,
): Assertion {
  if (settings.header_prefix !== undefined)
    return readHeaders(request, settings.header_prefix, settings.attribute_prefix);
  const name = settings.header ?? standard;
  const value = name === undefined ? undefined : onlyHeader(request, name);
  if (value === undefined) throw refused("header", "the request has no assertion");
  return readJson(value, settings.attribute_prefix ?? "");
}

/** Base64 of a JSON object: attributes by name. */
function readJson(value: string, prefix: string): Assertion {
  // Of two texts in base64 the first would count.
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
 * `HTTP_OIDC_CLAIM_EMAIL`, which mappings written for Keystone know. Web servers write hyphens and underscores alike: a front
 * end that replaces one spelling of a header may let a client's other one through.
 *
 * @throws {AssertionRefusedError} Two headers are one attribute, or a name has an underscore and the prefix has none.
 */
function readHeaders({ rawHeaders }: ForwardedRequest, start: string, prefix = "HTTP_"): Assertion {
  const lowered = start.toLowerCase();
  const attributes = new Map<string, string>();
  const names = new Set<string>();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name = "", value = ""] = [rawHeaders[index]?.toLowerCase(), rawHeaders[index + 1]];
    const spelled = name.replaceAll("-", "_");
    if (!spelled.startsWith(lowered.replaceAll("-", "_")) || name === SECRET_HEADER) continue;
    if (names.has(spelled)) throw refused("header", `two headers are the attribute of ${name}`);
    names.add(spelled);
    if (name.includes("_") && !lowered.includes("_"))
      throw refused("header", `the name of ${name} has an underscore, and header_prefix has none`);
    if (name.startsWith(lowered)) attributes.set(prefix + spelled.toUpperCase(), restored(value));
  }
  return named([...attributes]);
}

/** Without a prototype: an attribute may have any name. */
function named(entries: readonly (readonly [string, unknown])[]): Assertion {
  return Object.assign(Object.create(null), Object.fromEntries(entries)) as Assertion;
}

/** @throws {AssertionRefusedError} It is there twice: one of them may be a client's. */
function onlyHeader({ rawHeaders }: ForwardedRequest, name: string): string | undefined {
  const lowered = name.toLowerCase();
  const values = rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === lowered,
  );
  if (values.length > 1) throw refused("header", `the header ${lowered} is there ${values.length} times`);
  return values[0];
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
