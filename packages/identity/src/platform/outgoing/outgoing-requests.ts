/**
 * Outgoing HTTP requests to configured URLs, protected against SSRF: HTTPS only, public addresses only, no redirects, limits on
 * time and size.
 *
 * Addresses are checked when the connection is made, so that DNS rebinding can't change the address after the check.
 */
import { lookup as systemLookup, type LookupAddress } from "node:dns";
import { Agent as HttpAgent, request as requestHttp, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { isIP, BlockList, type LookupFunction } from "node:net";

import { traced, traceHeaders } from "../tracing/tracing.js";

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

/** A response whose body is read by the caller: to its end, or the connection is closed. */
export interface OutgoingStream {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  /** @throws {OutgoingRequestError} */
  readonly body: AsyncIterable<Buffer>;
  /** Allows more time than usual responses have, from now on. */
  extend(ms: number): void;
}

/** @param lookup The system's resolver by default. */
export function createOutgoingFetch(rules: OutgoingRules, lookup: Lookup = systemLookup): OutgoingFetch {
  const send = createSending(rules, lookup);
  return (address, request) =>
    send(address, request, {
      deadline: { ms: TIMEOUT_MS, signal: AbortSignal.timeout(TIMEOUT_MS) },
      read: toResponse,
    });
}

/** GET requests for documents of any size. */
export function createOutgoingDownload(
  rules: OutgoingRules,
  lookup: Lookup = systemLookup,
): (url: string, headers?: Readonly<Record<string, string>>) => Promise<OutgoingStream> {
  const send = createSending(rules, lookup);
  return (address, headers = {}) => {
    const controller = new AbortController();
    const deadline = { ms: TIMEOUT_MS, signal: controller.signal };
    const endAfter = (ms: number) => {
      deadline.ms = ms;
      return setTimeout(() => controller.abort(), ms).unref();
    };
    let timer = endAfter(TIMEOUT_MS);
    const read = async (message: IncomingMessage): Promise<OutgoingStream> => ({
      status: message.statusCode ?? 500,
      headers: message.headers,
      body: bodyOf(message, deadline, new URL(address).host),
      extend(ms) {
        clearTimeout(timer);
        timer = endAfter(ms);
      },
    });
    return send(address, { method: "GET", headers }, { deadline, read });
  };
}

async function* bodyOf(message: IncomingMessage, deadline: Deadline, host: string): AsyncGenerator<Buffer> {
  try {
    yield* message as AsyncIterable<Buffer>;
  } catch (error) {
    throw failureOf(error, deadline, host);
  }
}

/** When a request, and the reading of its response, is given up. */
interface Deadline {
  readonly ms: number;
  readonly signal: AbortSignal;
}

function failureOf(cause: unknown, { ms, signal }: Deadline, host: string): OutgoingRequestError {
  const reason = signal.aborted ? `no response within ${ms} ms` : `no response${causeOf(cause)}`;
  return new OutgoingRequestError(host, reason, { cause });
}

function createSending(rules: OutgoingRules, lookup: Lookup) {
  const options = { keepAlive: true, timeout: IDLE_MS, maxFreeSockets: 4 };
  // One pool per set of rules: a kept-alive connection must not be reused under stricter rules.
  const { authorities } = rules;
  const agents = {
    http: new HttpAgent(options),
    https: new HttpsAgent({ ...options, ...(authorities !== undefined && { ca: [...authorities] }) }),
  };

  async function send<Answer>(
    url: URL,
    { method, headers, body, signal }: OutgoingRequest,
    { deadline, read }: Reading<Answer>,
  ): Promise<Answer> {
    const timeout = deadline.signal;
    const sending = {
      method,
      headers: { ...Object.fromEntries(new Headers(headers)), ...traceHeaders() },
      lookup: checkedLookup(rules, lookup),
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    };
    try {
      return await new Promise<Answer>((resolve, reject) => {
        const request =
          url.protocol === "https:"
            ? requestHttps(url, { ...sending, agent: agents.https })
            : requestHttp(url, { ...sending, agent: agents.http });
        request.on("error", reject);
        request.on("response", (message) => void read(message).then(resolve, reject));
        request.end(bodyText(body));
      });
    } catch (error) {
      if (error instanceof OutgoingRequestError) throw error;
      throw failureOf(error, deadline, url.host);
    }
  }

  return async <Answer>(
    address: string,
    request: OutgoingRequest,
    reading: Reading<Answer>,
  ): Promise<Answer> => {
    const url = checkedUrl(address, rules);
    return traced("request", url.host, () => send(url, request, reading));
  };
}

interface Reading<Answer> {
  readonly deadline: Deadline;
  readonly read: (message: IncomingMessage) => Promise<Answer>;
}

const EXPIRED = ": its TLS certificate has expired";
const OTHER_HOST = ": its TLS certificate names other hosts";
const UNKNOWN_AUTHORITY =
  ": its TLS certificate is not issued by a known authority (public ones, or those of ca_certificates)";
const UNKNOWN_NAME = ": its host name does not resolve";

/** By the codes of Node.js and OpenSSL. */
const CAUSES: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: EXPIRED,
  CERT_NOT_YET_VALID: ": its TLS certificate is not yet valid",
  ERR_TLS_CERT_ALTNAME_INVALID: OTHER_HOST,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  ENOTFOUND: UNKNOWN_NAME,
  EAI_AGAIN: UNKNOWN_NAME,
};

/** In words, with its code; empty for other causes, whose own message says it. */
function causeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const words = Object.hasOwn(CAUSES, code) ? CAUSES[code] : undefined;
  return words === undefined ? "" : `${words} (${code})`;
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
  return responseOf({ status, headers }, Buffer.concat(chunks));
}

/** A response that was read by its parts. */
export function responseOf(
  { status, headers }: Pick<OutgoingStream, "status" | "headers">,
  content: Buffer,
): Response {
  const pairs = Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string]);
  const body = BODILESS.has(status) ? null : new Uint8Array(content);
  const response = new Response(body, { status, headers: pairs });
  contents.set(response, content);
  return response;
}

const contents = new WeakMap<Response, Buffer>();
const MAX_START_BYTES = 8192;

/** The start of the body of a response that {@link createOutgoingFetch} has returned, also where it was read before. */
export function bodyStart(response: Response): string {
  return contents.get(response)?.subarray(0, MAX_START_BYTES).toString() ?? "";
}

function bodyText(body: unknown): string | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === "string" || body instanceof URLSearchParams) return body.toString();
  throw new TypeError("request body must be text");
}

/** Special-purpose networks: https://www.iana.org/assignments/iana-ipv4-special-registry */
const SPECIAL_IPV4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3",
];

/** Global unicast. */
const GLOBAL_IPV6 = ["2000::/3"];
/** Within it: protocol assignments, documentation, 6to4. */
const SPECIAL_IPV6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];

const specialIpv4 = networks("ipv4", SPECIAL_IPV4);
const globalIpv6 = networks("ipv6", GLOBAL_IPV6);
const specialIpv6 = networks("ipv6", SPECIAL_IPV6);

/** Public IP addresses: requests to them can't reach the operator's internal network. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !specialIpv4.check(address, "ipv4");
  return family === 6 && globalIpv6.check(address, "ipv6") && !specialIpv6.check(address, "ipv6");
}

function networks(family: "ipv4" | "ipv6", texts: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of texts) {
    const [address = "", length] = text.split("/");
    list.addSubnet(address, Number(length), family);
  }
  return list;
}
