/** Settings about access tokens: `access_token_clients` and `userinfo`. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { AUDIENCE, CLIENT_ID, startProvider, type TestProvider } from "./test-provider.js";
import { assertionFor, bearing, protocolOf, refusalOf, testVerifier } from "./test-verifier.js";

let op: TestProvider;
beforeAll(async () => {
  op = await startProvider();
});
afterAll(() => op.close());
afterEach(() => op.answers.clear());

const verifier = testVerifier();
const now = (): number => Math.floor(Date.now() / 1000);

/** Claims of a valid access token, with a test's changes. */
const claims = (others: Record<string, unknown> = {}) => ({
  iss: op.issuer,
  sub: "kim",
  aud: AUDIENCE,
  client_id: "cli",
  scope: "openid",
  email: "kim@example.org",
  exp: now() + 300,
  ...others,
});

describe("a provider whose audience is a list of scopes", () => {
  const SCOPES = "openid profile";
  const loginOf = async (others: Record<string, unknown>, listed = ["cli"], typ = "at+jwt") =>
    verifier.verify(
      bearing(await op.keys.sign(claims({ aud: SCOPES, ...others }), { typ })),
      protocolOf(op.issuer, { access_token_clients: listed }),
    );

  it.each([
    ["by its client", {}],
    ["by azp", { client_id: undefined, azp: "cli" }],
    ["by both", { azp: "cli" }],
    ["by its audience", { aud: AUDIENCE, client_id: "other" }],
  ])("is accepted %s", async (_, others) => {
    expect((await assertionFor(loginOf(others))).attributes).toMatchObject({ "OIDC-sub": "kim" });
  });

  it.each([
    ["another client", { client_id: "other" }],
    ["no client", { client_id: undefined }],
    ["two clients, of which one is another", { azp: "other" }],
    ["two clients, of which the other is another", { client_id: "other", azp: "cli" }],
    ["a list of clients", { client_id: ["cli"] }],
    ["a client in other letters", { client_id: "CLI" }],
    ["no audience, and this service as client", { aud: undefined, client_id: CLIENT_ID }],
  ])("is refused for %s", async (_, others) => {
    expect(await refusalOf(loginOf(others))).toMatch(
      /^access-token: unexpected "aud": .*, expected "identity" or .*, or "client_id" and "azp" among access_token_clients: .*, expected "cli"$/,
    );
  });

  it("is refused for another issuer and after its end all the same", async () => {
    expect(await refusalOf(loginOf({ iss: "https://other.example.org" }))).toMatch(/"iss"/);
    expect(await refusalOf(loginOf({ exp: now() - 61 }))).toMatch(/"exp"/);
  });

  it.each([
    ["", { scope: undefined, client_id: undefined, azp: "cli", aud: "cli" }, /is no access token/],
    [
      "with a scope",
      { client_id: undefined, azp: "cli", aud: "cli" },
      /^userinfo: can't tell an access token/,
    ],
  ])("rejects the ID token of a listed client %s", async (_, others, reason) => {
    expect(await refusalOf(loginOf(others, ["cli"], "JWT"))).toMatch(reason);
  });

  it("does not matter without the setting", async () => {
    expect(
      await refusalOf(
        verifier.verify(bearing(await op.keys.sign(claims({ aud: SCOPES }))), protocolOf(op.issuer)),
      ),
    ).toMatch(/unexpected "aud" claim value/);
  });

  it("is accepted by introspection too, and another client is not", async () => {
    op.answers.set("/token/introspection", (_, response) => {
      response.setHeader("content-type", "application/json");
      const told = { active: true, client_id: "cli", aud: SCOPES, token_type: "Bearer", sub: "kim" };
      response.end(JSON.stringify(told));
    });
    const opaque = (listed: string[]) =>
      verifier.verify(bearing("opaque"), protocolOf(op.issuer, { access_token_clients: listed }));
    expect((await assertionFor(opaque(["cli"]))).attributes).toMatchObject({ "OIDC-sub": "kim" });
    expect(await refusalOf(opaque(["other"]))).toMatch(/unexpected "aud" or "client_id"/);
  });
});

describe('the setting "userinfo": "always"', () => {
  const answer = (claimsOfUser: object) =>
    op.answers.set("/me", (_, response) => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(claimsOfUser));
    });
  const always = async (others: Record<string, unknown> = {}, userinfo: "always" | "as_needed" = "always") =>
    testVerifier().verify(bearing(await op.keys.sign(claims(others))), protocolOf(op.issuer, { userinfo }));

  it("adds what userinfo knows, also to a token with names", async () => {
    answer({ sub: "kim", groups: ["staff"], email: "other@example.org" });
    expect((await assertionFor(always())).attributes).toMatchObject({
      "OIDC-groups": "staff",
      // The token's own claims take precedence.
      "OIDC-email": "kim@example.org",
    });
    expect((await assertionFor(always({}, "as_needed"))).attributes).not.toHaveProperty("OIDC-groups");
  });

  it.each([
    ["another user's", () => answer({ sub: "admin", groups: ["admins"] })],
    ["none", () => op.answers.set("/me", (_, response) => response.writeHead(401).end())],
  ])("rejects a login whose answer of userinfo is %s", async (_, prepare) => {
    prepare();
    expect(await refusalOf(always())).toMatch(/^userinfo: the setting "userinfo" is "always": /);
    expect(await refusalOf(always({}, "as_needed"))).toBe("not refused");
  });

  it("rejects a login at a provider without userinfo", async () => {
    op.answers.set("/.well-known/openid-configuration", (_request, response) =>
      response.end(JSON.stringify({ issuer: op.issuer, jwks_uri: `${op.issuer}/jwks` })),
    );
    expect(await refusalOf(always())).toBe(
      'userinfo: the setting "userinfo" is "always": the provider has no userinfo endpoint',
    );
  });
});
