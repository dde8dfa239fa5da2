/** What a provider says of a failure: its own words are in the reason, its page in the log, and no secret in either. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { isBrowserStep } from "../../../src/federation/assertion-verifier.js";
import { createPendingLogins } from "../../../src/federation/browser/pending-logins.js";
import { AssertionRefusedError, type RefusalFacts } from "../../../src/federation/federation-errors.js";
import type { OpenIdSettings } from "../../../src/federation/protocols/openid/openid-settings.js";
import type { Database } from "../../../src/platform/database/database.js";
import { openDatabase } from "../../../src/platform/database/open-database.js";
import { toMasterKey } from "../../../src/platform/secrets/sealing.js";
import { sqliteDatabases, type TestDatabase } from "../../databases.js";
import { migratedDatabase } from "../../migrated-databases.js";
import { createBrowser } from "./test-browser.js";
import { AUTH_URL, CLIENT_SECRET, startProvider, type TestProvider } from "./test-provider.js";
import { bearing, protocolOf, requestOf, testVerifier } from "./test-verifier.js";

const NOT_ASSIGNED =
  "AADSTS50105: Your administrator has configured the application Cloud ('6c9e0c86-7d5e-4c43-9ba5-6bd6e1e3a0a5') to block users unless they are specifically granted ('assigned') access to the application.";
const EXPIRED =
  "AADSTS7000222: The provided client secret keys for app '6c9e0c86-7d5e-4c43-9ba5-6bd6e1e3a0a5' are expired.";

let op: TestProvider;
let place: TestDatabase;
let database: Database;
beforeAll(async () => {
  op = await startProvider();
  place = await migratedDatabase(sqliteDatabases);
  database = openDatabase(place.url);
});
afterEach(() => op.answers.clear());
afterAll(async () => {
  await database.close();
  await place.remove();
  await op.close();
});

const newVerifier = () => {
  const clock = { now: Date.now };
  const masterKey = toMasterKey(Buffer.alloc(32, 5));
  return testVerifier({ clock, pendingLogins: createPendingLogins({ database, clock, masterKey }) });
};

async function factsOf(work: Promise<unknown>): Promise<RefusalFacts> {
  const error = await work.catch((failure: unknown) => failure);
  if (error instanceof AssertionRefusedError) return error.facts;
  throw new TypeError(`not refused: ${JSON.stringify(error)}`);
}

/** A login in a browser, whose provider sends it back with these parameters, or with a code. */
async function logIn(parameters?: Readonly<Record<string, string>>): Promise<RefusalFacts> {
  const [browser, verifier] = [createBrowser(), newVerifier()];
  const step = await verifier.verify(requestOf(), protocolOf(op.issuer));
  if (!isBrowserStep(step)) throw new TypeError("expected a browser step");
  browser.keep(AUTH_URL, [step.headers["set-cookie"] ?? []].flat());
  const location = String(step.headers["location"]);
  const state = new URL(location).searchParams.get("state") ?? "";
  const query =
    parameters === undefined
      ? (await browser.follow(location, AUTH_URL)).searchParams
      : new URLSearchParams({ state, ...parameters });
  if (query.get("state") === "") query.delete("state");
  const headers = { cookie: browser.cookiesFor(AUTH_URL) };
  return factsOf(verifier.verify(requestOf({ headers, query: new Map(query) }), protocolOf(op.issuer)));
}

function answer(path: string, status: number, body: object | string, headers: object = {}): void {
  const [type, text] =
    typeof body === "string"
      ? ["text/html; charset=utf-8", body]
      : ["application/json", JSON.stringify(body)];
  op.answers.set(path, (_, response) =>
    response.writeHead(status, { "content-type": type, ...headers }).end(text),
  );
}

const PAGE = "<html><title>Squid: access denied by proxy.acme.example</title></html>";

describe("the provider's own words at the redirect", () => {
  it("are in the reason, with its page about the error", async () => {
    const error_uri = "https://kim:pw@login.example.com/error?code=50105&token=abcdef#x";
    const { step, reason } = await logIn({
      error: "access_denied",
      error_description: NOT_ASSIGNED,
      error_uri,
    });
    expect([step, reason]).toEqual([
      "code",
      `authorization response from the server is an error: access_denied; redirect URI sent: "${AUTH_URL}"; error_description "${NOT_ASSIGNED}"; error_uri "https://***@login.example.com/error?***"`,
    ]);
  });

  it.each([
    ["with a code beside", { code: "c" }, "code"],
    ["with another issuer", { iss: "https://other.example.org" }, "code"],
    ["without state, which begins no further login", { state: "" }, "state"],
    ["with the state of another browser", { state: "other" }, "state"],
  ])("are in the reason %s", async (_, others, step) => {
    const facts = await logIn({ error: "access_denied", error_description: NOT_ASSIGNED, ...others });
    expect(facts.step).toBe(step);
    expect(facts.reason).toMatch(/access_denied; .*AADSTS50105: Your administrator/);
  });

  it("are quoted and bounded: anyone can write them", async () => {
    const error_description = `a"\n{"level":"info"}\u001B[31m\u202E ${"é".repeat(9000)}`;
    const { reason } = await logIn({ error: `x\n${"y".repeat(5000)}`, error_description });
    expect(reason).toContain(String.raw`error_description "a\" {\"level\":\"info\"}\u{1b}[31m\u{202e} éé`);
    expect(reason).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(reason.length).toBeLessThan(1000);
  });

  it("end no login: that of the browser goes on", async () => {
    const [browser, verifier] = [createBrowser(), newVerifier()];
    const step = await verifier.verify(requestOf(), protocolOf(op.issuer));
    if (!isBrowserStep(step)) throw new TypeError("expected a browser step");
    browser.keep(AUTH_URL, [step.headers["set-cookie"] ?? []].flat());
    const url = await browser.follow(String(step.headers["location"]), AUTH_URL);
    const headers = { cookie: browser.cookiesFor(AUTH_URL) };
    const state = url.searchParams.get("state") ?? "";
    const forged = requestOf({
      headers,
      query: new Map([
        ["state", state],
        ["error", "access_denied"],
      ]),
    });
    await factsOf(verifier.verify(forged, protocolOf(op.issuer)));
    const good = requestOf({ headers, query: new Map(url.searchParams) });
    expect(await verifier.verify(good, protocolOf(op.issuer))).toMatchObject({ remoteId: op.issuer });
  });
});

describe("the provider's own words at the token endpoint", () => {
  it("are in the reason with the status", async () => {
    answer("/token", 401, { error: "invalid_client", error_description: EXPIRED, error_codes: [7_000_222] });
    expect(await logIn()).toEqual({
      step: "code",
      reason: `server responded with an error in the response body: invalid_client; redirect URI sent: "${AUTH_URL}"; status 401; content type "application/json"; error invalid_client; error_description "${EXPIRED}"`,
    });
  });

  it("are in the reason where the status is 200", async () => {
    const error = {
      error: "bad_verification_code",
      error_description: "The code passed is incorrect or expired.",
    };
    answer("/token", 200, error);
    expect((await logIn()).reason).toContain(
      `error bad_verification_code; error_description "The code passed is incorrect or expired."`,
    );
  });

  it("are in the reason where they come in WWW-Authenticate", async () => {
    const header = `Basic realm="x", Bearer error="invalid_token", error_description="client is locked"`;
    answer("/token", 401, PAGE, { "www-authenticate": header });
    expect((await logIn()).reason).toMatch(/error_description "client is locked"; status 401/);
  });

  it.each([
    [502, PAGE],
    [200, PAGE],
    [404, { message: "no such tenant" }],
  ])("are in the log where it answers %i with another page", async (status, page) => {
    answer("/token", status, page);
    const facts = await logIn();
    expect(facts.reason).toContain(
      `status ${status}; content type "${typeof page === "string" ? "text/html; charset=utf-8" : "application/json"}"`,
    );
    // The reason is shown to those who choose the address; the page is for the log.
    expect(facts.reason).not.toMatch(/Squid|tenant/);
    expect(facts.responseBody).toMatch(/Squid: access denied by proxy.acme.example|no such tenant/);
  });

  it("are without the secrets of the request, however the provider repeats them", async () => {
    op.answers.set("/token", (request, response) => {
      let body = "";
      request.on("data", (chunk) => (body += String(chunk)));
      request.on("end", () => {
        const code = new URLSearchParams(body).get("code") ?? "";
        const verifier = new URLSearchParams(body).get("code_verifier") ?? "";
        const error_description = `${code} ${verifier} ${CLIENT_SECRET} ${encodeURIComponent(CLIENT_SECRET)} ${request.headers.authorization} ${body} https://u:p@x.example/?q=1 remains`;
        response.writeHead(400, { "content-type": "application/json" });
        response.end(JSON.stringify({ error: "invalid_request", error_description }));
      });
    });
    const { reason } = await logIn();
    expect(reason).toMatch(
      /error_description "\*\*\* \*\*\* \*\*\* \*\*\* Basic \*\*\* [^ ]+ https:\/\/\*\*\*@x.example\/\?\*\*\* remains"$/,
    );
    expect(reason).not.toContain(CLIENT_SECRET);
    expect(reason).toContain("code=***");
    expect(reason).toContain("code_verifier=***");
  });

  it("are without tokens that it returns where the rest is unusable", async () => {
    const tokens = { access_token: "opaque-1", refresh_token: "opaque-2", id_token: "eyJhbGciOi.eyJz.c2ln" };
    answer("/token", 502, JSON.stringify(tokens));
    const { responseBody } = await logIn();
    expect(responseBody).toContain("access_token");
    expect(responseBody).not.toMatch(/opaque|eyJ/);
  });
});

describe("the provider's own words about an access token", () => {
  const token = async (others: object = {}) =>
    op.keys.sign({
      iss: op.issuer,
      sub: "kim",
      aud: "https://identity.example.org",
      exp: Math.floor(Date.now() / 1000) + 60,
      ...others,
    });
  const use = async (text: string, settings: Partial<OpenIdSettings> = {}) =>
    factsOf(newVerifier().verify(bearing(text), protocolOf(op.issuer, settings)));

  it("are in the reason of userinfo", async () => {
    const header = `Bearer error="insufficient_scope", error_description="scope openid is missing"`;
    answer("/me", 403, PAGE, { "www-authenticate": header });
    const { step, reason } = await use(await token(), { userinfo: "always" });
    expect(step).toBe("userinfo");
    expect(reason).toContain(`insufficient_scope; error_description "scope openid is missing"; status 403`);
    answer("/me", 500, PAGE);
    expect(await use(await token(), { userinfo: "always" })).toMatchObject({
      reason: expect.stringContaining(`status 500; content type "text/html; charset=utf-8"`) as string,
      responseBody: expect.stringContaining("Squid") as string,
    });
  });

  it("are in the reason of introspection, without the token", async () => {
    const error_description = "client may not introspect opaque-token-of-kim";
    answer("/token/introspection", 401, { error: "invalid_client", error_description });
    const { step, reason } = await use("opaque-token-of-kim");
    expect(step).toBe("introspection");
    expect(reason).toContain(`error_description "client may not introspect ***"`);
  });

  it.each([
    ["/.well-known/openid-configuration", "discovery", "discovery is answered with status 400"],
    ["/jwks", "access-token", "jwks_uri is answered with status 400"],
  ])("are in the reason of a download: %s", async (path, step, fault) => {
    const error_description =
      "AADSTS90002: Tenant 'typo' not found. Check to make sure you have the correct tenant ID.";
    answer(path, 400, { error: "invalid_tenant", error_description });
    expect(await use(await token())).toEqual({
      step,
      reason: `${fault}; content type "application/json"; error invalid_tenant; error_description "${error_description}"`,
    });
    answer(path, 200, PAGE);
    expect(await use(await token())).toMatchObject({
      step,
      reason: expect.stringContaining(`; status 200; content type "text/html; charset=utf-8"`) as string,
      responseBody: expect.stringContaining("Squid") as string,
    });
  });
});
