/** Login in a browser at a real provider, with two replicas on one database. */
import { createHash } from "node:crypto";

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { isBrowserStep, type BrowserStep } from "../../../src/federation/assertion-verifier.js";
import { createPendingLogins } from "../../../src/federation/browser/pending-logins.js";
import { openDatabase } from "../../../src/platform/database/open-database.js";
import { toMasterKey } from "../../../src/platform/secrets/sealing.js";
import { TooManyError } from "../../../src/platform/errors.js";
import type { Database } from "../../../src/platform/database/database.js";
import { sqliteDatabases, type TestDatabase } from "../../databases.js";
import { migratedDatabase } from "../../migrated-databases.js";
import { createBrowser, type TestBrowser } from "./test-browser.js";
import { AUTH_URL, CLIENT_ID, KIM, signingKeys, startProvider, type TestProvider } from "./test-provider.js";
import {
  assertionFor,
  protocolOf,
  refusalOf,
  requestOf,
  testVerifier,
  type OpenIdVerifier,
} from "./test-verifier.js";

/** Where dashboards begin logins. */
const WEBSSO_URL = "http://127.0.0.1:5900/v3/auth/OS-FEDERATION/websso/openid";

let op: TestProvider;
let place: TestDatabase;
let opened: Database[];
let now: () => number;
let verifier: OpenIdVerifier;
let browser: TestBrowser;
beforeAll(async () => {
  op = await startProvider();
});
afterAll(() => op.close());
beforeEach(async () => {
  place = await migratedDatabase(sqliteDatabases);
  opened = [];
  now = Date.now;
  browser = createBrowser();
  verifier = await replica();
});
afterEach(async () => {
  op.answers.clear();
  for (const database of opened) await database.close();
  await place.remove();
});

async function replica(): Promise<OpenIdVerifier> {
  const database = openDatabase(place.url);
  opened.push(database);
  const clock = { now: () => now() };
  const masterKey = toMasterKey(Buffer.alloc(32, 5));
  return testVerifier({ clock, pendingLogins: createPendingLogins({ database, clock, masterKey }) });
}

/** Asks the service for a login. */
async function begin({ origin, as = browser }: { origin?: string; as?: TestBrowser } = {}): Promise<string> {
  const headers = { cookie: as.cookiesFor(WEBSSO_URL) };
  const step = await verifier.verify(requestOf({ origin, headers }), protocolOf(op.issuer));
  if (!isBrowserStep(step)) throw new TypeError("expected a browser step");
  as.keep(AUTH_URL, cookiesOf(step));
  return String(step.headers["location"]);
}

/** Begins a login and goes through the provider; the address that the browser is sent back to. */
async function throughProvider(options: { origin?: string; as?: TestBrowser } = {}): Promise<URL> {
  return (options.as ?? browser).follow(await begin(options), AUTH_URL);
}

/** Comes back to the service. */
function comeBack(url: URL, { as = browser, at = verifier }: { as?: TestBrowser; at?: OpenIdVerifier } = {}) {
  const headers = { cookie: as.cookiesFor(AUTH_URL) };
  return at.verify(requestOf({ headers, query: new Map(url.searchParams) }), protocolOf(op.issuer));
}

/** Has the provider answer with an ID token of the test's own. */
function answerWith(idToken: (nonce: string) => Promise<string>, nonce: string): void {
  op.answers.set("/token", async (_, response) => {
    const body = { access_token: "a", token_type: "Bearer", id_token: await idToken(nonce) };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(body));
  });
}

const idClaims = (nonce: string, others: Record<string, unknown> = {}) => {
  const seconds = Math.floor(Date.now() / 1000);
  return { iss: op.issuer, sub: "kim", aud: CLIENT_ID, nonce, iat: seconds, exp: seconds + 60, ...others };
};
const nonceOf = (location: string): string => new URL(location).searchParams.get("nonce") ?? "";

/** An ID token with further members, as text: the last of duplicate members counts. */
const signedWith = (nonce: string, members: string) =>
  op.keys.signText(JSON.stringify(idClaims(nonce)).replace(/\}$/, `,${members}}`), { typ: "JWT" });

describe(`login in a browser, with ${sqliteDatabases.name}`, () => {
  it("ends with what the provider knows of the user", async () => {
    const assertion = await assertionFor(comeBack(await throughProvider()));
    expect(assertion).toMatchObject({
      identityProviderId: "op",
      protocolId: "openid",
      remoteId: op.issuer,
      attributes: {
        "OIDC-sub": KIM.sub,
        "OIDC-iss": op.issuer,
        "OIDC-email": KIM.email,
        "OIDC-email_verified": "true",
        HTTP_OIDC_GROUPS: "staff;operators",
        "OIDC-address.geo.zone": "15",
      },
    });
    expect(assertion.origin).toBeUndefined();
  });

  it("asks the provider for a code, with PKCE, state and nonce", async () => {
    const location = new URL(await begin());
    expect(location.origin + location.pathname).toBe(`${op.issuer}/auth`);
    expect(Object.fromEntries(location.searchParams)).toEqual({
      response_type: "code",
      client_id: CLIENT_ID,
      redirect_uri: AUTH_URL,
      scope: "openid profile email",
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
    });
  });

  it("is bound to the browser by a cookie that only the callback is sent, and a list that all of the API is", async () => {
    const step = (await verifier.verify(requestOf(), protocolOf(op.issuer))) as BrowserStep;
    const path = new URL(AUTH_URL).pathname;
    expect(cookiesOf(step)).toEqual([
      expect.stringMatching(
        new RegExp(
          `^identity-login-\\d{1,2}=[\\w-]{100,900}; Path=${path}; Max-Age=600; HttpOnly; SameSite=Lax$`,
        ),
      ),
      expect.stringMatching(/^identity-begun=[\w-]{50,200}; Path=\/v3; Max-Age=600; HttpOnly$/),
    ]);
    const secure = protocolOf(op.issuer, {}, AUTH_URL.replace("http:", "https:"));
    expect(cookiesOf((await verifier.verify(requestOf(), secure)) as BrowserStep)).toEqual([
      expect.stringMatching(/^__Secure-identity-login-\d+=.*; HttpOnly; Secure; SameSite=Lax$/),
      expect.stringMatching(/^__Secure-identity-begun=.*; HttpOnly; Secure; SameSite=None$/),
    ]);
  });

  it("begins at most five times in a browser: the oldest login is refused, and the five newest end", async () => {
    const urls: URL[] = [];
    for (let logins = 0; logins < 8; logins++) urls.push(await throughProvider());
    const outcomes = [];
    for (const url of urls) outcomes.push(await refusalOf(comeBack(url)));
    const dropped =
      "state: the login is unknown, began in another browser, or too long ago (600 s), or 5 newer ones began in this one";
    expect(outcomes).toEqual([dropped, dropped, dropped, ...Array<string>(5).fill("not refused")]);
  });

  it("is refused over HTTPS by a cookie without the prefix, which any page over HTTP could have set", async () => {
    const url = await throughProvider();
    const headers = { cookie: browser.cookiesFor(AUTH_URL) };
    const authUrl = AUTH_URL.replace("http:", "https:");
    const request = requestOf({ headers, query: new Map(url.searchParams) });
    const verifying = verifier.verify(request, protocolOf(op.issuer, {}, authUrl));
    expect(await refusalOf(verifying)).toMatch(/^state: /);
  });

  it("is not begun where its address has begun too many", async () => {
    const beginLogin = () => Promise.reject(new TooManyError("Too many", { retryAfterSeconds: 1 }));
    const limited = testVerifier({ beginLogin });
    await expect(limited.verify(requestOf(), protocolOf(op.issuer))).rejects.toThrow(TooManyError);
  });

  it("hands back where the browser wanted to go", async () => {
    const origin = "https://horizon.example.org/dashboard/auth/websso/";
    expect(await assertionFor(comeBack(await throughProvider({ origin })))).toMatchObject({ origin });
  });

  it("ends with an ID token whose at_hash and azp are those of the access token and the client", async () => {
    const location = await begin();
    const url = await browser.follow(location, AUTH_URL);
    const at_hash = createHash("sha256").update("a").digest().subarray(0, 16).toString("base64url");
    const others = { at_hash, azp: CLIENT_ID };
    answerWith((nonce) => op.keys.sign(idClaims(nonce, others), { typ: "JWT" }), nonceOf(location));
    expect(await assertionFor(comeBack(url))).toMatchObject({ remoteId: op.issuer });
  });

  it("ends at another replica", async () => {
    const url = await throughProvider();
    const { attributes } = await assertionFor(comeBack(url, { at: await replica() }));
    expect(attributes).toMatchObject({ "OIDC-sub": "kim" });
  });

  it("ends in each of two windows of one browser", async () => {
    const urls = [await throughProvider(), await throughProvider()];
    for (const url of urls) expect(await assertionFor(comeBack(url))).toMatchObject({ remoteId: op.issuer });
  });

  it("reports an error response of the provider", async () => {
    const state = new URL(await begin()).searchParams.get("state") ?? "";
    const url = new URL(
      `${AUTH_URL}?error=access_denied&state=${state}&iss=${encodeURIComponent(op.issuer)}`,
    );
    expect(await refusalOf(comeBack(url))).toContain(`: access_denied; redirect URI sent: "${AUTH_URL}"`);
  });

  it("begins for people alone", async () => {
    const head = verifier.verify(requestOf({ method: "HEAD" }), protocolOf(op.issuer));
    expect(await refusalOf(head)).toMatch(/no access token/);
    const form = requestOf({ method: "POST", origin: "https://horizon.example.org/" });
    expect(await verifier.verify(form, protocolOf(op.issuer))).toMatchObject({ status: 302 });
  });
});

describe(`attacks on a login in a browser are refused, with ${sqliteDatabases.name}:`, () => {
  it("state of another browser", async () => {
    const url = await throughProvider();
    const other = createBrowser();
    expect(await refusalOf(comeBack(url, { as: other }))).toMatch(/another browser/);
    // Nor does a login of its own help it.
    await throughProvider({ as: other });
    expect(await refusalOf(comeBack(url, { as: other }))).toMatch(/another browser/);
    // The attempt has spoilt nothing.
    expect(await assertionFor(comeBack(url))).toMatchObject({ remoteId: op.issuer });
  });

  it("cookie made up for the state", async () => {
    const url = await throughProvider();
    const [name = ""] = browser.cookiesFor(AUTH_URL).split("=");
    const other = createBrowser();
    other.keep(AUTH_URL, [`${name}=${"A".repeat(43)}; Path=${new URL(AUTH_URL).pathname}`]);
    expect(await refusalOf(comeBack(url, { as: other }))).toMatch(/began in another browser/);
  });

  it("code used twice", async () => {
    const url = await throughProvider();
    await assertionFor(comeBack(url));
    expect(await refusalOf(comeBack(url))).toMatch("state: the login was finished before");
  });

  it("code of another login", async () => {
    const first = await throughProvider();
    const second = await throughProvider();
    second.searchParams.set("code", first.searchParams.get("code") ?? "");
    expect(await refusalOf(comeBack(second))).toContain(`: invalid_grant; redirect URI sent: "${AUTH_URL}"`);
  });

  it("state replayed on another replica", async () => {
    const other = await replica();
    const url = await throughProvider();
    await assertionFor(comeBack(url));
    expect(await refusalOf(comeBack(url, { at: other }))).toMatch(/^state: /);
  });

  it("state replayed on two replicas at the same time", async () => {
    const replicas = [verifier, await replica()];
    const url = await throughProvider();
    const outcomes = await Promise.all(replicas.map((at) => refusalOf(comeBack(url, { at }))));
    // Either the provider rejects the code, or this service the state: the result is the same.
    expect(outcomes.toSorted((a, b) => Number(b === "not refused") - Number(a === "not refused"))).toEqual([
      "not refused",
      expect.stringMatching(/^(?:state|code): /),
    ]);
  });

  it("nonce of another login", async () => {
    const other = nonceOf(await begin());
    const url = await throughProvider();
    answerWith((nonce) => op.keys.sign(idClaims(nonce), { typ: "JWT" }), other);
    expect(await refusalOf(comeBack(url))).toMatch(/^code: .*nonce/);
  });

  it.each([
    ["wrong aud", { aud: "other" }, /"aud".*: "other", expected "identity"/],
    [
      "wrong iss",
      { iss: "https://other.example.org" },
      /"iss".*: "https:\/\/other.example.org", expected "http:/,
    ],
    ["expired", { exp: Math.floor(Date.now() / 1000) - 61 }, /"exp"/],
    ["no nonce", { nonce: undefined }, /nonce/],
    [
      "an iat in one hour",
      { iat: Math.floor(Date.now() / 1000) + 3600 },
      /^id-token: "iat" is in the future: .*Z, in 3\d\d\d s \(leeway 60 s\); check the clocks of both$/,
    ],
    ["an nbf in one hour", { nbf: Math.floor(Date.now() / 1000) + 3600 }, /"nbf".*Z, in 3\d\d\d s/],
    ["an iat that is text", { iat: "2026-11-21T12:00:00Z" }, /"iat"/],
  ])("id token with %s", async (_, others, reason) => {
    const location = await begin();
    const url = await browser.follow(location, AUTH_URL);
    answerWith((nonce) => op.keys.sign(idClaims(nonce, others), { typ: "JWT" }), nonceOf(location));
    expect(await refusalOf(comeBack(url))).toMatch(reason);
  });

  it.each(["5", "100002348117421473", "1e400", "null"])("id token with the subject %s", async (sub) => {
    const location = await begin();
    const url = await browser.follow(location, AUTH_URL);
    answerWith((nonce) => signedWith(nonce, `"sub":${sub}`), nonceOf(location));
    expect(await refusalOf(comeBack(url))).toMatch(/^(?:code|id-token): .*"?sub"?/);
  });

  it("no id token with a number beyond 2^53, of which it takes the exact text", async () => {
    const location = await begin();
    const url = await browser.follow(location, AUTH_URL);
    answerWith((nonce) => signedWith(nonce, '"uid":100002348117421473,"many":1e400'), nonceOf(location));
    const { attributes } = await assertionFor(comeBack(url));
    expect(attributes).toMatchObject({ "OIDC-uid": "100002348117421473", "OIDC-many": "1e400" });
  });

  it.each([
    ["unsigned", async (text: string) => `${text}.`, { alg: "none" }],
    ["signed by another key", (_: string, claims: object) => signingKeys("first").sign({ ...claims }), {}],
  ])("id token that is %s", async (_, sign, header) => {
    const location = await begin();
    const url = await browser.follow(location, AUTH_URL);
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    answerWith(
      (nonce) => sign(`${encode(header)}.${encode(idClaims(nonce))}`, idClaims(nonce)),
      nonceOf(location),
    );
    expect(await refusalOf(comeBack(url))).toMatch(/^(?:code|id-token): /);
  });

  /** Of the access token that {@link answerWith} gives out. */
  const halfHash = (algorithm: string, text = "a") => {
    const hash = createHash(algorithm).update(text).digest();
    return hash.subarray(0, hash.length / 2).toString("base64url");
  };

  it.each([
    ["of another access token", halfHash("sha256", "b")],
    ["by another algorithm", halfHash("sha512")],
    ["that is empty", ""],
    ["that is no text", 5],
    ["that is null", null],
  ])("id token with an at_hash %s", async (_, at_hash) => {
    const location = await begin();
    const url = await browser.follow(location, AUTH_URL);
    answerWith((nonce) => op.keys.sign(idClaims(nonce, { at_hash }), { typ: "JWT" }), nonceOf(location));
    expect(await refusalOf(comeBack(url))).toBe('id-token: "at_hash" is not that of the access token');
  });

  it.each([
    ["with another azp", { azp: "other" }, /"azp"/],
    ["with an azp that is no text", { azp: [CLIENT_ID] }, /"azp"/],
    ["for several, with another azp", { aud: [CLIENT_ID, "other"], azp: "other" }, /"azp"/],
  ])("id token %s", async (_, others, reason) => {
    const location = await begin();
    const url = await browser.follow(location, AUTH_URL);
    answerWith((nonce) => op.keys.sign(idClaims(nonce, others), { typ: "JWT" }), nonceOf(location));
    expect(await refusalOf(comeBack(url))).toMatch(reason);
  });

  it("answer of another provider", async () => {
    const url = await throughProvider();
    url.searchParams.set("iss", "https://other.example.org");
    expect(await refusalOf(comeBack(url))).toMatch(/^code: .*iss/);
  });

  it("state of a login at another protocol", async () => {
    const url = await throughProvider();
    const headers = { cookie: browser.cookiesFor(AUTH_URL) };
    const request = requestOf({ headers, query: new Map(url.searchParams) });
    const verifying = verifier.verify(request, { ...protocolOf(op.issuer), id: "other" });
    expect(await refusalOf(verifying)).toBe("state: the login began at another provider");
  });

  it("coming back after ten minutes", async () => {
    const url = await throughProvider();
    now = () => Date.now() + 600_001;
    expect(await refusalOf(comeBack(url))).toMatch(/^state: .* or too long ago/);
  });
});

function cookiesOf(step: BrowserStep): readonly string[] {
  return [step.headers["set-cookie"] ?? []].flat();
}
