/** The HTTP response to an error: its status, and the message in Keystone's envelope. */
import type { Socket } from "node:net";

import {
  isPassing,
  ServiceError,
  InvalidError,
  NotFoundError,
  TooLargeError,
  type ErrorKind,
  type UnauthorizedError,
} from "../errors.js";
import { ContentTypeError, JsonError } from "./body-parsing.js";

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
