/** Peculiarities of single providers: their tokens are accepted, others are rejected. */
import type { ServerResponse } from "node:http";

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { publicKey, signingKeys, startProvider, type TestProvider } from "./test-provider.js";
import { assertionFor, bearing, protocolOf, refusalOf, requestOf, testVerifier } from "./test-verifier.js";

let op: TestProvider;
beforeAll(async () => {
  op = await startProvider();
});
beforeEach(() => op.answers.clear());
afterAll(() => op.close());

const now = (): number => Math.floor(Date.now() / 1000);

function answerJson(path: string, body: object, status = 200): void {
  op.answers.set(path, (_, response: ServerResponse) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
}

/** Sets the provider's discovery document. Each verifier of a test downloads it again. */
function describeAs(metadata: object): void {
  answerJson("/.well-known/openid-configuration", {
    issuer: op.issuer,
    jwks_uri: `${op.issuer}/jwks`,
    userinfo_endpoint: `${op.issuer}/me`,
    ...metadata,
  });
}

describe("AD FS", () => {
  const AUDIENCE = "microsoft:identityserver:6c9e0c86-7d5e-4c43-9ba5-6bd6e1e3a0a5";
  const TRUST = "http://adfs.example.org/adfs/services/trust";

  /** As AD FS of 2016 and 2019 issue them: without a subject, and with the name of no key. */
  const accessToken = (others: object = {}, header: object = {}) =>
    op.keys.sign(
      { iss: TRUST, aud: AUDIENCE, exp: now() + 300, appid: "a", scp: "openid", upn: "kim", ...others },
      { typ: "JWT", kid: undefined, ...header },
    );
  const login = (token: string) =>
    testVerifier().verify(bearing(token), protocolOf(op.issuer, { audiences: [AUDIENCE] }));

  beforeEach(() => describeAs({ access_token_issuer: TRUST }));

  it("has another issuer in access tokens, and no subject", async () => {
    const { attributes, remoteId } = await assertionFor(login(await accessToken()));
    expect({ attributes, remoteId }).toMatchObject({
      attributes: { "OIDC-upn": "kim", "OIDC-iss": TRUST },
      remoteId: op.issuer,
    });
    expect(attributes).not.toHaveProperty("REMOTE_USER");
  });

  it("has no other issuer than that of its discovery document", async () => {
    expect(await refusalOf(login(await accessToken({ iss: op.issuer })))).toMatch(/"iss"/);
    expect(await refusalOf(login(await accessToken({ iss: `${TRUST}/` })))).toMatch(/"iss"/);
    describeAs({});
    expect(await refusalOf(login(await accessToken({ sub: "s" })))).toMatch(/"iss"/);
  });

  it("issues access tokens for its own userinfo, which are not for us", async () => {
    expect(await refusalOf(login(await accessToken({ aud: "urn:microsoft:userinfo" })))).toMatch(/"aud"/);
  });

  it("signs ID tokens by the same key, which are no access tokens", async () => {
    const claims = { iss: TRUST, sub: "s", aud: AUDIENCE, exp: now() + 300, upn: "kim" };
    const token = await op.keys.sign(claims, { typ: "JWT" });
    expect(await refusalOf(login(token))).toMatch(/no access token/);
  });

  it("may have two keys while it changes them, of which a token names none", async () => {
    const [next, foreign] = [signingKeys("next"), signingKeys("foreign")];
    answerJson("/jwks", { keys: [publicKey(next), publicKey(op.keys)] });
    expect(await assertionFor(login(await accessToken()))).toMatchObject({ remoteId: op.issuer });
    const claims = { iss: TRUST, aud: AUDIENCE, exp: now() + 300, appid: "a" };
    const forged = await foreign.sign(claims, { typ: "JWT", kid: undefined });
    expect(await refusalOf(login(forged))).toMatch(/signature verification failed/);
    const over = await next.sign({ ...claims, exp: now() - 300 }, { typ: "JWT", kid: undefined });
    expect(await refusalOf(login(over))).toMatch(/"exp"/);
  });
});

describe("Google", () => {
  const CLIENT = "1234987819200.apps.googleusercontent.com";
  const TOKEN = "ya29.a0AfB_opaque";
  /** What it answers to a token, in texts. */
  const info = (others: object = {}) => ({
    azp: CLIENT,
    aud: CLIENT,
    sub: "110169484474386276334",
    scope: "https://www.googleapis.com/auth/userinfo.email openid",
    exp: String(now() + 3000),
    expires_in: "3000",
    email: "kim@example.org",
    email_verified: "true",
    access_type: "online",
    ...others,
  });
  const login = (token = TOKEN, path = `${op.issuer}/tokeninfo`) =>
    testVerifier().verify(
      bearing(token),
      protocolOf(op.issuer, { client_id: CLIENT, audiences: [], token_info_url: path }),
    );

  beforeEach(() => {
    describeAs({});
    answerJson("/me", { sub: "110169484474386276334", hd: "example.org", email: "kim@example.org" });
  });

  it("returns the audience by tokeninfo, and the subject by userinfo", async () => {
    const asked: (string | undefined)[] = [];
    op.answers.set("/tokeninfo", ({ method, headers, url }, response) => {
      asked.push(method, headers.authorization, url);
      response.end(JSON.stringify(info()));
    });
    const { attributes } = await assertionFor(login());
    expect(attributes).toMatchObject({
      "OIDC-sub": "110169484474386276334",
      "OIDC-email_verified": "true",
      "OIDC-hd": "example.org",
      "OIDC-iss": op.issuer,
    });
    // The token is in no address, which others would log.
    expect(asked).toEqual(["POST", `Bearer ${TOKEN}`, "/tokeninfo"]);
  });

  it.each([
    ["a token of another application", { aud: "evil.apps.googleusercontent.com" }, /"aud"/],
    ["a token for another audience that names us as azp", { aud: "evil", azp: CLIENT }, /"aud"/],
    ["a token without an audience", { aud: undefined }, /lacks a valid/],
    ["a token for several", { aud: [CLIENT, "evil"] }, /lacks a valid/],
    ["a token that is over", { exp: String(now() - 61) }, /expired/],
    ["a token without an end", { exp: undefined }, /lacks a valid/],
    ["a token without a user", { sub: undefined }, /scope openid/],
    ["a token of another user than userinfo returns", { sub: "1" }, /^userinfo: /],
  ])("rejects %s", async (_, others, reason) => {
    answerJson("/tokeninfo", info(others));
    expect(await refusalOf(login())).toMatch(reason);
  });

  it("rejects a token that the provider doesn't know", async () => {
    answerJson("/tokeninfo", { error_description: "Invalid Value" }, 400);
    expect(await refusalOf(login())).toBe(
      'token-info: the provider answers with status 400; content type "application/json"; error_description "Invalid Value"',
    );
  });

  it("rejects a token that userinfo doesn't accept", async () => {
    answerJson("/tokeninfo", info());
    answerJson("/me", { error: "invalid_request" }, 401);
    expect(await refusalOf(login())).toMatch(/^userinfo: /);
  });

  it("rejects an ID token as bearer token, without a request to the provider", async () => {
    const claims = {
      iss: op.issuer,
      aud: CLIENT,
      azp: CLIENT,
      sub: "1",
      exp: now() + 300,
      hd: "example.org",
    };
    const token = await op.keys.sign(claims, { typ: "JWT" });
    const before = op.asked.length;
    expect(await refusalOf(login(token))).toMatch(/no access token/);
    expect(op.asked.slice(before)).not.toContain("/tokeninfo");
  });

  it("is not asked at an address inside", async () => {
    expect(await refusalOf(login(TOKEN, "http://10.0.0.1/tokeninfo"))).toMatch(/is not public/);
  });

  it("rejects an opaque access token without introspection endpoint", async () => {
    const protocol = protocolOf(op.issuer, { client_id: CLIENT, audiences: [] });
    expect(await refusalOf(testVerifier().verify(bearing(TOKEN), protocol))).toMatch(/no introspection/);
  });
});

describe("Entra ID", () => {
  const claims = (others: object) => ({ iss: op.issuer, aud: "api", exp: now() + 300, sub: "s", ...others });

  it("omits the groups of a user who has too many, which is logged", async () => {
    describeAs({});
    const token = await op.keys.sign(
      claims({
        azpacr: "1",
        _claim_names: { groups: "src1" },
        _claim_sources: { src1: { endpoint: "https://graph.windows.net/t/users/u/getMemberObjects" } },
      }),
      { typ: "JWT" },
    );
    const protocol = protocolOf(op.issuer, { audiences: ["api"] });
    const { attributes, leftOut } = await assertionFor(testVerifier().verify(bearing(token), protocol));
    expect(attributes).not.toHaveProperty("OIDC-groups");
    expect(leftOut).toContainEqual({
      reason: "the provider has left out claims of a user, as too many",
      attributes: ["OIDC-groups", "HTTP_OIDC_GROUPS"],
    });
  });

  it("has a placeholder as issuer when every tenant is accepted, which matches no token", async () => {
    const issuer = `${op.issuer}/organizations/v2.0`;
    answerJson("/organizations/v2.0/.well-known/openid-configuration", {
      issuer: `${op.issuer}/{tenantid}/v2.0`,
      jwks_uri: `${op.issuer}/jwks`,
    });
    expect(await refusalOf(testVerifier().verify(requestOf(), protocolOf(issuer)))).toBe(
      `discovery: discovery document names issuer "${op.issuer}/{tenantid}/v2.0", expected the setting's "${issuer}"`,
    );
  });
});

describe("a client that proves itself by its secret", () => {
  /** What the provider is shown by a client of this name and secret. */
  async function shown(client_id: string, client_secret: string): Promise<string> {
    describeAs({ introspection_endpoint: `${op.issuer}/introspect` });
    let authorization = "";
    op.answers.set("/introspect", ({ headers }, response) => {
      authorization = headers.authorization ?? "";
      response.setHeader("content-type", "application/json").end(JSON.stringify({ active: false }));
    });
    await refusalOf(
      testVerifier().verify(bearing("opaque"), protocolOf(op.issuer, { client_id, client_secret })),
    );
    return Buffer.from(authorization.replace("Basic ", ""), "base64").toString();
  }

  it("shows the dots and tildes of Google and Entra ID as they are, to providers that don't decode them", async () => {
    const id = "1234987819200-cli.apps.googleusercontent.com";
    expect(await shown(id, "abc8Q~dEf.gH-i_j")).toBe(`${id}:abc8Q~dEf.gH-i_j`);
  });

  it("encodes what would mean something else", async () => {
    expect(await shown("a:b", "100% a+b ü")).toBe("a%3Ab:100%25+a%2Bb+%C3%BC");
  });
});
