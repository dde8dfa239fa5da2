/** Login with an access token of a real provider, and with invalid ones. */
import { createHmac, createPublicKey } from "node:crypto";

import type { Client } from "oidc-provider";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  AUDIENCE,
  CLIENT_ID,
  CLIENT_KEYS,
  KIM,
  PASSWORD,
  signingKeys,
  startProvider,
  type TestProvider,
} from "./test-provider.js";
import { assertionFor, bearing, protocolOf, refusalOf, requestOf, testVerifier } from "./test-verifier.js";

let op: TestProvider;
beforeAll(async () => {
  op = await startProvider();
});
afterAll(() => op.close());

const verifier = testVerifier();
const now = (): number => Math.floor(Date.now() / 1000);

/** Claims of a valid access token, with a test's changes. */
function claims(others: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    iss: op.issuer,
    sub: "kim",
    aud: AUDIENCE,
    client_id: "cli",
    scope: "openid",
    email: "kim@example.org",
    iat: now(),
    exp: now() + 300,
    ...others,
  };
}

const login = (token: string) => verifier.verify(bearing(token), protocolOf(op.issuer));
const passwordGrant = (scope: string) =>
  op.token({ grant_type: "password", username: "kim", password: PASSWORD, scope });

/** Settings of a client that signs, with its key in a form of PEM. */
function signer(kind: keyof typeof CLIENT_KEYS, type: "pkcs8" | "pkcs1" | "sec1") {
  const pem = CLIENT_KEYS[kind].export({ type, format: "pem" }).toString();
  return { client_id: `signer-${kind}`, client_private_key: pem };
}

describe("login with an access token", () => {
  it("takes a JWT of the provider's", async () => {
    const { access_token: token = "" } = await op.token({
      grant_type: "client_credentials",
      resource: AUDIENCE,
      scope: "cloud",
    });
    const assertion = await assertionFor(login(token));
    expect(assertion).toMatchObject({
      identityProviderId: "op",
      protocolId: "openid",
      remoteId: op.issuer,
      attributes: { "OIDC-sub": CLIENT_ID, HTTP_OIDC_ISS: op.issuer, "OIDC-scope": "cloud" },
    });
  });

  it("takes a JWT that may be an ID token as well where userinfo answers to it, which adds what that knows", async () => {
    op.answers.set("/me", (_, response) => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ sub: "kim", groups: ["staff"] }));
    });
    const token = await op.keys.sign(claims({ aud: CLIENT_ID }), { typ: "JWT" });
    const { attributes } = await assertionFor(login(token));
    op.answers.delete("/me");
    expect(attributes).toMatchObject({ "OIDC-sub": "kim", "OIDC-groups": "staff" });
  });

  it("takes a JWT without asking the provider again", async () => {
    const token = await op.keys.sign(claims());
    await login(token);
    const before = op.asked.length;
    const { attributes } = await assertionFor(login(token));
    expect(attributes).toMatchObject({ "OIDC-email": "kim@example.org", "OIDC-iss": op.issuer });
    expect(op.asked.slice(before)).toEqual([]);
  });

  it("accepts an opaque token by introspection, with the claims of userinfo", async () => {
    const { access_token: token = "" } = await passwordGrant("openid profile email");
    const { attributes } = await assertionFor(login(token));
    expect(attributes).toMatchObject({
      "OIDC-sub": KIM.sub,
      "OIDC-iss": op.issuer,
      "OIDC-preferred_username": KIM.preferred_username,
      HTTP_OIDC_EMAIL: KIM.email,
      "OIDC-groups": "staff;operators",
      "OIDC-address.country": "FI",
      "OIDC-client_id": CLIENT_ID,
    });
  });

  it("takes an opaque token without userinfo where it was not issued for that", async () => {
    const { access_token: token = "" } = await op.token({ grant_type: "client_credentials" });
    const { attributes } = await assertionFor(login(token));
    expect(attributes).toMatchObject({ "OIDC-client_id": CLIENT_ID, REMOTE_USER: CLIENT_ID });
  });

  it("refuses an opaque token that was issued to another client", async () => {
    const other = (await op.provider.Client.find("other")) as Client;
    const saved = await new op.provider.ClientCredentials({ client: other }).save();
    expect(await refusalOf(login(saved))).toMatch(
      /^access-token: unexpected "aud" or "client_id": .*, expected /,
    );
    const asAudience = protocolOf(op.issuer, { audiences: ["other"] });
    const { attributes } = await assertionFor(verifier.verify(bearing(saved), asAudience));
    expect(attributes).toMatchObject({ "OIDC-client_id": "other" });
  });

  it.each([
    ["its secret in a form", { client_id: "poster", client_auth_method: "client_secret_post" as const }],
    ["a signature", signer("rsa", "pkcs8")],
    ["a signature by a key of an older form", signer("rsa", "pkcs1")],
    ["a signature on an elliptic curve", signer("ec", "sec1")],
  ])("asks the provider as a client that proves itself by %s", async (_, settings) => {
    const { access_token: token = "" } = await passwordGrant("openid");
    const protocol = protocolOf(op.issuer, { audiences: [CLIENT_ID], ...settings });
    expect(await assertionFor(verifier.verify(bearing(token), protocol))).toMatchObject({
      remoteId: op.issuer,
    });
  });

  it.each([
    ["a wrong secret", { client_secret: "wrong" }, /^introspection: .*invalid_client/],
    ["another key", { ...signer("ec", "sec1"), client_id: "signer-rsa" }, /invalid_client/],
    [
      "no secret",
      { client_secret: null, client_auth_method: "client_secret_basic" as const },
      /no client_secret/,
    ],
    ["what is no key", { client_private_key: "-----BEGIN NONSENSE" }, /^discovery: /],
  ])("rejects every login when the client has %s", async (_, settings, reason) => {
    const { access_token: token = "" } = await passwordGrant("openid");
    const protocol = protocolOf(op.issuer, { audiences: [CLIENT_ID], ...settings });
    expect(await refusalOf(verifier.verify(bearing(token), protocol))).toMatch(reason);
  });

  it("refuses a refresh token, which introspection calls active too", async () => {
    const { refresh_token: token = "" } = await passwordGrant("openid");
    expect(await refusalOf(login(token))).toMatch(/^userinfo: /);
  });

  it("rejects an opaque token that the provider has not issued", async () => {
    expect(await refusalOf(login("made-up"))).toBe(
      "access-token: the provider's introspection reports that the token is not active",
    );
  });

  it("refuses an opaque token where the provider has no introspection", async () => {
    const plain = await startProvider();
    plain.answers.set("/.well-known/openid-configuration", (_, response) =>
      response.end(JSON.stringify({ issuer: plain.issuer, jwks_uri: `${plain.issuer}/jwks` })),
    );
    const verifying = verifier.verify(bearing("opaque"), protocolOf(plain.issuer));
    expect(await refusalOf(verifying)).toMatch(/no introspection/);
    await plain.close();
  });

  it("rejects other credentials, and missing ones when no redirect is possible", async () => {
    const basic = requestOf({ headers: { authorization: "Basic a2ltOmtpbXB3" } });
    expect(await refusalOf(verifier.verify(basic, protocolOf(op.issuer)))).toMatch(/no access token/);
    const nothing = requestOf({ method: "POST" });
    expect(await refusalOf(verifier.verify(nothing, protocolOf(op.issuer)))).toMatch(/no access token/);
  });

  it.each([
    ["of an older provider, with a scope", { scope: "email" }, "JWT"],
    ["of Okta", { scope: undefined, client_id: undefined, cid: "cli", scp: ["email"] }, "JWT"],
    ["of Keycloak", { scope: undefined, client_id: undefined, typ: "Bearer", azp: "cli" }, "JWT"],
    ["of Entra ID", { scope: undefined, client_id: undefined, azp: "cli", azpacr: "1" }, "JWT"],
    [
      "for the client itself, of Entra ID",
      { aud: CLIENT_ID, scope: undefined, scp: "email", azpacr: "1" },
      "JWT",
    ],
    ["for several audiences", { aud: ["https://other.example.org", AUDIENCE] }, "at+jwt"],
    ["for the client itself", { aud: CLIENT_ID }, "application/at+jwt"],
    ["that ended less than 60 s ago, by our clock", { exp: now() - 30 }, "at+jwt"],
    ["issued in less than 60 s, by our clock", { iat: now() + 50 }, "at+jwt"],
    ["without the time of its issue", { iat: undefined }, "at+jwt"],
  ])("takes a JWT %s", async (_, others, typ) => {
    const { attributes } = await assertionFor(login(await op.keys.sign(claims(others), { typ })));
    expect(attributes).toMatchObject({ "OIDC-sub": "kim" });
  });
});

describe("attacks with a token are refused:", () => {
  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

  it("alg none", async () => {
    const token = `${encode({ alg: "none", typ: "at+jwt" })}.${encode(claims())}.`;
    expect(await refusalOf(login(token))).toMatch(
      /^access-token: "alg" of the token's header is "(?:none|HS256)", expected RS256, /,
    );
  });

  it("HS256 with the public key", async () => {
    const pem = createPublicKey({ key: op.keys.jwk, format: "jwk" }).export({ type: "spki", format: "pem" });
    const signed = `${encode({ alg: "HS256", kid: "first", typ: "at+jwt" })}.${encode(claims())}`;
    const token = `${signed}.${createHmac("sha256", pem).update(signed).digest("base64url")}`;
    expect(await refusalOf(login(token))).toMatch(
      /^access-token: "alg" of the token's header is "(?:none|HS256)", expected RS256, /,
    );
  });

  it.each([
    [
      "wrong aud",
      { aud: "https://other.example.org" },
      /"aud" .*: "https:\/\/other\.example\.org", expected "identity" or /,
    ],
    ["no aud", { aud: undefined }, /"aud"/],
    ["wrong iss", { iss: "https://other.example.org" }, /"iss"/],
    [
      "expired",
      { exp: now() - 61 },
      /"exp" .*: 20\d\d-.*Z, 6\d s ago \(leeway 60 s\); check the clocks of both/,
    ],
    ["without an end", { exp: undefined }, /"exp"/],
    ["not valid yet", { nbf: now() + 120 }, /"nbf"/],
    [
      "issued in the future",
      { iat: now() + 120 },
      /^access-token: "iat" is in the future: 20\d\d-.*Z, in \d+ s \(leeway 60 s\); check the clocks of both$/,
    ],
    ["without a subject", { sub: undefined }, /"sub"/],
    ["bound to a key of its owner", { cnf: { jkt: "x" } }, /bound to a key/],
  ])("%s", async (_, others, reason) => {
    expect(await refusalOf(login(await op.keys.sign(claims(others))))).toMatch(reason);
  });

  it.each([
    ["id token as access token", { aud: CLIENT_ID, scope: undefined, client_id: undefined }, "JWT"],
    ["id token with a nonce as access token", { aud: CLIENT_ID, nonce: "n" }, "JWT"],
    ["id token of Keycloak as access token", { aud: CLIENT_ID, typ: "ID" }, "JWT"],
    ["refresh token of Keycloak as access token", { typ: "Refresh" }, "JWT"],
    ["logout token as access token", { events: {} }, "logout+jwt"],
    ["proof of a key as access token", {}, "dpop+jwt"],
  ])("%s", async (_, others, typ) => {
    const token = await op.keys.sign(claims(others), { typ });
    expect(await refusalOf(login(token))).toMatch(
      /^access-token: the token is signed, but is no access token: "typ" of its header is /,
    );
  });

  const idTokens: [string, Record<string, unknown>][] = [
    ["with a scope", { aud: CLIENT_ID, client_id: undefined }],
    ["with a scope and the client's id", { aud: CLIENT_ID }],
    ["with a scope, for several audiences", { aud: [AUDIENCE, CLIENT_ID], client_id: undefined }],
    ["with a scope, for another client that is an audience", { client_id: undefined }],
    ["with a scope, issued to another client that is an audience", { azp: AUDIENCE, client_id: undefined }],
    ["with a scope and the id of another client that is an audience", { client_id: AUDIENCE }],
  ];

  it.each(idTokens)("id token %s as access token, which userinfo does not take", async (_, others) => {
    const token = await op.keys.sign(claims(others), { typ: "JWT" });
    expect(await refusalOf(login(token))).toMatch(/^userinfo: /);
  });

  it.each(idTokens)("id token %s as access token, where the provider has no userinfo", async (_, others) => {
    op.answers.set("/.well-known/openid-configuration", (_request, response) =>
      response.end(JSON.stringify({ issuer: op.issuer, jwks_uri: `${op.issuer}/jwks` })),
    );
    const token = await op.keys.sign(claims(others), { typ: "JWT" });
    const refusal = await refusalOf(testVerifier().verify(bearing(token), protocolOf(op.issuer)));
    op.answers.clear();
    expect(refusal).toMatch(/^userinfo: /);
  });

  it("id token of Cognito as access token", async () => {
    const token = await op.keys.sign(claims({ token_use: "id" }), { typ: "JWT" });
    expect(await refusalOf(login(token))).toMatch(
      /^access-token: the token is signed, but is no access token: "typ" of its header is /,
    );
  });

  describe("introspection that answers", () => {
    const answering = async (others: object) => {
      op.answers.set("/token/introspection", (_, response) => {
        response.setHeader("content-type", "application/json");
        const told = { active: true, client_id: CLIENT_ID, token_type: "Bearer", sub: "kim" };
        response.end(JSON.stringify({ ...told, ...others }));
      });
      const refusal = await refusalOf(login("opaque"));
      op.answers.clear();
      return refusal;
    };

    it.each([
      [
        "an end in the past as text",
        { exp: String(now() - 3600) },
        '"exp" is of type string, expected a number',
      ],
      [
        "an end in the future as text",
        { exp: String(now() + 3600) },
        '"exp" is of type string, expected a number',
      ],
      ["a date as end", { exp: "2020-01-01T00:00:00Z" }, '"exp" is of type string, expected a number'],
      ["a list as end", { exp: [now() + 3600] }, '"exp" is of type object, expected a number'],
      ["null as end", { exp: null }, '"exp" is of type null, expected a number'],
      ["an end in the past", { exp: now() - 61 }, "the token has expired"],
      ["a beginning in the future", { nbf: now() + 120 }, "the token is not yet valid"],
      ["an issue in the future", { iat: now() + 120 }, '"iat" is in the future: 20'],
      ["a beginning as text", { nbf: String(now() - 120) }, '"nbf" is of type string, expected a number'],
    ])("%s", async (_, others, reason) => {
      expect(await answering(others)).toContain(`access-token: ${reason}`);
    });

    it.each([
      ["no time", {}],
      ["times within the tolerance of 60 s", { exp: now() - 30, nbf: now() + 30, iat: now() + 30 }],
    ])("%s is taken", async (_, others) => {
      expect(await answering(others)).toBe("not refused");
    });
  });

  it("signed by another key under the provider's key id", async () => {
    const token = await signingKeys("first").sign(claims());
    expect(await refusalOf(login(token))).toMatch(/signature verification failed/);
  });

  it("key embedded in the header", async () => {
    const forged = signingKeys("forged");
    const { kty, n, e } = forged.jwk;
    const token = await forged.sign(claims(), { jwk: { kty, n, e }, jku: `${op.issuer}/jwks` });
    expect(await refusalOf(login(token))).toMatch(/no applicable key/);
  });

  it("claims changed after they were signed", async () => {
    const [header, , signature] = (await op.keys.sign(claims())).split(".");
    const token = `${header}.${encode(claims({ sub: "admin" }))}.${signature}`;
    expect(await refusalOf(login(token))).toMatch(/signature verification failed/);
  });

  it("userinfo of another user", async () => {
    const { access_token: token = "" } = await passwordGrant("openid profile email");
    op.answers.set("/me", (_, response) => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ sub: "admin", email: "admin@example.org", groups: ["admins"] }));
    });
    const { attributes } = await assertionFor(login(token));
    op.answers.delete("/me");
    expect(attributes).toMatchObject({ "OIDC-sub": "kim" });
    expect(attributes).not.toHaveProperty("OIDC-groups");
  });
});
