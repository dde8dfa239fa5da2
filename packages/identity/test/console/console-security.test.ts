/** What attackers try at the console: forged requests, planted and stolen sessions, readers of the database, frames. */
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { App } from "../../src/app.js";
import { signatureV2 } from "../../src/credentials/signatures/ec2-signature.js";
import { createPendingLogins } from "../../src/federation/browser/pending-logins.js";
import { systemClock } from "../../src/platform/clock.js";
import { toMasterKey } from "../../src/platform/secrets/sealing.js";
import { sqliteDatabases } from "../databases.js";
import { testReplicas, type TestReplicas } from "../test-app.js";
import { PUBLIC_URL } from "../test-server.js";
import {
  consoleBrowser,
  passwordOf,
  SYSTEM,
  type ConsoleBrowser,
  type ConsoleResponse,
} from "./console-browser.js";

/** The beginning of every Fernet token: version 128 and the time until 2106, in base64url. */
const TOKEN = /gAAAAA[\w-]{20,}/;
const PAGE = { "x-console": "1", origin: PUBLIC_URL };
const OTHER = "https://evil.example.org";

let replicas: TestReplicas;
let app: App;
beforeAll(async () => {
  replicas = await testReplicas(sqliteDatabases, 1, {
    env: { IDENTITY_CORS_ORIGINS: `${OTHER},${PUBLIC_URL}`, IDENTITY_RATE_LIMIT: "on" },
  });
  app = replicas.apps[0] as App;
}, 60_000);
afterAll(() => replicas.remove());

async function signedIn(): Promise<ConsoleBrowser> {
  const browser = consoleBrowser(app);
  expect((await browser.signIn()).status).toBe(200);
  return browser;
}

const everythingOf = ({ headers, text }: ConsoleResponse) => {
  const { "set-cookie": _, ...others } = headers;
  return JSON.stringify(others) + text;
};

/** All rows of all tables, but for the replica's own: its heartbeat writes one every few seconds. */
async function dump(): Promise<string> {
  const tables = app.database.tables();
  const names =
    app.database.kind === "sqlite"
      ? sql<{ name: string }>`select name from sqlite_master where type = 'table'`
      : sql<{ name: string }>`select table_name as name from information_schema.tables
          where table_schema = current_schema()`;
  const rows: unknown[] = [];
  for (const { name } of (await names.execute(tables)).rows.filter((table) => table.name !== "replica"))
    rows.push(
      name,
      ...(await sql<object>`select * from ${sql.table(name)}`.execute(tables)).rows.map(asText),
    );
  return rows.join("\n");
}

const asText = (row: object): string =>
  Object.values(row)
    .map((value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : String(value),
    )
    .join(" ");

describe(`the console on ${sqliteDatabases.name}`, () => {
  it("gives its pages no token, in any answer", async () => {
    const browser = consoleBrowser(app);
    const rescoped = { body: { scope: "unscoped" } };
    const answers = [
      await browser.signIn(),
      await browser.ask("GET", "/session"),
      await browser.ask("PUT", "/session/scope", rescoped),
      await browser.ask("PUT", "/session/scope", { body: { scope: SYSTEM } }),
      await browser.ask("GET", "/console/api/v3/users", { headers: PAGE }),
      await browser.ask("GET", "/console/api/v3/auth/projects", { headers: PAGE }),
      await browser.ask("GET", "/providers"),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 200]);
    for (const answer of answers) expect(everythingOf(answer)).not.toMatch(TOKEN);
    for (const answer of answers) expect(answer.headers).not.toHaveProperty("x-subject-token");
    // The test finds what it looks for where there is one, and the cookie is none.
    const payload = { auth: { identity: passwordOf(), scope: SYSTEM } };
    const login = await app.server.inject({ method: "POST", url: "/v3/auth/tokens", payload });
    expect(JSON.stringify(login.headers)).toMatch(TOKEN);
    expect(answers[0]?.cookies.join()).not.toMatch(TOKEN);
    expect(browser.jar.get("console")).toMatch(/^[\w-]{43}$/);
  });

  it("forwards nothing that logs in, logs out or returns a token", async () => {
    const browser = await signedIn();
    const auth = { auth: { identity: passwordOf(), scope: SYSTEM } };
    const federation = "/v3/OS-FEDERATION/identity_providers/idp/protocols/openid";
    for (const [method, path, body] of [
      ["POST", "/v3/auth/tokens", auth],
      ["GET", "/v3/auth/tokens", undefined],
      ["HEAD", "/v3/auth/tokens", undefined],
      ["DELETE", "/v3/auth/tokens", undefined],
      ["POST", "/v3/OS-OAUTH2/token", {}],
      ["POST", "/v3/OS-OAUTH1/access_token", {}],
      ["POST", "/v3/auth/OS-FEDERATION/saml2", {}],
      ["GET", `${federation}/auth`, undefined],
      ["POST", `${federation}/logout`, {}],
      ["GET", "/v3/auth/OS-FEDERATION/websso/openid?origin=x", undefined],
    ] as const) {
      const answer = await browser.ask(method, `/console/api${path}`, { headers: PAGE, body });
      expect([method, path, answer.status]).toEqual([method, path, 404]);
      expect(everythingOf(answer) + answer.cookies.join()).not.toMatch(TOKEN);
    }
  });

  it("leaves out the header with the token of a signed request", async () => {
    const browser = await signedIn();
    const { body } = await browser.ask("GET", "/session");
    const { id: user } = body.session.user as { id: string };
    const { body: found } = await browser.ask("GET", "/console/api/v3/auth/projects", { headers: PAGE });
    const key = await browser.ask("POST", `/console/api/v3/users/${user}/credentials/OS-EC2`, {
      headers: PAGE,
      body: { tenant_id: found.projects[0].id as string },
    });
    const { access, secret } = key.body.credential as { access: string; secret: string };
    const request = { verb: "GET", host: "nova.example.com", path: "/" };
    const params = { AWSAccessKeyId: access, SignatureVersion: "2", Timestamp: new Date().toISOString() };
    const signature = signatureV2({ ...request, parameters: new Map(Object.entries(params)) }, secret);
    const credentials = { access, signature, ...request, params, headers: {} };
    const signed = await browser.ask("POST", "/console/api/v3/ec2tokens", {
      headers: PAGE,
      body: { credentials },
    });
    expect([signed.status, signed.body.token.user.id]).toEqual([200, user]);
    expect(everythingOf(signed)).not.toMatch(TOKEN);
  });

  it("uses no credentials that a page sends", async () => {
    const payload = { auth: { identity: passwordOf(), scope: SYSTEM } };
    const login = await app.server.inject({ method: "POST", url: "/v3/auth/tokens", payload });
    const token = String(login.headers["x-subject-token"]);
    const browser = consoleBrowser(app);
    const headers = { ...PAGE, "x-auth-token": token };
    expect((await browser.ask("GET", "/console/api/v3/users", { headers })).status).toBe(401);
    expect((await browser.ask("GET", "/session", { headers })).status).toBe(401);
    expect((await app.server.inject({ url: "/v3/users", headers })).statusCode).toBe(200);
  });

  it("keeps the token sealed: a dump of the database has neither it nor the cookie", async () => {
    const browser = await signedIn();
    const secret = browser.jar.get("console") ?? "";
    const masterKey = toMasterKey(Buffer.alloc(32, 7));
    const pendingLogins = createPendingLogins({ database: app.database, clock: systemClock, masterKey });
    const { rows } = await sql<{ sealed: string }>`select sealed from console_session`.execute(
      app.database.tables(),
    );
    const opened = rows.map(({ sealed }) => pendingLogins.unseal("console", secret, sealed));
    const { text } = opened.find((each) => each !== undefined) as { text: string };
    // It is the token, and it works.
    expect(
      (await app.server.inject({ url: "/v3/users", headers: { "x-auth-token": text } })).statusCode,
    ).toBe(200);
    const dumped = await dump();
    expect(dumped).toContain("console_session");
    expect(dumped).not.toContain(text);
    expect(dumped).not.toContain(text.slice(0, 60));
    expect(dumped).not.toContain(secret);
    // Without the cookie, the master key opens nothing.
    const others = rows.map(({ sealed }) => pendingLogins.unseal("console", "A".repeat(43), sealed));
    expect(others.filter((each) => each !== undefined)).toEqual([]);
  });

  it("has a cookie that scripts don't see, and that other sites don't use", async () => {
    const { cookies } = await consoleBrowser(app).signIn();
    expect(cookies).toHaveLength(1);
    expect(cookies[0]).toMatch(
      /^console=[\w-]{43}; Path=\/; Max-Age=(?:3600|359\d); HttpOnly; SameSite=Lax$/,
    );
  });

  it("answers /v3 with the cookie as without it: 401", async () => {
    const browser = await signedIn();
    for (const [method, url] of [
      ["GET", "/v3/users"],
      ["GET", "/v3/auth/projects"],
      ["DELETE", "/v3/regions/none"],
      ["GET", "/v3/auth/tokens"],
    ] as const) {
      const { status } = await browser.ask(method, url, { headers: PAGE });
      expect([url, status]).toEqual([url, 401]);
    }
  });

  describe("refuses a forged request (CSRF), which changes nothing:", () => {
    const forged = [
      ["of another origin", { origin: OTHER }],
      ["of the same host at another port", { origin: "http://127.0.0.1:5901" }],
      ["of another scheme", { origin: "https://127.0.0.1:5900" }],
      ["of a sandboxed page", { origin: "null" }],
      ["without an origin", { origin: undefined }],
      ["without the header that only a page of the console can send", { "x-console": undefined }],
      ["with another value of it", { "x-console": "0" }],
      ["that the browser says comes from another site", { "sec-fetch-site": "cross-site" }],
      ["that the browser says comes from another host of the site", { "sec-fetch-site": "same-site" }],
    ] as const;

    it.each(forged)("%s", async (_, headers) => {
      const browser = await signedIn();
      const before = (await browser.ask("GET", "/session")).body;
      const region = { region: { id: "forged" } };
      for (const [method, path, body] of [
        ["POST", "/console/api/session", { auth: { identity: passwordOf() } }],
        ["PUT", "/console/api/session/scope", { scope: "unscoped" }],
        ["DELETE", "/console/api/session", undefined],
        ["POST", "/console/api/allowed", { checks: [] }],
        ["POST", "/console/api/v3/regions", region],
        ["DELETE", "/console/api/v3/regions/forged", undefined],
      ] as const) {
        const answer = await browser.ask(method, path, { headers: { ...PAGE, ...headers }, body });
        expect([path, answer.status, answer.cookies]).toEqual([path, 403, []]);
      }
      expect((await browser.ask("GET", "/session")).body).toEqual(before);
      const { body } = await browser.ask("GET", "/console/api/v3/regions", { headers: PAGE });
      expect(body.regions.map(({ id }: { id: string }) => id)).toEqual(["RegionOne"]);
    });

    it("as a form, whose content type needs no permission", async () => {
      const browser = await signedIn();
      for (const type of [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
      ]) {
        const headers = { origin: OTHER, "content-type": type };
        const body = Buffer.from('{"scope":"unscoped"}');
        expect((await browser.ask("PUT", "/console/api/session/scope", { headers, body })).status).toBe(403);
        const own = { ...PAGE, "content-type": type };
        expect((await browser.ask("PUT", "/console/api/session/scope", { headers: own, body })).status).toBe(
          400,
        );
      }
    });

    it("under another spelling of the path", async () => {
      const browser = await signedIn();
      for (const path of [
        "/console/%61pi/session",
        "http://127.0.0.1:5900/console/api/session",
        "/console/api/session/",
        "/console/api/session?x=1",
      ]) {
        const answer = await browser.ask("DELETE", path, { headers: { origin: OTHER } });
        expect([path, answer.status]).toEqual([path, 403]);
      }
      for (const path of [
        "/%63onsole/api/session",
        "//console/api/session",
        "/console//api/session",
        "/console/api/../api/session",
      ])
        expect(
          (await browser.ask("DELETE", path, { headers: { origin: OTHER } })).status,
        ).toBeGreaterThanOrEqual(300);
      expect((await browser.ask("GET", "/session")).status).toBe(200);
    });
  });

  it("reads nothing for a page of another origin, and changes nothing by GET", async () => {
    const browser = await signedIn();
    const sessions = await dump();
    for (const path of ["/console/api/session", "/console/api/providers", "/console/api/v3/users"])
      for (const headers of [
        {},
        { "x-console": "1", origin: OTHER },
        { "x-console": "1", "sec-fetch-site": "cross-site" },
      ])
        expect([path, (await browser.ask("GET", path, { headers })).status]).toEqual([path, 403]);
    const login = await browser.ask("GET", "/console/api/login/idp/openid?return=/console/users");
    expect([login.status, login.cookies]).toEqual([303, []]);
    await browser.ask("GET", "/console");
    expect(await dump()).toBe(sessions);
  });

  it("lets no other origin read by CORS, not even one that the API allows", async () => {
    const browser = await signedIn();
    const preflight = {
      origin: OTHER,
      "access-control-request-method": "POST",
      "access-control-request-headers": "x-console",
    };
    for (const path of [
      "/console",
      "/console/",
      "/console/api/session",
      "/console/api/v3/users",
      "/console/api/v3/users?x",
      "/consol%65/api/session",
      "/consol%65/api/v3/users",
      "/%63onsole",
      "http://evil.example/consol%65/ap%69/v3/users",
    ])
      for (const [method, headers] of [
        ["OPTIONS", preflight],
        ["GET", { ...PAGE, origin: OTHER }],
      ] as const) {
        const answer = await browser.ask(method, path, { headers });
        expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control-"))).toEqual([]);
      }
    const { headers } = await app.server.inject({ url: "/v3", headers: { origin: OTHER } });
    expect(headers["access-control-allow-origin"]).toBe(OTHER);
    // Nor does the API itself allow the header of the console's pages.
    const asked = await app.server.inject({ method: "OPTIONS", url: "/v3/users", headers: preflight });
    expect(String(asked.headers["access-control-allow-headers"]).toLowerCase()).not.toContain("x-console");
    expect(asked.headers).not.toHaveProperty("access-control-allow-credentials");
  });

  it("begins each session with a new cookie: a planted one stays worthless (session fixation)", async () => {
    const planted = "A".repeat(43);
    const victim = consoleBrowser(app);
    victim.jar.set("console", planted);
    await victim.signIn();
    expect(victim.jar.get("console")).not.toBe(planted);
    const attacker = consoleBrowser(app);
    attacker.jar.set("console", planted);
    expect((await attacker.ask("GET", "/session")).status).toBe(401);
    // Nor does the cookie of an earlier session in the same browser work after another login.
    const first = victim.jar.get("console") ?? "";
    await victim.signIn();
    attacker.jar.set("console", first);
    expect((await attacker.ask("GET", "/session")).status).toBe(401);
    expect((await victim.ask("GET", "/session")).status).toBe(200);
  });

  it("takes no cookie that is not one of its own", async () => {
    const browser = await signedIn();
    const { jar } = consoleBrowser(app);
    expect(jar.size).toBe(0);
    const secret = browser.jar.get("console") ?? "";
    for (const value of ["", "a", `${secret}A`, secret.slice(1), `${secret.slice(0, -1)}%`, `"${secret}"`]) {
      browser.jar.set("console", value);
      expect((await browser.ask("GET", "/session")).status).toBe(401);
    }
  });

  it("limits logins like the API does", async () => {
    const browser = consoleBrowser(app);
    const identity = passwordOf("nobody", "wrong");
    const statuses = [];
    for (let count = 0; count < 12; count++) statuses.push((await browser.signIn(identity)).status);
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429]);
    const payload = { auth: { identity } };
    expect((await app.server.inject({ method: "POST", url: "/v3/auth/tokens", payload })).statusCode).toBe(
      429,
    );
  });

  it("leaves the rules of the API to the API: a member changes nothing", async () => {
    const browser = await signedIn();
    await browser.ask("PUT", "/session/scope", { body: { scope: "unscoped" } });
    const body = { region: { id: "denied" } };
    const { status } = await browser.ask("POST", "/console/api/v3/regions", { headers: PAGE, body });
    expect(status).toBe(403);
  });
});
