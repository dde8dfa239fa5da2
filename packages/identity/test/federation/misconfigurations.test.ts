/** Mistakes of administrators: each line of the log contains the value to change, and with it changed the login works. */
import { X509Certificate } from "node:crypto";
import { inflateRawSync } from "node:zlib";

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../databases.js";
import { PUBLIC_URL } from "../test-server.js";
import { loginServer, type LoginServer } from "./login-server.js";
import {
  AUDIENCE,
  CLIENT_ID,
  CLIENT_SECRET,
  startProvider,
  type TestProvider,
} from "./openid/test-provider.js";
import {
  inEnvelope,
  ISSUER,
  metadata,
  newSigner,
  NOW,
  PROVIDER,
  signedResponse,
  type ResponseParts,
  type Signer,
} from "./saml/test-provider.js";

const FEDERATION = "/v3/OS-FEDERATION";
const ENTITY_ID = `${PUBLIC_URL}${FEDERATION}/saml2/idp`;
const DEVELOPMENT = { IDENTITY_ALLOW_HTTP_ISSUERS: "on" };
const QUARTER_MS = 15 * 60_000;
/** Nothing listens on this port. */
const CLOSED = "127.0.0.1:1";

/** A provider `acme` with a protocol; members that are left out are right. */
interface Setting {
  readonly provider?: object;
  readonly settings?: object;
  readonly rules?: readonly object[];
}

const localUser = (more: object = {}) => ({ user: { name: "{0}" }, ...more });

async function set(
  service: LoginServer,
  protocol: "openid" | "saml2",
  {
    provider = {},
    settings = {},
    rules = [{ remote: [{ type: "REMOTE_USER" }], local: [localUser()] }],
  }: Setting,
): Promise<void> {
  const put = async (path: string, body: object) => {
    const exists = (await service.ask("GET", `${FEDERATION}/${path}`)).status === 200;
    const answer = await service.ask(exists ? "PATCH" : "PUT", `${FEDERATION}/${path}`, { body });
    if (answer.status >= 400) throw new Error(`${path}: ${answer.text}`);
  };
  await put("mappings/acme", { mapping: { rules } });
  await put("identity_providers/acme", { identity_provider: { enabled: true, ...provider } });
  const body = { mapping_id: "acme", settings: { type: protocol, ...settings } };
  // Replaces all settings, unlike PATCH.
  const path = `/v3/EXT-FEDERATION/identity_providers/acme/protocols/${protocol}`;
  const answer = await service.ask("PUT", path, { body: { protocol: body } });
  if (answer.status >= 400) throw new Error(`${path}: ${answer.text}`);
}

const authPath = (protocol: string) => `${FEDERATION}/identity_providers/acme/protocols/${protocol}/auth`;
/** The last line about federated logins. */
const line = (service: LoginServer) => service.refusals.at(-1);
const text = (service: LoginServer) => JSON.stringify(line(service)).replaceAll('\\"', '"');

describe("a mistake with OpenID Connect", () => {
  let op: TestProvider;
  let service: LoginServer;
  beforeAll(async () => {
    op = await startProvider();
    service = await loginServer(sqliteDatabases, DEVELOPMENT);
  });
  afterAll(async () => {
    await service.close();
    await op.close();
  });

  afterEach(() => void (service.time.now = Date.now()));

  const right = () => ({
    provider: { remote_ids: [op.issuer] },
    settings: {
      issuer: op.issuer,
      client_id: CLIENT_ID,
      client_secret: CLIENT_SECRET,
      audiences: [AUDIENCE],
    },
  });
  const configure = ({ provider, settings, ...others }: Setting = {}) =>
    set(service, "openid", {
      provider: { ...right().provider, ...provider },
      settings: { ...right().settings, ...settings },
      ...others,
    });
  const logIn = async (at = service) => {
    const seconds = Math.floor(Date.now() / 1000);
    const claims = { iss: op.issuer, sub: "kim", aud: AUDIENCE, iat: seconds, exp: seconds + 300 };
    const headers = { authorization: `Bearer ${await op.keys.sign(claims)}` };
    return (await at.ask("POST", authPath("openid"), { headers })).status;
  };
  const works = async () => {
    await configure();
    expect(await logIn()).toBe(201);
  };

  it("wrong audience", async () => {
    await configure({ settings: { audiences: ["https://typo.example.org"] } });
    expect(await logIn()).toBe(401);
    expect(text(service)).toContain(`"${AUDIENCE}", expected "${CLIENT_ID}" or "https://typo.example.org"`);
    await works();
  });

  it.each([
    // The token had five minutes left.
    ["ahead", QUARTER_MS, /"exp".* 60[01] s ago .*clocks/],
    ["behind", -QUARTER_MS, /"iat" is in the future: .* in (899|900|901) s .*clocks/],
  ])("clock 15 minutes %s", async (_, offset, reason) => {
    await configure();
    service.time.now = Date.now() + offset;
    expect(await logIn()).toBe(401);
    expect(text(service)).toMatch(reason);
    service.time.now = Date.now();
    await works();
  });

  it("wrong remote id", async () => {
    await configure({ provider: { remote_ids: ["https://typo.example.org"] } });
    expect(await logIn()).toBe(403);
    expect(text(service)).toContain(
      `remote id "${op.issuer}" is not among the provider's remote_ids: "https://typo.example.org"`,
    );
    await works();
  });

  it("missing attribute", async () => {
    await configure({ rules: [{ remote: [{ type: "OIDC-mail" }], local: [localUser()] }] });
    expect(await logIn()).toBe(401);
    expect(line(service)).toMatchObject({
      step: "mapping",
      reason: 'mapping "acme", rules: no-rule-matched (rules[0].remote[0]: "OIDC-mail" is missing)',
      attributes: expect.arrayContaining(["OIDC-sub", "REMOTE_USER"]),
    });
    await works();
  });

  it("redirect URI that is not registered at the provider", async () => {
    await configure();
    // The provider knows that of the provider "op".
    const step = await service.ask("GET", authPath("openid"));
    const refusal = await (await fetch(String(step.headers["location"]))).text();
    expect([step.status, refusal]).toEqual([302, expect.stringContaining("redirect_uri")]);
    expect(line(service)).toEqual({
      idpId: "acme",
      id: "openid",
      step: "begin",
      redirectUri: `${PUBLIC_URL}${authPath("openid")}`,
    });
  });

  it("error of the provider, whose line has the redirect URI", async () => {
    await configure();
    const step = await service.ask("GET", authPath("openid"));
    const state = new URL(String(step.headers["location"])).searchParams.get("state") ?? "";
    const cookie = [step.headers["set-cookie"]]
      .flat()
      .map((each) => String(each).split(";")[0])
      .join("; ");
    const query = new URLSearchParams({
      state,
      error: "unauthorized_client",
      error_description: "AADSTS50105: not assigned",
      iss: op.issuer,
    });
    const { status } = await service.ask("GET", `${authPath("openid")}?${query.toString()}`, {
      headers: { cookie },
    });
    expect(status).toBe(401);
    expect(line(service)).toMatchObject({ step: "code" });
    expect(text(service)).toContain("unauthorized_client");
    expect(text(service)).toContain(`redirect URI sent: "${PUBLIC_URL}${authPath("openid")}"`);
    expect(line(service)).toMatchObject({
      reason: expect.stringContaining('error_description "AADSTS50105: not assigned"') as string,
    });
  });

  it("issuer that does not answer", async () => {
    await configure({ settings: { issuer: `http://${CLOSED}` } });
    expect(await logIn()).toBe(401);
    expect(line(service)).toMatchObject({ step: "discovery" });
    expect(text(service)).toMatch(new RegExp(`request to ${CLOSED}: no response.*ECONNREFUSED`));
    await works();
  });

  it("issuer with another spelling", async () => {
    await configure({ settings: { issuer: `${op.issuer}/` } });
    expect(await logIn()).toBe(401);
    expect(text(service)).toContain(
      `discovery document names issuer "${op.issuer}", expected the setting's "${op.issuer}/"`,
    );
    await works();
  });

  it("untrusted dashboard", async () => {
    const url = `/v3/auth/OS-FEDERATION/identity_providers/acme/protocols/openid/websso`;
    const origin = "https://typo.example.org/auth/websso/";
    expect((await service.ask("GET", `${url}?origin=${origin}`)).status).toBe(401);
    expect(line(service)).toEqual({
      idpId: "acme",
      id: "openid",
      step: "login",
      reason: `websso/untrusted-origin: origin "${origin}" is not among the trusted dashboards (IDENTITY_TRUSTED_DASHBOARDS)`,
    });
  });

  it("disabled provider", async () => {
    await configure({ provider: { enabled: false } });
    expect(await logIn()).toBe(403);
    expect(text(service)).toContain('identity provider "acme" is disabled, expected "enabled": true');
    await works();
  });

  it("HTTP issuer where it is not allowed", async () => {
    const strict = await loginServer(sqliteDatabases, {});
    await set(strict, "openid", right());
    expect(await logIn(strict)).toBe(401);
    expect(text(strict)).toContain(
      "request to 127.0.0.1: http: is not allowed, expected https: (for development: IDENTITY_ALLOW_HTTP_ISSUERS)",
    );
    await strict.close();
  });

  it("mapping with the id of a group that does not exist", async () => {
    await configure({
      rules: [{ remote: [{ type: "REMOTE_USER" }], local: [localUser({ group: { id: "typo" } })] }],
    });
    expect(await logIn()).toBe(401);
    expect(text(service)).toContain('1 of the 1 group ids that the mapping names do not exist: "typo"');
    await works();
  });

  it("mapping with the name of a group that does not exist, while the login goes on", async () => {
    const group = { name: "typo", domain: { id: "default" } };
    await configure({ rules: [{ remote: [{ type: "REMOTE_USER" }], local: [localUser({ group })] }] });
    expect(await logIn()).toBe(201);
    expect(line(service)).toMatchObject({
      step: "groups",
      reason: 'mapping "acme": no group "typo" in domain default',
    });
  });

  it("mapping whose assertion names groups that do not exist here, while the login goes on", async () => {
    await configure({
      rules: [
        {
          remote: [{ type: "REMOTE_USER" }],
          local: [localUser({ groups: "{0}", domain: { id: "default" } })],
        },
      ],
    });
    expect(await logIn()).toBe(201);
    expect(line(service)).toMatchObject({
      step: "groups",
      reason: expect.stringMatching(/^mapping "acme": no group ".+" in domain default/) as string,
    });
  });

  it("mapping with a role that does not exist", async () => {
    const projects = [{ name: "atelier", roles: [{ name: "typo" }] }];
    await configure({ rules: [{ remote: [{ type: "REMOTE_USER" }], local: [localUser({ projects })] }] });
    expect(await logIn()).toBe(404);
    expect(line(service)).toMatchObject({ reason: "federation/unknown-role: Could not find role: typo." });
    await works();
  });
});

describe("a mistake with SAML", () => {
  let service: LoginServer;
  beforeAll(async () => {
    service = await loginServer(sqliteDatabases, DEVELOPMENT, { now: NOW });
  });
  afterEach(() => void (service.time.now = NOW));
  afterAll(() => service.close());

  let assertions = 0;
  const configure = ({ provider, settings, ...others }: Setting = {}) =>
    set(service, "saml2", {
      provider: { remote_ids: [ISSUER], ...provider },
      settings: settings ?? { idp_metadata_xml: metadata() },
      ...others,
    });
  /** As an ECP client brings an assertion. */
  const logIn = async (parts: ResponseParts = {}, signer: Signer = PROVIDER) => {
    const id = `_assertion${++assertions}`;
    const url = `${PUBLIC_URL}${authPath("saml2")}`;
    const good = { assertionId: id, recipient: url, destination: url, audience: ENTITY_ID };
    const xml = inEnvelope(signedResponse({ ...good, ...parts }, { of: id, signer }));
    const answer = await fetchInProcess("POST", xml);
    return answer.status;
  };
  const fetchInProcess = (method: string, xml: string) =>
    service.ask(method, authPath("saml2"), {
      headers: { "content-type": "application/vnd.paos+xml" },
      body: Buffer.from(xml),
    });
  const works = async () => {
    await configure();
    expect(await logIn()).toBe(201);
  };

  it("wrong audience", async () => {
    await configure({ settings: { idp_metadata_xml: metadata(), sp_entity_id: "https://typo.example.org" } });
    expect(await logIn()).toBe(401);
    expect(text(service)).toContain(
      `Audience is "${ENTITY_ID}", expected the entity ID of this service "https://typo.example.org"`,
    );
    await works();
  });

  it.each([
    ["ahead", QUARTER_MS],
    ["behind", -QUARTER_MS],
  ])("clock 15 minutes %s", async (_, offset) => {
    await configure();
    service.time.now = NOW + offset;
    expect(await logIn()).toBe(401);
    expect(text(service)).toMatch(/clock/);
    // The assertion was valid from five seconds before NOW, and for five minutes.
    expect(text(service)).toMatch(offset > 0 ? /2026-11-21T12:05:00Z.*600 s/ : /2026-11-21T12:00:00Z.*900 s/);
    service.time.now = NOW;
    await works();
  });

  it("wrong remote id", async () => {
    await configure({ provider: { remote_ids: ["https://typo.example.org"] } });
    expect(await logIn()).toBe(403);
    expect(text(service)).toContain(
      `remote id "${ISSUER}" is not among the provider's remote_ids: "https://typo.example.org"`,
    );
    await works();
  });

  it("wrong certificate", async () => {
    const other = newSigner();
    await configure();
    expect(await logIn({}, other)).toBe(401);
    const fingerprint = ({ certificate }: Signer) =>
      new X509Certificate(certificate).fingerprint256.replaceAll(":", "").toLowerCase();
    expect(text(service)).toContain(fingerprint(other));
    expect(text(service)).toContain(fingerprint(PROVIDER));
    await works();
  });

  it("missing attribute", async () => {
    await configure({ rules: [{ remote: [{ type: "email" }], local: [localUser()] }] });
    expect(await logIn()).toBe(401);
    expect(line(service)).toMatchObject({
      reason: 'mapping "acme", rules: no-rule-matched (rules[0].remote[0]: "email" is missing)',
      attributes: expect.arrayContaining(["mail", "groups"]),
    });
    await works();
  });

  it("metadata address that does not answer", async () => {
    await configure({ settings: { idp_metadata_url: `http://${CLOSED}/metadata` } });
    expect(await logIn()).toBe(401);
    expect(line(service)).toMatchObject({ step: "metadata" });
    expect(text(service)).toMatch(new RegExp(`request to ${CLOSED}: no response.*ECONNREFUSED`));
    await works();
  });

  it("ACS URL that is not registered at the provider", async () => {
    await configure();
    const step = await service.ask("GET", authPath("saml2"));
    const request = new URL(String(step.headers["location"])).searchParams.get("SAMLRequest") ?? "";
    const acsUrl = `${PUBLIC_URL}${authPath("saml2")}`;
    expect(inflateRawSync(Buffer.from(request, "base64")).toString()).toContain(acsUrl);
    expect(line(service)).toEqual({ idpId: "acme", id: "saml2", step: "begin", acsUrl });
  });

  it("ACS URL of another service", async () => {
    await configure();
    expect(
      await logIn({ recipient: "https://typo.example.org", destination: "https://typo.example.org" }),
    ).toBe(401);
    expect(text(service)).toContain(
      `"https://typo.example.org", expected this ACS URL "${PUBLIC_URL}${authPath("saml2")}"`,
    );
    await works();
  });
});
