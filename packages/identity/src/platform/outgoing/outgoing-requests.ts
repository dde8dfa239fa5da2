/**
 * Requests to others whose addresses somebody has told: over HTTPS, to the internet alone, without redirects, within bounds.
 *
 * An address is looked at where the connection is made, so that a name can't be one address when it is checked and another one
 * when it is used.
 */
import { lookup as systemLookup, type LookupAddress } from "node:dns";
import { Agent as HttpAgent, request as requestHttp, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";

import { isPublicAddress } from "./public-address.js";

const TIMEOUT_MS = 5000;
const MAX_BYTES = 1 << 20;
const IDLE_MS = 15_000;
/** Statuses whose answers have no body. */
const BODILESS = new Set([204, 205, 304]);

/** What may be asked beside HTTPS on the internet. */
export interface OutgoingRules {
  readonly allowsHttp: boolean;
  /** Whether an address that is not on the internet may be asked under the name of a host. */
  allowsPrivate(address: string, host: string): boolean;
}

/** Nobody was asked, or there is no answer to make use of. */
export class OutgoingRequestError extends Error {
  override readonly name = "OutgoingRequestError";
  readonly code = "outgoing/failed";
  readonly host: string;

  constructor(host: string, reason: string, options?: ErrorOptions) {
    super(`request to ${host}: ${reason}`, options);
    this.host = host;
  }
}

export interface OutgoingRequest {
  readonly method: string;
  readonly headers: Headers | Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** What `fetch` does, as far as it goes. Redirects are answers. */
export type OutgoingFetch = (url: string, request: OutgoingRequest) => Promise<Response>;

/** Finds the addresses of a name, as `dns.lookup` does when it is asked for all of them. */
export type Lookup = (
  host: string,
  options: { readonly all: true },
  done: (error: Error | null, addresses: readonly LookupAddress[]) => void,
) => void;

/** @param lookup How names are looked up; as the system does it, if left out. */
export function createOutgoingFetch(rules: OutgoingRules, lookup: Lookup = systemLookup): OutgoingFetch {
  const options = { keepAlive: true, timeout: IDLE_MS, maxFreeSockets: 4 };
  // Connections are of these rules alone: others must not come by one that they would not have made.
  const agents = { http: new HttpAgent(options), https: new HttpsAgent(options) };

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
      const reason = timeout.aborted ? `no answer within ${TIMEOUT_MS} ms` : "no answer";
      throw new OutgoingRequestError(url.host, reason, { cause: error });
    }
  };
}

function checkedUrl(address: string, rules: OutgoingRules): URL {
  if (!URL.canParse(address)) throw new OutgoingRequestError("nobody", "its address is no URL");
  const url = new URL(address);
  const host = hostOf(url);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && rules.allowsHttp))
    throw new OutgoingRequestError(host, `${url.protocol} is not allowed`);
  if (url.username !== "" || url.password !== "")
    throw new OutgoingRequestError(host, "its address names a user");
  // Addresses are not looked up.
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

/** All of them: a name with one address inside is not asked at the others either. */
function checkAddresses(host: string, addresses: readonly string[], rules: OutgoingRules): void {
  for (const address of addresses)
    if (!isPublicAddress(address) && !rules.allowsPrivate(address, host))
      throw new OutgoingRequestError(host, "its address is not on the internet");
}

/** The host of a URL, an address of IPv6 without brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, "$1");
}

async function toResponse(message: IncomingMessage): Promise<Response> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // Leaving the loop ends the connection.
    if (bytes > MAX_BYTES)
      throw new OutgoingRequestError("the provider", `its answer has more than ${MAX_BYTES} bytes`);
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
  throw new TypeError("only text is sent");
}
