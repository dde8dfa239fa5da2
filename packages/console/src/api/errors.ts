/** Errors of the API, as pages show them. */

/** A request failed. `status` is 0 if there was no response. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  /** The service's name of the request, for its log; absent without a response. */
  readonly requestId: string | undefined;
  /** The members of the error body in addition to `error`, such as the receipt of a login. */
  readonly body: Readonly<Record<string, unknown>>;

  constructor(
    message: string,
    facts: Partial<Pick<ApiError, "status" | "requestId" | "body" | "cause">> = {},
  ) {
    super(message, { cause: facts.cause });
    this.status = facts.status ?? 0;
    this.requestId = facts.requestId;
    this.body = facts.body ?? {};
  }
}

/** Reads the error that a response carries: `{ "error": { "code", "message", "title" } }`. */
export async function errorOf(response: Response, body?: unknown): Promise<ApiError> {
  const parsed = body ?? (await jsonOf(response));
  const { error, ...rest } = isRecord(parsed) ? parsed : {};
  const said = isRecord(error) && typeof error["message"] === "string" ? error["message"] : undefined;
  return new ApiError(said ?? `the service answered ${response.status} ${response.statusText}`.trim(), {
    status: response.status,
    requestId: response.headers.get("x-openstack-request-id") ?? undefined,
    body: rest,
  });
}

/** The error that stands for a request without a response. */
export function unreachable(cause: unknown): ApiError {
  return new ApiError("the service could not be reached; check the connection and try again", { cause });
}

/** What to show of any error: its message, without the class's name. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function jsonOf(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
