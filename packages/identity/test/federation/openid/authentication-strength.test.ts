/** `acr_values` and `max_age`: requested, and checked in what comes back. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { isBrowserStep } from "../../../src/federation/assertion-verifier.js";
import { createPendingLogins } from "../../../src/federation/browser/pending-logins.js";
import type { OpenIdSettings } from "../../../src/federation/protocols/openid/openid-settings.js";
import { openDatabase } from "../../../src/platform/database/open-database.js";
import type { Database } from "../../../src/platform/database/database.js";
import { toMasterKey } from "../../../src/platform/secrets/sealing.js";
import { sqliteDatabases, type TestDatabase } from "../../databases.js";
import { migratedDatabase } from "../../migrated-databases.js";
import { createBrowser, type TestBrowser } from "./test-browser.js";
import { ACR, AUDIENCE, AUTH_URL, CLIENT_ID, startProvider, type TestProvider } from "./test-provider.js";
import {
  assertionFor,
  bearing,
  protocolOf,
  refusalOf,
  requestOf,
  testVerifier,
  type OpenIdVerifier,
} from "./test-verifier.js";

let op: TestProvider;
let place: TestDatabase;
let database: Database;
let verifier: OpenIdVerifier;
let browser: TestBrowser;
beforeAll(async () => {
  op = await startProvider();
  place = await migratedDatabase(sqliteDatabases);
  database = openDatabase(place.url);
  const clock = { now: Date.now };
  const masterKey = toMasterKey(Buffer.alloc(32, 5));
  verifier = testVerifier({ clock, pendingLogins: createPendingLogins({ database, clock, masterKey }) });
});
afterAll(async () => {
  await op.close();
  await database.close();
  await place.remove();
});
beforeEach(() => {
  browser = createBrowser();
  op.answers.clear();
  op.authentication.acr = ACR.password;
});

const seconds = () => Math.floor(Date.now() / 1000);

async function begin(settings: Partial<OpenIdSettings>): Promise<URL> {
  const step = await verifier.verify(requestOf(), protocolOf(op.issuer, settings));
  if (!isBrowserStep(step)) throw new TypeError("expected a browser step");
  browser.keep(AUTH_URL, [step.headers["set-cookie"] ?? []].flat());
  return new URL(String(step.headers["location"]));
}

/** Logs in at the provider. `idToken` are claims of an ID token that replaces the provider's. */
async function logIn(settings: Partial<OpenIdSettings>, idToken?: Record<string, unknown>) {
  const location = await begin(settings);
  const back = await browser.follow(location.href, AUTH_URL);
  if (idToken !== undefined)
    op.answers.set("/token", async (_, response) => {
      const nonce = location.searchParams.get("nonce");
      const times = { iat: seconds(), exp: seconds() + 60 };
      const claims = { iss: op.issuer, sub: "kim", aud: CLIENT_ID, nonce, ...times, ...idToken };
      const id_token = await op.keys.sign(claims, { typ: "JWT" });
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ access_token: "a", token_type: "Bearer", id_token }));
    });
  const headers = { cookie: browser.cookiesFor(AUTH_URL) };
  return verifier.verify(
    requestOf({ headers, query: new Map(back.searchParams) }),
    protocolOf(op.issuer, settings),
  );
}

describe("a login in a browser", () => {
  it("requests neither by default", async () => {
    const { searchParams } = await begin({});
    expect([searchParams.has("acr_values"), searchParams.has("max_age")]).toEqual([false, false]);
  });

  it("requests what the settings name", async () => {
    const { searchParams } = await begin({ acr_values: [ACR.mfa, ACR.password], max_age: 0 });
    expect(Object.fromEntries(searchParams)).toMatchObject({
      acr_values: `${ACR.mfa} ${ACR.password}`,
      max_age: "0",
    });
  });

  it("ends with one of the requested classes, which rules see with the time", async () => {
    op.authentication.acr = ACR.mfa;
    const { attributes } = await assertionFor(logIn({ acr_values: [ACR.mfa], max_age: 0 }));
    expect(attributes).toMatchObject({ "OIDC-acr": ACR.mfa, HTTP_OIDC_ACR: ACR.mfa });
    expect(Math.abs(Number(attributes["OIDC-auth_time"]) - seconds())).toBeLessThan(10);
  });

  it("is refused with another class, which the provider may give", async () => {
    expect(await refusalOf(logIn({ acr_values: [ACR.mfa] }))).toBe(
      `id-token: unexpected "acr": "${ACR.password}", expected "${ACR.mfa}" (acr_values)`,
    );
  });

  it.each([
    [
      "no acr",
      { acr_values: [ACR.mfa, "2"] },
      {},
      'unexpected "acr": missing, expected "urn:example:mfa" or "2" (acr_values)',
    ],
    ["an acr that is a list", { acr_values: [ACR.mfa] }, { acr: [ACR.mfa] }, 'unexpected "acr"'],
    ["no auth_time", { max_age: 60 }, {}, '"auth_time" is missing, expected a number (max_age)'],
  ])("is refused with %s", async (_, settings, claims, reason) => {
    expect(await refusalOf(logIn(settings, claims))).toContain(`id-token: ${reason}`);
  });

  it.each([
    ["as long ago as allowed, and a minute", -3600 - 58, /^not refused$/],
    [
      "longer ago",
      -3600 - 65,
      /^id-token: "auth_time" is too long ago: .*Z, 366\d s ago \(leeway 60 s\); check the clocks of both; expected at most 3600 s before the login \(max_age\)$/,
    ],
    ["in the future, by less than a minute", 50, /^not refused$/],
    [
      "in the future",
      70,
      /^id-token: "auth_time" is in the future: .*Z, in (?:6\d|70) s \(leeway 60 s\); check the clocks of both$/,
    ],
  ])("with an authentication %s", async (_, offset, outcome) => {
    expect(await refusalOf(logIn({ max_age: 3600 }, { auth_time: seconds() + offset }))).toMatch(outcome);
  });

  it("with an expired ID token is refused with the offset of its time", async () => {
    expect(await refusalOf(logIn({}, { exp: seconds() - 900 }))).toMatch(
      /"exp".*: 20\d\d-[\d-]*T[\d:]*Z, 90\d s ago \(leeway 60 s\); check the clocks of both/,
    );
  });
});

describe("an access token", () => {
  const settings = { acr_values: [ACR.mfa], max_age: 300 };
  const claims = (others: object) => ({
    iss: op.issuer,
    sub: "kim",
    aud: AUDIENCE,
    scope: "a",
    exp: seconds() + 300,
    ...others,
  });
  const present = async (others: object) =>
    verifier.verify(bearing(await op.keys.sign(claims(others))), protocolOf(op.issuer, settings));

  it("is accepted with both claims (RFC 9470)", async () => {
    expect(await assertionFor(present({ acr: ACR.mfa, auth_time: seconds() - 340 }))).toMatchObject({
      attributes: { "OIDC-acr": ACR.mfa },
    });
  });

  it.each([
    [
      "another class",
      { acr: ACR.password, auth_time: 1 },
      /^access-token: unexpected "acr": "urn:example:password"/,
    ],
    ["neither", {}, /^access-token: unexpected "acr": missing/],
    [
      "a time that is text",
      { acr: ACR.mfa, auth_time: "1" },
      /^access-token: "auth_time" is of type string, expected a number \(max_age\)$/,
    ],
    ["no time", { acr: ACR.mfa }, /^access-token: "auth_time" is missing/],
    [
      "an old time",
      { acr: ACR.mfa, auth_time: 1_700_000_000 },
      /^access-token: "auth_time" is too long ago: 2023-11-14T22:13:20Z/,
    ],
  ])("is refused with %s", async (_, others, reason) => {
    expect(await refusalOf(present(others))).toMatch(reason);
  });

  it("that is opaque is refused where introspection names neither", async () => {
    const { access_token: token = "" } = await op.token({
      grant_type: "password",
      username: "kim",
      password: "kimpw",
      scope: "openid",
    });
    expect(await assertionFor(verifier.verify(bearing(token), protocolOf(op.issuer)))).toMatchObject({
      remoteId: op.issuer,
    });
    expect(await refusalOf(verifier.verify(bearing(token), protocolOf(op.issuer, settings)))).toMatch(
      /^access-token: unexpected "acr": missing/,
    );
  });
});
