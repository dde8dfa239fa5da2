/** The HTTP response to an error: its status, and the message in Keystone's envelope. */
import type { Socket } from "node:net";

import type { FastifyReply, FastifyRequest, FastifyInstance } from "fastify";

import {
  isPassing,
  ServiceError,
  InvalidError,
  NotFoundError,
  TooLargeError,
  type ErrorKind,
  type UnauthorizedError,
} from "../errors.js";
import type { Links } from "./links.js";
import { ContentTypeError, JsonError } from "./request-body.js";
import { pathOfTarget } from "./request-target.js";

/** Status and title of each kind. */
const TITLES: Readonly<Record<ErrorKind, Title>> = {
  invalid: { status: 400, title: "Bad Request" },
  unauthorized: { status: 401, title: "Unauthorized" },
  forbidden: { status: 403, title: "Forbidden" },
  "not-found": { status: 404, title: "Not Found" },
  conflict: { status: 409, title: "Conflict" },
  gone: { status: 410, title: "Gone" },
  precondition: { status: 412, title: "Precondition Failed" },
  "too-large": { status: 413, title: "Request Entity Too Large" },
  "too-many": { status: 429, title: "Too Many Requests" },
  unavailable: { status: 503, title: "Service Unavailable" },
};

const UNEXPECTED: Title = { status: 500, title: "Internal Server Error" };

interface Title {
  readonly status: number;
  readonly title: string;
}

/** The message of failed logins and tokens. */
const HIDDEN = "The request you have made requires authentication.";

export interface ErrorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Keystone's envelope, unless the error has a body of its own. */
  readonly body: ErrorBody | object;
}

/** Keystone's envelope. */
export interface ErrorBody {
  readonly error: { readonly code: number; readonly message: string; readonly title: string };
}

/**
 * The response to an error. It gives no reason for unexpected errors and for failed logins.
 *
 * @param options.publicUrl The service's public URL, without a slash at the end.
 */
export function toErrorResponse(
  failure: unknown,
  { publicUrl }: { readonly publicUrl: string },
): ErrorResponse {
  if (!(failure instanceof ServiceError))
    return response(UNEXPECTED, "An unexpected error prevented the server from fulfilling your request.");
  const title = TITLES[failure.kind];
  if (failure.kind === "unauthorized") {
    const { isShown, members, response: own } = failure as UnauthorizedError;
    if (own !== undefined) return { status: title.status, ...own };
    return response(title, isShown ? failure.message : HIDDEN, {
      headers: { "www-authenticate": `Keystone uri="${publicUrl}/v3"` },
      ...(isShown && { members }),
    });
  }
  const headers = isPassing(failure) ? { "retry-after": String(failure.retryAfterSeconds) } : {};
  return response(title, failure.message, { headers });
}

interface ResponseParts {
  readonly headers?: Readonly<Record<string, string>>;
  readonly members?: Readonly<Record<string, unknown>>;
}

function response(
  { status, title }: Title,
  message: string,
  { headers = {}, members = {} }: ResponseParts = {},
): ErrorResponse {
  return { status, headers, body: { error: { code: status, ...members, message, title } } };
}

/** A {@link ServiceError} for an error that the client caused; other errors are unchanged. */
export function toServiceError(failure: unknown): unknown {
  if (failure instanceof ServiceError || !(failure instanceof Error)) return failure;
  const { code, statusCode } = failure as Error & { readonly code?: unknown; readonly statusCode?: unknown };
  const options = { cause: failure };
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE") return new TooLargeError("Request is too large.", options);
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") return new ContentTypeError(options);
  if (code === "FST_ERR_CTP_INVALID_CONTENT_LENGTH") return new JsonError(options);
  if (code === "FST_ERR_BAD_URL")
    return new InvalidError("The URL has an invalid percent-encoding.", options);
  if (statusCode === 404 || statusCode === 414)
    return new NotFoundError("Could not find the resource.", options);
  return typeof statusCode === "number" && statusCode >= 400 && statusCode < 500
    ? new InvalidError("The request is malformed.", options)
    : failure;
}

/** Responds to requests without a route: OPTIONS, wrong methods, doubled slashes and unknown paths. */
export function answerUnmatched(
  { method, url }: FastifyRequest,
  reply: FastifyReply,
  { allowedMethods, links }: { readonly allowedMethods: AllowedMethods; readonly links: Links },
): FastifyReply {
  const path = pathOfTarget(url);
  const methods = allowedMethods(path);
  if (methods.length > 0) {
    reply.header("allow", methods.join(", "));
    // The content type of an empty response in Keystone.
    if (method === "OPTIONS") return reply.type("text/html; charset=utf-8").send("");
    return reply.code(405).send({ message: "The method is not allowed for the requested URL." });
  }
  const merged = path.replaceAll(/\/{2,}/g, "/");
  if (merged !== path && allowedMethods(merged).length > 0)
    return reply.redirect(links.to(merged + url.slice(path.length)), 308);
  throw new NotFoundError("Could not find the resource. The requested URL was not found on the server.");
}

interface Refusal {
  readonly status: number;
  readonly title: string;
  readonly message: string;
}

const NO_HTTP: Refusal = { status: 400, title: "Bad Request", message: "The request is not valid HTTP." };
/** By the code of Node's error. */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    title: "Request Timeout",
    message: "The request was not complete in time.",
  },
  HPE_HEADER_OVERFLOW: {
    status: 431,
    title: "Request Header Fields Too Large",
    message: "The request headers are too large.",
  },
  HPE_INVALID_METHOD: { ...NO_HTTP, message: "The request method is unknown." },
};

/** Responds in Keystone's envelope and closes the connection, in which the next request can't be found. */
export function answerUnreadable(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, title, message } = REFUSALS[error.code ?? ""] ?? NO_HTTP;
  const body = JSON.stringify({ error: { code: status, message, title } });
  const headers = [
    `HTTP/1.1 ${status} ${title}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  socket.end(`${headers.join("\r\n")}\r\n\r\n${body}`);
}

/** @returns The methods of the routes that match a path without its query; none for an unknown path. */
type AllowedMethods = (path: string) => readonly string[];

/** Watches the routes that are added from now on. */
export function watchMethods(server: FastifyInstance): AllowedMethods {
  const routes = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>();
  server.addHook("onRoute", ({ url, method }) => {
    const { methods } = routes.get(url) ?? addRoute(url);
    for (const name of [method].flat()) methods.add(name);
  });

  function addRoute(url: string) {
    const route = { pattern: patternOf(url), methods: new Set<string>() };
    routes.set(url, route);
    return route;
  }

  return (path) => {
    const found = new Set<string>();
    for (const { pattern, methods } of routes.values()) {
      if (pattern.test(path)) for (const name of methods) found.add(name);
    }
    return found.size === 0 ? [] : [...found, "OPTIONS"].toSorted();
  };
}

/** `/v3/regions/:region_id` matches `/v3/regions/one` and `/v3/regions/one/`. */
function patternOf(url: string): RegExp {
  const path = url.replace(/\/$/, "").replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}/?$`);
}
