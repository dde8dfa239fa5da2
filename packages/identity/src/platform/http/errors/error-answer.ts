/** What a failure looks like in HTTP: its status, and Keystone's envelope around the message. */
import { isPassing, ServiceError, type ErrorKind, type UnauthorizedError } from "../../errors.js";

/** Status and title of each kind. */
const ANSWERS: Readonly<Record<ErrorKind, Title>> = {
  invalid: { status: 400, title: "Bad Request" },
  unauthorized: { status: 401, title: "Unauthorized" },
  forbidden: { status: 403, title: "Forbidden" },
  "not-found": { status: 404, title: "Not Found" },
  conflict: { status: 409, title: "Conflict" },
  "too-large": { status: 413, title: "Request Entity Too Large" },
  "too-many": { status: 429, title: "Too Many Requests" },
  unavailable: { status: 503, title: "Service Unavailable" },
};

const UNEXPECTED: Title = { status: 500, title: "Internal Server Error" };

interface Title {
  readonly status: number;
  readonly title: string;
}

/** What those are told who are not let in. */
const HIDDEN = "The request you have made requires authentication.";

/** A failure as it is sent. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Keystone's envelope, unless the failure brings a body of its own. */
  readonly body: ErrorBody | object;
}

/** Keystone's envelope. */
export interface ErrorBody {
  readonly error: { readonly code: number; readonly message: string; readonly title: string };
}

/**
 * The answer to a failure. One that nobody foresaw is told without its reason, and so is why somebody was not let in.
 *
 * @param options.publicUrl Where the service is reached from outside, without a slash at the end.
 */
export function toErrorAnswer(failure: unknown, { publicUrl }: { readonly publicUrl: string }): ErrorAnswer {
  if (!(failure instanceof ServiceError))
    return answer(UNEXPECTED, "An unexpected error prevented the server from fulfilling your request.");
  const title = ANSWERS[failure.kind];
  if (failure.kind === "unauthorized") {
    const { isShown, members, response } = failure as UnauthorizedError;
    if (response !== undefined) return { status: title.status, ...response };
    return answer(title, isShown ? failure.message : HIDDEN, {
      headers: { "www-authenticate": `Keystone uri="${publicUrl}/v3"` },
      ...(isShown && { members }),
    });
  }
  const headers = isPassing(failure) ? { "retry-after": String(failure.retryAfterSeconds) } : {};
  return answer(title, failure.message, { headers });
}

interface AnswerParts {
  readonly headers?: Readonly<Record<string, string>>;
  readonly members?: Readonly<Record<string, unknown>>;
}

function answer(
  { status, title }: Title,
  message: string,
  { headers = {}, members = {} }: AnswerParts = {},
): ErrorAnswer {
  return { status, headers, body: { error: { code: status, ...members, message, title } } };
}
