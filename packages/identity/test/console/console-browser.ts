/** A browser at the console of a service in process: it keeps cookies, and sends the headers that the console's pages send. */
import type { App } from "../../src/app.js";
import { ADMIN_PASSWORD } from "../test-app.js";
import { PUBLIC_URL } from "../test-server.js";

export interface ConsoleResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  // JSON of any shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
  /** Values of `Set-Cookie`. */
  readonly cookies: readonly string[];
}

export interface ConsoleRequest {
  readonly body?: object | undefined;
  /** In addition to, or instead of those of a page; `undefined` for none. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

export interface ConsoleBrowser {
  /** Cookies by name. */
  readonly jar: Map<string, string>;
  /** @param path Below `/console/api`; or from the root, with no headers of a page, if it begins with `/console` or `/v3`. */
  ask(method: string, path: string, request?: ConsoleRequest): Promise<ConsoleResponse>;
  signIn(identity?: object, scope?: object): Promise<ConsoleResponse>;
}

export const SYSTEM = { system: { all: true } };

export function passwordOf(name = "admin", password = ADMIN_PASSWORD, domain: object = { id: "default" }) {
  return { methods: ["password"], password: { user: { name, domain, password } } };
}

export function consoleBrowser(app: App, publicUrl = PUBLIC_URL): ConsoleBrowser {
  const jar = new Map<string, string>();
  const { origin } = new URL(publicUrl);

  async function ask(method: string, path: string, { body, headers = {} }: ConsoleRequest = {}) {
    const isOfPage = !/^(?:\/{1,2}(?:console|%63onsole|v3)|http:)/.test(path);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const all: Record<string, string | undefined> = {
      ...(cookie !== "" && { cookie }),
      ...(isOfPage && { "x-console": "1" }),
      ...(isOfPage && method !== "GET" && { origin }),
      ...headers,
    };
    const answer = await app.server.inject({
      method: method as "GET",
      url: isOfPage ? `/console/api${path}` : path,
      headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)),
      ...(body !== undefined && { payload: body }),
    });
    const cookies = [answer.headers["set-cookie"] ?? []].flat();
    for (const each of cookies) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(each) ?? [];
      if (/; Max-Age=0(?:;|$)/.test(each)) jar.delete(name);
      else jar.set(name, value);
    }
    const isJson = String(answer.headers["content-type"]).startsWith("application/json");
    return {
      status: answer.statusCode,
      headers: answer.headers,
      text: answer.body,
      body: isJson && answer.body !== "" ? (JSON.parse(answer.body) as unknown) : undefined,
      cookies,
    };
  }

  return {
    jar,
    ask,
    signIn: (identity = passwordOf(), scope = SYSTEM) =>
      ask("POST", "/session", { body: { auth: { identity, scope } } }),
  };
}
