/** Login with OpenID Connect at Debian's Glewlwyd, whose access tokens have their scopes as audience. */
import { createHash } from "node:crypto";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../../../test/databases.js";
import { newSigner } from "../../../test/federation/saml/test-provider.js";
import { startSamlService, type SamlService } from "../saml/saml-service.js";
import { CLIENT, startGlewlwyd, type Glewlwyd } from "./glewlwyd.js";

const RULES = [{ remote: [{ type: "OIDC-preferred_username" }], local: [{ user: { name: "{0}" } }] }];
const PROVIDER = "/v3/OS-FEDERATION/identity_providers/glewlwyd";
const PROTOCOL = `${PROVIDER}/protocols/openid`;
/** For PKCE. */
const VERIFIER = "a-verifier-of-43-characters-or-more-for-PKCE";

describe("Glewlwyd", () => {
  let service: SamlService;
  let party: Glewlwyd;
  let authUrl: string;
  beforeAll(async () => {
    service = await startSamlService(sqliteDatabases, {
      IDENTITY_ALLOW_HTTP_ISSUERS: "on",
      IDENTITY_LOG_LEVEL: "info",
    });
    authUrl = `${service.url}${PROTOCOL}/auth`;
    party = await startGlewlwyd({ signer: newSigner(), redirectUri: authUrl });
    await service.ask("PUT", "/v3/OS-FEDERATION/mappings/openid", { mapping: { rules: RULES } });
    await service.ask("PUT", PROVIDER, {
      identity_provider: { enabled: true, remote_ids: [party.issuer] },
    });
    await service.ask("PUT", PROTOCOL, { protocol: { mapping_id: "openid", settings: settings() } });
  });
  afterAll(async () => {
    await party.close();
    await service.close();
  });

  const settings = () => ({
    type: "openid",
    issuer: party.issuer,
    client_id: CLIENT.id,
    client_secret: CLIENT.secret,
  });
  const change = async (more: object) =>
    service.ask("PATCH", PROTOCOL, {
      protocol: { mapping_id: "openid", settings: { ...settings(), ...more } },
    });

  async function logIn(): Promise<Response> {
    const step = await fetch(authUrl, { redirect: "manual" });
    const back = await party.authorize(step.headers.get("location") ?? "");
    return fetch(back, { headers: { cookie: step.headers.get("set-cookie")?.split(";")[0] ?? "" } });
  }

  it("logs in a browser", async () => {
    const entered = await logIn();
    expect([entered.status, await entered.json()]).toMatchObject([
      201,
      { token: { methods: ["openid"], user: { name: "kim" } } },
    ]);
  });

  it("logs in with an access token, whose audience are scopes, where its client is accepted", async () => {
    const query = new URLSearchParams({
      response_type: "code",
      client_id: CLIENT.id,
      redirect_uri: authUrl,
      scope: "openid",
      nonce: "n",
      code_challenge: createHash("sha256").update(VERIFIER).digest("base64url"),
      code_challenge_method: "S256",
    });
    const back = await party.authorize(`${party.issuer}/auth?${query.toString()}`);
    const answer = await fetch(`${party.issuer}/token`, {
      method: "POST",
      headers: { authorization: `Basic ${Buffer.from(`${CLIENT.id}:${CLIENT.secret}`).toString("base64")}` },
      body: new URLSearchParams({
        grant_type: "authorization_code",
        code: new URL(back).searchParams.get("code") ?? "",
        redirect_uri: authUrl,
        code_verifier: VERIFIER,
      }),
    });
    const { access_token: token } = (await answer.json()) as { access_token: string };
    const claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as object;
    expect(claims).toMatchObject({ aud: "openid", client_id: CLIENT.id });
    const enter = () => fetch(authUrl, { method: "POST", headers: { authorization: `Bearer ${token}` } });
    const before = service.output().length;
    expect((await enter()).status).toBe(401);
    await expect.poll(() => service.output().slice(before)).toMatch(/\baud\b/);
    for (const [name, status] of [
      [CLIENT.id, 201],
      ["another", 401],
    ] as const) {
      await change({ access_token_clients: [name] });
      expect([name, (await enter()).status]).toEqual([name, status]);
    }
  });

  it("is rejected once the client's secret differs from that at the provider", async () => {
    await change({ client_secret: "other" });
    const before = service.output().length;
    expect((await logIn()).status).toBe(401);
    await expect.poll(() => service.output().slice(before)).toContain('"step":"code"');
  });
});
