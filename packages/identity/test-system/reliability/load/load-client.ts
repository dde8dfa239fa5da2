/** An HTTP client that keeps its connections, and returns failures. */
import * as http from "node:http";
import * as https from "node:https";

import type { AdminClient, AdminResponse } from "../admin-client.js";

/** Longer is a hang. */
const PATIENCE_MS = 20_000;

export interface LoadResponse {
  /** 0 where the connection failed, or nothing came in time. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Of the body, or why there is none. */
  readonly text: string;
}

/** What a request carries. */
interface Sent {
  readonly token?: string | undefined;
  readonly subject?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface LoadClient {
  send(method: string, path: string, sent?: Sent): Promise<LoadResponse>;
  ask(method: string, path: string, sent?: Sent): Promise<AdminResponse>;
  close(): void;
}

/** Keeps its connections, sends nothing twice, never throws, and accepts any certificate. */
export function loadClient(url: string): LoadClient {
  const { Agent, request } = url.startsWith("https:") ? https : http;
  // Idle connections are closed before a load balancer does, which would be a race.
  const agent = new Agent({ keepAlive: true, maxSockets: 256, timeout: 30_000, rejectUnauthorized: false });
  const send: LoadClient["send"] = (method, path, { token, subject, headers, body } = {}) =>
    new Promise((resolve) => {
      const fail = (error: Error) => resolve({ status: 0, headers: {}, text: error.message });
      const text = body === undefined ? undefined : JSON.stringify(body);
      const asked = request(url + path, {
        agent,
        method,
        signal: AbortSignal.timeout(PATIENCE_MS),
        headers: {
          ...(token !== undefined && { "x-auth-token": token }),
          ...(subject !== undefined && { "x-subject-token": subject }),
          ...(text !== undefined && {
            "content-type": "application/json",
            "content-length": String(Buffer.byteLength(text)),
          }),
          ...headers,
        },
      });
      asked.once("error", fail);
      asked.once("response", (response) => {
        let received = "";
        response.setEncoding("utf8").on("data", (data: string) => (received += data));
        response.once("error", fail);
        response.once("end", () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text: received }),
        );
      });
      asked.end(text);
    });
  return {
    send,
    async ask(method, path, sent) {
      const { status, headers, text } = await send(method, path, sent);
      const retryAfter = headers["retry-after"];
      return {
        status,
        headers: new Headers(typeof retryAfter === "string" ? { "retry-after": retryAfter } : {}),
        body: parsed(text),
      };
    },
    close: () => agent.destroy(),
  };
}

/** Logs in for the whole system. @throws The login is rejected. */
export async function logInAsAdmin(client: LoadClient, password: string): Promise<AdminClient> {
  const body = passwordLogin(password, { system: { all: true } });
  const { status, headers, text } = await client.send("POST", "/v3/auth/tokens", { body });
  if (status !== 201) throw new Error(`the administrator can't log in: ${status} ${text}`);
  const token = String(headers["x-subject-token"]);
  return { token, ask: (method, path, sent) => client.ask(method, path, { token, body: sent }) };
}

/** The body of the administrator's login. @param scope None if left out. */
export function passwordLogin(password: string, scope?: object): object {
  const user = { name: "admin", domain: { id: "default" }, password };
  const identity = { methods: ["password"], password: { user } };
  return { auth: { identity, ...(scope !== undefined && { scope }) } };
}

/** The page of a load balancer is no JSON. */
function parsed(text: string): unknown {
  try {
    return text === "" ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}
