/** Tokens that no key of the provider can verify: the reason names what came and what is expected. */
import { createHash } from "node:crypto";

import { EncryptJWT, SignJWT, UnsecuredJWT } from "jose";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { isBrowserStep } from "../../../src/federation/assertion-verifier.js";
import { createPendingLogins } from "../../../src/federation/browser/pending-logins.js";
import type { Database } from "../../../src/platform/database/database.js";
import { openDatabase } from "../../../src/platform/database/open-database.js";
import { toMasterKey } from "../../../src/platform/secrets/sealing.js";
import { sqliteDatabases, type TestDatabase } from "../../databases.js";
import { migratedDatabase } from "../../migrated-databases.js";
import { createBrowser } from "./test-browser.js";
import {
  AUDIENCE,
  AUTH_URL,
  CLIENT_ID,
  CLIENT_SECRET,
  signingKeys,
  startProvider,
  type TestProvider,
} from "./test-provider.js";
import { bearing, protocolOf, refusalOf, requestOf, testVerifier } from "./test-verifier.js";

const secret = createHash("sha256").update(CLIENT_SECRET).digest();
const ENCRYPTED =
  'the token is encrypted (JWE with "alg" "dir" and "enc" "A256GCM"), expected a signed JWT: turn its encryption off at the provider';
const ALGORITHMS = "RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA, Ed25519";

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

const seconds = () => Math.floor(Date.now() / 1000);
const claims = (others: object = {}): Record<string, unknown> => ({
  iss: op.issuer,
  sub: "kim",
  aud: AUDIENCE,
  exp: seconds() + 60,
  iat: seconds(),
  ...others,
});
const jwe = (content: Record<string, unknown>) =>
  new EncryptJWT(content).setProtectedHeader({ alg: "dir", enc: "A256GCM" }).encrypt(secret);
const hmac = (content: Record<string, unknown>) =>
  new SignJWT(content).setProtectedHeader({ alg: "HS256", typ: "at+jwt" }).sign(secret);

describe("an access token", () => {
  const use = async (token: string | Promise<string>) =>
    refusalOf(testVerifier().verify(bearing(await token), protocolOf(op.issuer)));
  const withoutIntrospection = () =>
    op.answers.set("/.well-known/openid-configuration", (_, response) =>
      response.end(JSON.stringify({ issuer: op.issuer, jwks_uri: `${op.issuer}/jwks` })),
    );

  it("that is encrypted is named as that", async () => {
    expect(await use(jwe(claims()))).toContain(`: unsupported_token_type; ${ENCRYPTED}; status 400`);
    op.answers.set("/token/introspection", (_, response) =>
      response.setHeader("content-type", "application/json").end('{"active":false}'),
    );
    expect(await use(jwe(claims()))).toBe(
      `access-token: the provider's introspection reports that the token is not active; ${ENCRYPTED}`,
    );
    withoutIntrospection();
    expect(await use(jwe(claims()))).toBe(`access-token: ${ENCRYPTED}`);
  });

  it.each<[string, () => string | Promise<string>, string]>([
    [
      "signed with the client's secret",
      () => hmac(claims()),
      `"alg" of the token's header is "HS256", expected ${ALGORITHMS}: have the provider sign with a key of its own, not with the client's secret`,
    ],
    [
      "not signed",
      () => new UnsecuredJWT(claims()).encode() + "AA",
      `"alg" of the token's header is "none", expected ${ALGORITHMS}`,
    ],
    [
      "of an unknown algorithm",
      async () => `${Buffer.from('{"alg":"XY\\u001b[31m","kid":"first"}').toString("base64url")}.e30.AA`,
      String.raw`"alg" of the token's header is "XY\u001b[31m", expected ${ALGORITHMS}`,
    ],
    [
      "by an unknown key",
      () => signingKeys("second").sign(claims()),
      `no applicable key found in the JSON Web Key Set: "alg" is "RS256", "kid" is "second", expected a key of the JWKS, "kid" "first"`,
    ],
    [
      "by another key of the same kid",
      () => signingKeys("first").sign(claims()),
      `signature verification failed: "alg" is "RS256", "kid" is "first", expected a key of the JWKS, "kid" "first"`,
    ],
    [
      "by another key, without kid",
      () => signingKeys("x").sign(claims(), { kid: undefined }),
      `signature verification failed: "alg" is "RS256", "kid" is missing, expected a key of the JWKS, "kid" "first"`,
    ],
    [
      "without aud",
      () => op.keys.sign(claims({ aud: undefined })),
      `missing required "aud" claim: missing, expected "${CLIENT_ID}" or "${AUDIENCE}"`,
    ],
  ])("that is %s is rejected with what came and what is expected", async (_, make, reason) => {
    expect(await use(make())).toBe(`access-token: ${reason}`);
  });

  it("of a workload that is encrypted is named as that", async () => {
    const settings = { token_kinds: ["workload"], conditions: [{ claim: "sub", values: ["kim"] }] } as const;
    const protocol = protocolOf(op.issuer, settings as never);
    expect(await refusalOf(testVerifier().verify(bearing(await jwe(claims())), protocol))).toBe(
      `workload: ${ENCRYPTED}`,
    );
  });
});

describe("an ID token", () => {
  async function logIn(make: (content: Record<string, unknown>) => Promise<string>, others: object = {}) {
    const clock = { now: Date.now };
    const masterKey = toMasterKey(Buffer.alloc(32, 5));
    const verifier = testVerifier({
      clock,
      pendingLogins: createPendingLogins({ database, clock, masterKey }),
    });
    const browser = createBrowser();
    const step = await verifier.verify(requestOf(), protocolOf(op.issuer));
    if (!isBrowserStep(step)) throw new TypeError("expected a browser step");
    browser.keep(AUTH_URL, [step.headers["set-cookie"] ?? []].flat());
    const location = new URL(String(step.headers["location"]));
    const { searchParams } = await browser.follow(location.href, AUTH_URL);
    const nonce = location.searchParams.get("nonce") ?? "";
    const id_token = await make(claims({ aud: CLIENT_ID, nonce, ...others }));
    op.answers.set("/token", (_, response) => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ access_token: "a", token_type: "Bearer", id_token }));
    });
    const headers = { cookie: browser.cookiesFor(AUTH_URL) };
    return refusalOf(
      verifier.verify(requestOf({ headers, query: new Map(searchParams) }), protocolOf(op.issuer)),
    );
  }
  const sign = (content: Record<string, unknown>) => op.keys.sign(content, { typ: "JWT" });

  it("that is encrypted is named as that", async () => {
    expect(await logIn(jwe)).toContain(ENCRYPTED);
  });

  it("that is signed with the client's secret is named as that, whatever the provider announces", async () => {
    expect(await logIn(hmac)).toMatch(/"alg" of the token's header is "HS256", expected .*RS256/);
    const { body } = { body: await (await fetch(`${op.issuer}/.well-known/openid-configuration`)).json() };
    const document = { ...(body as object), id_token_signing_alg_values_supported: ["HS256"] };
    op.answers.set("/.well-known/openid-configuration", (_, response) =>
      response.end(JSON.stringify(document)),
    );
    expect(await logIn(hmac)).toMatch(/"alg" of the token's header is "HS256", expected RS256/);
  });

  it.each([
    ["aud", /JWT "aud" \(audience\) claim missing: expected the client_id of the settings/],
    ["iss", /JWT "iss" \(issuer\) claim missing: expected the issuer of the settings/],
    ["sub", /JWT "sub" \(subject\) claim missing: expected the user's id/],
  ])("without %s is rejected with what is expected", async (claim, reason) => {
    expect(await logIn(sign, { [claim]: undefined })).toMatch(reason);
  });

  it("with another azp is rejected with both", async () => {
    expect(await logIn(sign, { azp: "other" })).toBe(
      `id-token: unexpected "azp": "other", expected the client_id "${CLIENT_ID}"`,
    );
  });
});
