import { createHash } from "node:crypto";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../../databases.js";
import { DASHBOARD, loginServer, asserted, type LoginServer } from "../login-server.js";

const WEBSSO = "/v3/auth/OS-FEDERATION";
const BY_PROVIDER = `${WEBSSO}/identity_providers/idp/protocols/mapped/websso`;

describe(`WebSSO on ${sqliteDatabases.name}`, () => {
  let service: LoginServer;
  beforeAll(async () => {
    service = await loginServer(sqliteDatabases);
  });
  afterAll(() => service.close());

  const origin = (text: string) => `?origin=${encodeURIComponent(text)}`;

  it.each([`${WEBSSO}/websso/mapped`, BY_PROVIDER])("posts a token to the dashboard from %s", async (url) => {
    const { status, headers, text } = await service.login(asserted("ann"), url + origin(DASHBOARD));
    expect([status, headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    expect(headers).not.toHaveProperty("x-subject-token");
    expect(text).toContain('action="https://dash.example.org/auth/websso/?a=1&amp;b=2" method="post"');
    const token = /name="token" id="token" value="([\w-]+)"/.exec(text)?.[1] ?? "";
    const check = await service.ask("GET", "/v3/auth/tokens", { headers: { "x-subject-token": token } });
    expect(check.body.token.user.name).toBe("ann");
  });

  it("allows the browser that one script, and the form to that address only", async () => {
    const { headers, text } = await service.login(asserted("ann"), BY_PROVIDER + origin(DASHBOARD));
    const script = /<script[^>]*>(.*?)<\/script>/s.exec(text)?.[1] ?? "";
    const hash = createHash("sha256").update(script).digest("base64");
    const policy = String(headers["content-security-policy"]);
    expect(policy).toContain(`script-src 'sha256-${hash}'`);
    expect(policy).toContain("form-action https://dash.example.org;");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers["cache-control"]).toBe("no-store");
    // Without scripts there is a button.
    expect(text).toContain('<input type="submit" value="Continue"');
  });

  it.each([
    ["", 400],
    ["?origin=", 400],
    [origin("https://evil.example.org/"), 401],
    [origin("https://dash.example.org/auth/websso/"), 401],
    [origin(DASHBOARD.replace("dash", "DASH")), 401],
    [origin(`${DASHBOARD}#x`), 401],
    // Dashboards quote it twice.
    [origin(encodeURIComponent(DASHBOARD)), 200],
    // Of several the first counts.
    [`${origin(DASHBOARD)}&origin=https://evil.example.org/`, 200],
    [`?origin=https://evil.example.org/&origin=${encodeURIComponent(DASHBOARD)}`, 401],
  ])("with %s is answered %i", async (query, status) => {
    const answers = [];
    for (const url of [BY_PROVIDER, `${WEBSSO}/websso/mapped`])
      answers.push((await service.login(asserted("ann"), url + query)).status);
    expect(answers).toEqual([status, status]);
  });

  describe("to a program on the user's computer", () => {
    const PROGRAM = "http://localhost:9990/auth/websso/";
    const allow = async (isAllowed: boolean) => {
      const path = "/v3/OS-FEDERATION/identity_providers/idp/protocols/mapped";
      const settings = { type: "forwarded", allow_loopback_websso: isAllowed };
      const answer = await service.ask("PATCH", path, {
        body: { protocol: { mapping_id: "people", settings } },
      });
      expect(answer.status).toBe(200);
    };
    const logIn = (address: string, url = BY_PROVIDER) =>
      service.login(asserted("ann"), `${url}?origin=${address}`);
    beforeAll(() => allow(true));
    afterAll(() => allow(false));

    it.each([
      [PROGRAM, "http://localhost:9990"],
      ["http://127.0.0.1:1/auth/websso/", "http://127.0.0.1:1"],
      ["http://127.0.0.1:65535/auth/websso/", "http://127.0.0.1:65535"],
      // Host sources can't be IPv6 addresses.
      ["http://[::1]:9990/auth/websso/", "http:"],
    ])("shows a page that waits for a click, at %s", async (address, target) => {
      const { status, headers, text } = await logIn(address);
      expect(status).toBe(200);
      expect(text).toContain(`<form action="${address}" method="post">`);
      expect(text).toContain(`<code>${address}</code>`);
      expect(text).not.toContain("<script");
      const policy = String(headers["content-security-policy"]);
      expect(policy).toContain(`form-action ${target};`);
      expect(policy).not.toContain("script-src");
      const token = /name="token" id="token" value="([\w-]+)"/.exec(text)?.[1] ?? "";
      const check = await service.ask("GET", "/v3/auth/tokens", { headers: { "x-subject-token": token } });
      expect(check.body.token.user.name).toBe("ann");
    });

    it.each([
      "https://localhost:9990/auth/websso/",
      "http://localhost/auth/websso/",
      "http://localhost:0/auth/websso/",
      "http://localhost:09990/auth/websso/",
      "http://localhost:65536/auth/websso/",
      "http://localhost:9990/auth/websso",
      "http://localhost:9990/auth/websso/x",
      "http://localhost:9990/auth/websso/../",
      "http://localhost:9990//auth/websso/",
      "http://localhost:9990/auth/websso/%3Fx",
      "http://localhost:9990/auth/websso/%23x",
      "http://localhost:9990/auth/websso/%0A",
      "http://user@localhost:9990/auth/websso/",
      "http://localhost:9990%40evil.example.org/auth/websso/",
      "http://localhost:9990.evil.example.org/auth/websso/",
      "http://localhost.evil.example.org:9990/auth/websso/",
      "http://LOCALHOST:9990/auth/websso/",
      "http://localhost.:9990/auth/websso/",
      "http://127.1:9990/auth/websso/",
      "http://127.0.0.2:9990/auth/websso/",
      "http://2130706433:9990/auth/websso/",
      "http://0.0.0.0:9990/auth/websso/",
      "http://[::ffff:127.0.0.1]:9990/auth/websso/",
      "http://[0:0:0:0:0:0:0:1]:9990/auth/websso/",
      "http://[::1%25lo]:9990/auth/websso/",
      "http:%5C%5Clocalhost:9990/auth/websso/",
      "%20http://localhost:9990/auth/websso/",
    ])("refuses the address %s", async (address) => {
      expect((await logIn(address)).status).toBe(401);
      expect(service.refusals.at(-1)).toMatchObject({
        reason: expect.stringMatching(
          /^websso\/untrusted-origin: origin ".*" is not among the trusted dashboards \(IDENTITY_TRUSTED_DASHBOARDS\)$/,
        ),
      });
    });

    it("refuses it where the URL names no provider", async () => {
      expect((await logIn(PROGRAM, `${WEBSSO}/websso/mapped`)).status).toBe(401);
    });

    it("refuses it where the protocol does not allow it, which the log explains", async () => {
      await allow(false);
      const { status } = await logIn(PROGRAM);
      await allow(true);
      expect(status).toBe(401);
      expect(service.refusals.at(-1)?.["reason"]).toContain(
        `origin "${PROGRAM}" is not among the trusted dashboards (IDENTITY_TRUSTED_DASHBOARDS), and the URL names no protocol whose settings have "allow_loopback_websso": true`,
      );
    });

    it("is in the audit log, as dashboards are", async () => {
      await logIn(PROGRAM);
      await service.login(asserted("ann"), BY_PROVIDER + origin(DASHBOARD));
      expect(service.audits.slice(-2)).toMatchObject([
        { action: "authenticate", outcome: "done", target: { idp_id: "idp", origin: PROGRAM } },
        { action: "authenticate", outcome: "done", target: { idp_id: "idp", origin: DASHBOARD } },
      ]);
    });
  });

  const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

  it.each([
    [BY_PROVIDER, origin("https://evil.example.org/"), 401, "requires authentication."],
    [BY_PROVIDER, "", 400, "origin"],
    [`${WEBSSO}/websso/mapped`, origin(DASHBOARD), 401, "requires authentication."],
    ["/v3/OS-FEDERATION/identity_providers/idp/protocols/mapped/auth", "", 401, "requires authentication."],
    ["/EXT-FEDERATION/identity_providers/nope/protocols/mapped/auth", "", 404, "nope"],
  ])("refusals-are-pages: shows a page to a browser at %s%s", async (url, query, status, message) => {
    const answer = await service.ask("GET", url + query, { headers: { accept: BROWSER } });
    expect([answer.status, answer.headers["content-type"]]).toEqual([status, "text/html; charset=utf-8"]);
    expect(answer.text).toContain("<h1>You are not logged in</h1>");
    expect(answer.text).toContain(message);
    expect(answer.text).toContain(`<code>${String(answer.headers["x-openstack-request-id"])}</code>`);
    expect(answer.headers["content-security-policy"]).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(answer.headers["content-length"]).toBe(String(Buffer.byteLength(answer.text)));
  });

  it.each(["*/*", "application/json", "text/html; application/vnd.paos+xml"])(
    "refusals-are-pages: answers programs that accept %s in JSON",
    async (accept) => {
      const answer = await service.ask("GET", BY_PROVIDER, { headers: { accept } });
      expect(answer.headers["content-type"]).toMatch(/^application\/json/);
      expect(answer.body.error.code).toBe(400);
    },
  );

  it("refusals-are-pages: shows a provider's id as text", async () => {
    const url = "/v3/OS-FEDERATION/identity_providers/%3Cimg%20src=x%3E/protocols/mapped/auth";
    const { status, text } = await service.ask("GET", url, { headers: { accept: BROWSER } });
    expect(status).toBe(404);
    expect(text).toContain("&lt;img src=x&gt;");
    expect(text).not.toContain("<img");
  });

  it("goes to the provider that a front end names", async () => {
    const url = `${WEBSSO}/websso/mapped${origin(DASHBOARD)}`;
    expect((await service.login({ REMOTE_USER: "u" }, url)).status).toBe(401);
    expect((await service.login({ ...asserted("u"), IDP: "https://nowhere" }, url)).status).toBe(404);
  });

  it("asks which provider is meant where several have the protocol, those that are enabled", async () => {
    const url = `${WEBSSO}/websso/shared${origin(DASHBOARD)}`;
    expect((await service.ask("GET", url)).status).toBe(401);
    const add = async (id: string, attributes: object) => {
      const path = `/v3/OS-FEDERATION/identity_providers/${encodeURIComponent(id)}`;
      await service.ask("PUT", path, { body: { identity_provider: attributes } });
      const protocol = { mapping_id: "people" };
      expect((await service.ask("PUT", `${path}/protocols/shared`, { body: { protocol } })).status).toBe(201);
    };
    await add("one", { enabled: true, description: "Staff <of> the house" });
    await add('t"wo', { enabled: true });
    await add("off", { enabled: false });
    const { status, text, headers } = await service.ask("GET", url);
    expect(status).toBe(200);
    const links = Array.from(text.matchAll(/<a href="([^"]*)">([^<]*)<\/a>/g), ([, href, name]) => [
      href,
      name,
    ]);
    const address = (id: string) =>
      `http://127.0.0.1:5900/v3/auth/OS-FEDERATION/identity_providers/${id}/protocols/shared/websso`;
    const query = "?origin=https%3A%2F%2Fdash.example.org%2Fauth%2Fwebsso%2F%3Fa%3D1%26b%3D2";
    expect(links).toEqual([
      [address("one") + query, "Staff &lt;of&gt; the house"],
      [address("t%22wo") + query, "t&quot;wo"],
    ]);
    expect(text).toContain('<html lang="en">');
    expect(String(headers["content-security-policy"])).toContain("form-action 'none'");
  });
});
