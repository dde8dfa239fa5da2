/** A client that logs in as the administrator, and returns every response without throwing. */
import { ADMIN_PASSWORD } from "../service-process.js";

/** A response, or a status of 0 without one. */
export interface AdminResponse {
  /** 0 where the connection failed. */
  readonly status: number;
  readonly headers: Headers;
  // JSON of any shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

export interface AdminClient {
  readonly token: string;
  ask(method: string, path: string, body?: unknown): Promise<AdminResponse>;
}

/** How long an answer may take: longer is a hang. */
const PATIENCE_MS = 20_000;

/** Logs in for the whole system. @throws The login is rejected. */
export async function adminClient(url: string): Promise<AdminClient> {
  const { status, headers, body } = await logIn(url, { name: "admin", password: ADMIN_PASSWORD });
  const token = headers.get("x-subject-token");
  if (token === null)
    throw new Error(`the administrator can't log in at ${url}: ${status} ${JSON.stringify(body)}`);
  return { token, ask: (method, path, sent) => ask(url, { method, path, body: sent, token }) };
}

/** A login for the whole system, or for what the user has by default. */
export function logIn(
  url: string,
  { name, password }: { name: string; password: string },
): Promise<AdminResponse> {
  const user = { name, domain: { id: "default" }, password };
  const scope = name === "admin" ? { scope: { system: { all: true } } } : {};
  const body = { auth: { identity: { methods: ["password"], password: { user } }, ...scope } };
  return ask(url, { method: "POST", path: "/v3/auth/tokens", body });
}

/** The status of a token's validation. @param token The caller's. */
export async function validationStatus(
  url: string,
  { token, subject }: { readonly token: string; readonly subject: string },
): Promise<number> {
  const headers = { "x-auth-token": token, "x-subject-token": subject };
  const answer = await fetch(`${url}/v3/auth/tokens`, { headers });
  await answer.body?.cancel();
  return answer.status;
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly token?: string;
}

async function ask(url: string, { method, path, body, token }: Request): Promise<AdminResponse> {
  try {
    const answer = await fetch(url + path, {
      method,
      headers: {
        ...(token === undefined ? {} : { "x-auth-token": token }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const text = await answer.text();
    return {
      status: answer.status,
      headers: answer.headers,
      body: text === "" ? undefined : (JSON.parse(text) as unknown),
    };
  } catch (failure) {
    if (failure instanceof DOMException && failure.name === "TimeoutError")
      throw new Error(`${method} ${path} was not answered within ${PATIENCE_MS} ms`, { cause: failure });
    return { status: 0, headers: new Headers(), body: undefined };
  }
}
