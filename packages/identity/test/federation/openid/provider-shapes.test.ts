/** What single providers do in ways of their own: tokens that are theirs are taken, and nobody else's. */
import type { ServerResponse } from "node:http";

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { publicKey, signingKeys, startProvider, type TestProvider } from "./test-provider.js";
import { assertionFor, bearing, protocolOf, refusalOf, testVerifier } from "./test-verifier.js";

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

/** The provider says this of itself. Each verifier of a test asks anew. */
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

  it("calls itself by another name in access tokens, and tells no subject", async () => {
    const { attributes, remoteId } = await assertionFor(login(await accessToken()));
    expect({ attributes, remoteId }).toMatchObject({
      attributes: { "OIDC-upn": "kim", "OIDC-iss": TRUST },
      remoteId: op.issuer,
    });
    expect(attributes).not.toHaveProperty("REMOTE_USER");
  });

  it("has no other names than the one that its discovery document tells", async () => {
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
