/** The HTTP response to an error: its status, and the message in Keystone's envelope. */
import { isPassing, ServiceError, type ErrorKind, type UnauthorizedError } from "../../errors.js";

/** Status and title of each kind. */
const TITLES: Readonly<Record<ErrorKind, Title>> = {
  invalid: { status: 400, title: "Bad Request" },
  unauthorized: { status: 401, title: "Unauthorized" },
  forbidden: { status: 403, title: "Forbidden" },
  "not-found": { status: 404, title: "Not Found" },
  conflict: { status: 409, title: "Conflict" },
  gone: { status: 410, title: "Gone" },
  "too-large": { status: 413, title: "Request Entity Too Large" },
  "too-many": { status: 429, title: "Too Many Requests" },
  unavailable: { status: 503, title: "Service Unavailable" },
};

const UNEXPECTED: Title = { status: 500, title: "Internal Server Error" };

interface Title {
  readonly status: number;
  readonly title: string;
}

/** The message of rejected logins and tokens. */
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
 * The response to an error. It gives no reason for unexpected errors and for rejected logins.
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
