/** Logging in to the console by a provider, in a browser. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { App } from "../../src/app.js";
import { codeAt, decodeTotpSecret } from "../../src/auth/methods/totp.js";
import { sqliteDatabases } from "../databases.js";
import { createBrowser, type TestBrowser } from "../federation/openid/test-browser.js";
import {
  AUTH_URL,
  CLIENT_ID,
  CLIENT_SECRET,
  startProvider,
  type TestProvider,
} from "../federation/openid/test-provider.js";
import { testReplicas, type TestReplicas } from "../test-app.js";
import { PUBLIC_URL } from "../test-server.js";
import { consoleBrowser, passwordOf, SYSTEM } from "./console-browser.js";

const BEGIN = "/console/api/login/op/openid";
const TOKEN = /gAAAAA[\w-]{20,}/;

let op: TestProvider;
let replicas: TestReplicas;
/** As the administrator, below `/v3/OS-FEDERATION/`. */
let change: (method: "PUT" | "DELETE", path: string, payload?: object) => Promise<number>;
beforeAll(async () => {
  op = await startProvider();
  replicas = await testReplicas(sqliteDatabases, 2, { env: { IDENTITY_ALLOW_HTTP_ISSUERS: "on" } });
  const [app] = replicas.apps as [App];
  const payload = { auth: { identity: passwordOf(), scope: SYSTEM } };
  const login = await app.server.inject({ method: "POST", url: "/v3/auth/tokens", payload });
  const headers = { "x-auth-token": String(login.headers["x-subject-token"]) };
  change = async (method, path, body) => {
    const url = `/v3/OS-FEDERATION/${path}`;
    return (await app.server.inject({ method, url, headers, ...(body && { payload: body }) })).statusCode;
  };
  const put = async (path: string, body: object) => expect(await change("PUT", path, body)).toBe(201);
  const provider = { enabled: true, remote_ids: [op.issuer], description: "<b>Staff</b>" };
  const rules = [{ local: [{ user: { name: "{0}" } }], remote: [{ type: "OIDC-sub" }] }];
  const settings = { type: "openid", issuer: op.issuer, client_id: CLIENT_ID, client_secret: CLIENT_SECRET };
  await put("identity_providers/op", { identity_provider: provider });
  await put("identity_providers/off", { identity_provider: { enabled: false } });
  await put("mappings/openid", { mapping: { rules } });
  await put("identity_providers/op/protocols/openid", { protocol: { mapping_id: "openid", settings } });
  await put("identity_providers/off/protocols/openid", { protocol: { mapping_id: "openid", settings } });
}, 60_000);
afterAll(async () => {
  await replicas.remove();
  await op.close();
});

const app = (replica = 0) => replicas.apps[replica] as App;

interface Visit {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly cookies: readonly string[];
}

/** Goes to an address of the service; cookies are the browser's. */
async function visit(browser: TestBrowser, url: string, replica = 0): Promise<Visit> {
  const full = new URL(url, PUBLIC_URL).href;
  const answer = await app(replica).server.inject({
    url: full.slice(PUBLIC_URL.length),
    headers: { cookie: browser.cookiesFor(full), accept: "text/html" },
  });
  const cookies = [answer.headers["set-cookie"] ?? []].flat();
  browser.keep(full, cookies);
  return { status: answer.statusCode, text: answer.body, headers: answer.headers, cookies };
}

/** Begins a login, and goes through the provider. @returns Where it sends the browser back to. */
async function throughProvider(browser: TestBrowser, begin = BEGIN): Promise<string> {
  const begun = await visit(browser, begin);
  expect([begun.status, begun.cookies]).toEqual([303, []]);
  const step = await visit(browser, String(begun.headers["location"]));
  return (await browser.follow(String(step.headers["location"]), AUTH_URL)).href;
}

/** What the console's pages read with the cookies of a browser. */
function pagesOf(browser: TestBrowser) {
  const pages = consoleBrowser(app());
  for (const pair of browser.cookiesFor(`${PUBLIC_URL}/console/api/session`).split("; ")) {
    const [name = "", value = ""] = pair.split("=");
    if (name !== "") pages.jar.set(name, value);
  }
  return pages;
}

describe(`a login to the console by a provider, on ${sqliteDatabases.name}`, () => {
  it("is offered for enabled providers that log browsers in", async () => {
    const { status, body } = await consoleBrowser(app()).ask("GET", "/providers");
    expect(status).toBe(200);
    expect(body).toEqual({
      has_passkeys: false,
      providers: [{ idp: "op", protocol: "openid", name: "<b>Staff</b>", kind: "openid" }],
    });
  });

  it("is offered as the settings of its protocol say", async () => {
    const icon = `data:image/svg+xml;base64,${Buffer.from("<svg/>").toString("base64")}`;
    const settings = { type: "forwarded", sign_in_label: "Staff", sign_in_order: 1, sign_in_icon: icon };
    const put = (id: string, more: object) =>
      change("PUT", `identity_providers/op/protocols/${id}`, {
        protocol: { mapping_id: "openid", settings: { ...settings, ...more } },
      });
    expect(await put("second", {})).toBe(201);
    expect(await put("third", { sign_in_order: 0 })).toBe(201);
    expect(await put("fourth", { sign_in_hidden: true })).toBe(201);
    expect(await put("fifth", { sign_in_icon: "https://example.org/a.png" })).toBe(400);
    const { body } = await consoleBrowser(app()).ask("GET", "/providers");
    expect(body.providers).toEqual([
      { idp: "op", protocol: "third", name: "Staff (third)", kind: "forwarded", icon },
      { idp: "op", protocol: "second", name: "Staff (second)", kind: "forwarded", icon },
      { idp: "op", protocol: "openid", name: "<b>Staff</b>", kind: "openid" },
    ]);
    for (const id of ["second", "third", "fourth"])
      expect(await change("DELETE", `identity_providers/op/protocols/${id}`)).toBe(204);
  });

  it("begins a session at its callback, without a form and without a token, and goes on to the page", async () => {
    const browser = createBrowser();
    const callback = await throughProvider(
      browser,
      `${BEGIN}?return=${encodeURIComponent("/console/users?q=a#b")}`,
    );
    const back = await visit(browser, callback, 1);
    expect([back.status, back.headers["location"], back.text]).toEqual([
      303,
      `${PUBLIC_URL}/console/users?q=a#b`,
      "",
    ]);
    expect(back.cookies).toEqual([
      expect.stringMatching(/^console=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/),
    ]);
    expect(JSON.stringify(back)).not.toMatch(TOKEN);
    const { status, body } = await pagesOf(browser).ask("GET", "/session");
    expect([status, body.session.user.name]).toEqual([200, "kim"]);
    expect(body.session.token.user["OS-FEDERATION"].identity_provider).toEqual({ id: "op" });
  });

  it("is refused in another browser than the one that began it (stolen login state)", async () => {
    const callback = await throughProvider(createBrowser());
    const victim = createBrowser();
    const { status, cookies, text } = await visit(victim, callback);
    expect([status, cookies]).toEqual([401, []]);
    expect(text).toContain("You are not logged in");
    expect((await pagesOf(victim).ask("GET", "/session")).status).toBe(401);
  });

  it("is refused a second time", async () => {
    const browser = createBrowser();
    const callback = await throughProvider(browser);
    expect((await visit(browser, callback)).status).toBe(303);
    const again = await visit(browser, callback, 1);
    expect([again.status, again.cookies]).toEqual([401, []]);
  });

  it.each([
    "https://evil.example.org/console/",
    "//evil.example.org/console/",
    "/console/api/session",
    "/console/../v3/users",
    "/v3/users",
    "javascript:alert(1)",
    "http://127.0.0.1:5900@evil.example.org/console/",
    "/\\evil.example.org",
    "",
  ])("goes on to the console's first page instead of %s", async (elsewhere) => {
    const { headers } = await visit(createBrowser(), `${BEGIN}?return=${encodeURIComponent(elsewhere)}`);
    const login = new URL(String(headers["location"]));
    expect(login.origin + login.pathname).toBe(
      `${PUBLIC_URL}/v3/auth/OS-FEDERATION/identity_providers/op/protocols/openid/websso`,
    );
    expect(Object.fromEntries(login.searchParams)).toEqual({ origin: `${PUBLIC_URL}/console/` });
  });

  it("begins on the console's own pages: no other site replaces a session", async () => {
    const begun = await visit(createBrowser(), BEGIN);
    const url = String(begun.headers["location"]).slice(PUBLIC_URL.length);
    const statusFrom = async (site: string) => {
      const headers = { "sec-fetch-site": site };
      const { statusCode, headers: answered } = await app().server.inject({ url, headers });
      return [statusCode, "set-cookie" in answered];
    };
    expect(await statusFrom("cross-site")).toEqual([401, false]);
    expect(await statusFrom("same-site")).toEqual([401, false]);
    expect(await statusFrom("same-origin")).toEqual([302, true]);
    expect(await statusFrom("none")).toEqual([302, true]);
  });

  it("asks for the factors that a user's rules demand besides the provider", async () => {
    const kim = await pagesOfLogin();
    const { user } = (await kim.ask("GET", "/session")).body.session as { user: { id: string } };
    const payload = { auth: { identity: passwordOf(), scope: SYSTEM } };
    const login = await app().server.inject({ method: "POST", url: "/v3/auth/tokens", payload });
    const administrate = (method: "PATCH" | "POST", url: string, body: object) =>
      app().server.inject({
        method,
        url,
        headers: { "x-auth-token": String(login.headers["x-subject-token"]) },
        payload: body,
      });
    const rules = (multi_factor_auth_rules: unknown) =>
      administrate("PATCH", `/v3/users/${user.id}`, { user: { options: { multi_factor_auth_rules } } });
    expect((await rules([["openid", "totp"]])).statusCode).toBe(200);
    const refused = async () => {
      // Records are written within a second.
      await new Promise((resolve) => setTimeout(resolve, 1500));
      const url = "/v3/OS-FEDERATION/failed_logins";
      const headers = { "x-auth-token": String(login.headers["x-subject-token"]) };
      return (await app().server.inject({ url, headers })).json().failed_logins as object[];
    };
    const before = await refused();
    const browser = createBrowser();
    const back = await visit(browser, await throughProvider(browser));
    expect([back.status, back.headers["location"]]).toEqual([303, `${PUBLIC_URL}/console/`]);
    expect(JSON.stringify(back)).not.toMatch(TOKEN);
    const unfinished = await pagesOf(browser).ask("GET", "/session");
    expect([
      unfinished.status,
      unfinished.body.required_auth_methods,
      unfinished.body.receipt.methods,
    ]).toEqual([401, [["openid", "totp"]], ["openid"]]);
    expect(await refused()).toEqual(before);
    const blob = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
    await administrate("POST", "/v3/credentials", { credential: { user_id: user.id, type: "totp", blob } });
    const passcode = codeAt(decodeTotpSecret(blob) as Buffer, Math.floor(Date.now() / 30_000));
    const identity = { methods: ["totp"], totp: { user: { id: user.id, passcode } } };
    const finished = await pagesOf(browser).signIn(identity, { unscoped: {} });
    expect([finished.status, finished.body.session?.token.methods]).toEqual([200, ["openid", "totp"]]);
    await rules([]);
  });

  /** The pages of a browser that has logged in. */
  async function pagesOfLogin() {
    const browser = createBrowser();
    await visit(browser, await throughProvider(browser));
    return pagesOf(browser);
  }

  it("hands no token to a page that only looks like one of the console", async () => {
    const websso = "/v3/auth/OS-FEDERATION/identity_providers/op/protocols/openid/websso";
    for (const origin of [
      "https://evil.example.org/console/",
      `${PUBLIC_URL}/consolex`,
      `${PUBLIC_URL}/console/api/x`,
    ]) {
      const { status, cookies } = await visit(
        createBrowser(),
        `${websso}?origin=${encodeURIComponent(origin)}`,
      );
      expect([origin, status, cookies]).toEqual([origin, 401, []]);
    }
  });
});
