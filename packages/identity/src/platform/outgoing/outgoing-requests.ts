/**
 * Outgoing HTTP requests to configured URLs, protected against SSRF: HTTPS only, public addresses only, no redirects, limits on
 * time and size.
 *
 * Addresses are checked when the connection is made, so that DNS rebinding can't change the address after the check.
 */
import { lookup as systemLookup, type LookupAddress } from "node:dns";
import { Agent as HttpAgent, request as requestHttp, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";

import { isPublicAddress } from "./public-address.js";

const TIMEOUT_MS = 5000;
const MAX_BYTES = 1 << 20;
const IDLE_MS = 15_000;
/** Statuses of responses without a body. */
const BODILESS = new Set([204, 205, 304]);

/** Exceptions from HTTPS to public addresses. */
export interface OutgoingRules {
  readonly allowsHttp: boolean;
  /** Whether requests to a host may connect to this non-public address. */
  allowsPrivate(address: string, host: string): boolean;
  /** Certificate authorities in PEM, instead of the public ones. */
  readonly authorities?: readonly string[] | undefined;
}

/** The request was not sent, or has no usable response. */
export class OutgoingRequestError extends Error {
  override readonly name: string = "OutgoingRequestError";
  readonly code = "outgoing/failed";
  readonly host: string;

  constructor(host: string, reason: string, options?: ErrorOptions) {
    super(`request to ${host}: ${reason}`, options);
    this.host = host;
  }
}

/** The address is not allowed: no request was sent. */
export class AddressRefusedError extends OutgoingRequestError {
  override readonly name = "AddressRefusedError";
}

export interface OutgoingRequest {
  readonly method: string;
  readonly headers: Headers | Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** A subset of `fetch`. Redirects are returned, not followed. */
export type OutgoingFetch = (url: string, request: OutgoingRequest) => Promise<Response>;

/** `dns.lookup` with `all`. */
export type Lookup = (
  host: string,
  options: { readonly all: true },
  done: (error: Error | null, addresses: readonly LookupAddress[]) => void,
) => void;

/** @param lookup The system's resolver by default. */
export function createOutgoingFetch(rules: OutgoingRules, lookup: Lookup = systemLookup): OutgoingFetch {
  const options = { keepAlive: true, timeout: IDLE_MS, maxFreeSockets: 4 };
  // One pool per set of rules: a kept-alive connection must not be reused under stricter rules.
  const { authorities } = rules;
  const agents = {
    http: new HttpAgent(options),
    https: new HttpsAgent({ ...options, ...(authorities !== undefined && { ca: [...authorities] }) }),
  };

  return async (address, { method, headers, body, signal }) => {
    const url = checkedUrl(address, rules);
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    const sending = {
      method,
      headers: Object.fromEntries(new Headers(headers)),
      lookup: checkedLookup(rules, lookup),
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    };
    try {
      return await new Promise<Response>((resolve, reject) => {
        const request =
          url.protocol === "https:"
            ? requestHttps(url, { ...sending, agent: agents.https })
            : requestHttp(url, { ...sending, agent: agents.http });
        request.on("error", reject);
        request.on("response", (message) => void toResponse(message).then(resolve, reject));
        request.end(bodyText(body));
      });
    } catch (error) {
      if (error instanceof OutgoingRequestError) throw error;
      const reason = timeout.aborted ? `no response within ${TIMEOUT_MS} ms` : "no response";
      throw new OutgoingRequestError(url.host, reason, { cause: error });
    }
  };
}

function checkedUrl(address: string, rules: OutgoingRules): URL {
  if (!URL.canParse(address)) throw new AddressRefusedError("unknown host", "invalid URL");
  const url = new URL(address);
  const host = hostOf(url);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && rules.allowsHttp))
    throw new AddressRefusedError(
      host,
      `${url.protocol} is not allowed, expected https: (for development: IDENTITY_ALLOW_HTTP_ISSUERS)`,
    );
  if (url.username !== "" || url.password !== "")
    throw new AddressRefusedError(host, "credentials in the URL are not allowed");
  // Literal addresses are not resolved.
  if (isIP(host) !== 0) checkAddresses(host, [host], rules);
  return url;
}

function checkedLookup(rules: OutgoingRules, lookup: Lookup): LookupFunction {
  return (host, { all }, done) =>
    lookup(host, { all: true }, (error, found) => {
      if (error !== null) return done(error, "", 0);
      try {
        checkAddresses(
          host,
          found.map(({ address }) => address),
          rules,
        );
      } catch (refusal) {
        return done(refusal as Error, "", 0);
      }
      const [first] = found;
      return all === true || first === undefined
        ? done(null, [...found])
        : done(null, first.address, first.family);
    });
}

/** A name with one non-public address is rejected as a whole. */
function checkAddresses(host: string, addresses: readonly string[], rules: OutgoingRules): void {
  for (const address of addresses)
    if (!isPublicAddress(address) && !rules.allowsPrivate(address, host))
      throw new AddressRefusedError(
        host,
        "its address is not public (private networks: IDENTITY_PROVIDER_NETWORKS)",
      );
}

/** The host of a URL; IPv6 addresses without brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, "$1");
}

async function toResponse(message: IncomingMessage): Promise<Response> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // Leaving the loop closes the connection.
    if (bytes > MAX_BYTES)
      throw new OutgoingRequestError("the provider", `response has more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  const { statusCode: status = 500, headers } = message;
  const pairs = Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string]);
  const body = BODILESS.has(status) ? null : Buffer.concat(chunks);
  return new Response(body, { status, headers: pairs });
}

function bodyText(body: unknown): string | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === "string" || body instanceof URLSearchParams) return body.toString();
  throw new TypeError("request body must be text");
}
