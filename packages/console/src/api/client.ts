/**
 * The identity service's API, with the session's token: `/console/api/v3/...` forwards to `/v3/...`. The browser sends the session's
 * cookie, and no script ever reads a token.
 */
import createClient from "openapi-fetch";

import { CONSOLE_API } from "./base.ts";
import { errorOf, unreachable } from "./errors.ts";
import type { components, operations, paths } from "./generated/identity-api.ts";

export type { components, operations, paths };

/** The service rejects requests without it: a form of another site can't set it. */
const HEADERS = { "X-Console": "1" };

/** @returns Whether to send a request again that was answered 401: the session had expired, and its user has signed in again. */
type Recover = (request: Request) => Promise<boolean>;
let recover: Recover = async () => false;

/** Has a function decide about requests that are answered 401. */
export function recoverSessionBy(decide: Recover): void {
  recover = decide;
}

async function send(request: Request): Promise<Response> {
  // A body can be read once.
  const again = request.clone();
  const response = await fetch(request);
  return response.status === 401 && (await recover(request)) ? fetch(again) : response;
}

/** The typed client of the API: `await ask(api.GET("/v3/users", { params: { query: { name } } }))`. */
export const api = createClient<paths>({
  baseUrl: CONSOLE_API,
  headers: HEADERS,
  credentials: "same-origin",
  fetch: send,
});

interface Asked<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/** The body of a successful response. @throws {ApiError} */
export async function ask<Data>(request: Promise<Asked<Data>>): Promise<Data> {
  let answer: Asked<Data>;
  try {
    answer = await request;
  } catch (error) {
    throw isAbort(error) ? error : unreachable(error);
  }
  const { data, error, response } = answer;
  if (response.ok) return data as Data;
  throw await errorOf(response, error);
}

export interface ConsoleRequest {
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/**
 * A request to a route that the API's document doesn't have: the session, the overview, the audit trail.
 *
 * @param path After `/console/api`, with its query.
 * @throws {ApiError}
 */
export async function askConsole<Data>(path: string, options: ConsoleRequest = {}): Promise<Data> {
  const response = await askRaw(path, options);
  return (response.status === 204 ? undefined : await response.json()) as Data;
}

/** The text of a response, such as an exported file. @throws {ApiError} */
export async function askText(path: string): Promise<string> {
  return (await askRaw(path, {})).text();
}

async function askRaw(path: string, { method = "GET", body, signal }: ConsoleRequest): Promise<Response> {
  let response: Response;
  try {
    const request = new Request(CONSOLE_API + path, {
      method,
      credentials: "same-origin",
      headers: body === undefined ? HEADERS : { ...HEADERS, "Content-Type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    // Those of the session itself answer 401 without one.
    response = await (path.startsWith("/session") ? fetch(request) : send(request));
  } catch (error) {
    throw isAbort(error) ? error : unreachable(error);
  }
  if (!response.ok) throw await errorOf(response);
  return response;
}

/** Whether a request was given up by the page itself. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
