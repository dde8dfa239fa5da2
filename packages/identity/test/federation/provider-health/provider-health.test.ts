/** The health of providers: keys, downloads and logins. */
import { X509Certificate } from "node:crypto";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../../databases.js";
import { selfSignedCertificate } from "../../../src/saml/self-signed-certificate.js";
import { listFailing } from "../../../src/federation/failed-logins/failed-login-store.js";
import { AUDIENCE as SP_ENTITY, metadata, PROVIDER } from "../saml/test-provider.js";
import {
  OPENID,
  OPENID_AUTH,
  testLoginServer,
  type TestLoginServer,
} from "../../workbench/test-login/test-login-service.js";
import { AUDIENCE, KIM, startProvider } from "../openid/test-provider.js";

describe(`the health of providers, with ${sqliteDatabases.name}`, () => {
  let server: TestLoginServer;
  beforeAll(async () => {
    server = await testLoginServer(sqliteDatabases);
  });
  afterAll(() => server.close());

  const healthOf = async (idpId: string) =>
    (await server.ask("GET", `/v3/OS-FEDERATION/identity_providers/${idpId}/health`)).body.health;
  const logIn = async (sub = KIM.sub) => {
    const seconds = Math.floor(server.time.now / 1000);
    const claims = {
      iss: server.op.issuer,
      sub,
      aud: AUDIENCE,
      exp: seconds + 60,
      preferred_username: sub === KIM.sub ? "kim" : sub,
    };
    const headers = { authorization: `Bearer ${await server.op.keys.sign(claims)}` };
    return (await server.ask("POST", `${OPENID}/auth`, { token: "", headers })).status;
  };

  it("is unknown before the first login, and then has documents, keys, the login and its user", async () => {
    expect(await healthOf("op")).toMatchObject({
      user_count: 0,
      protocols: [{ status: "unknown", last_login_at: null }],
    });
    expect(await logIn()).toBe(201);
    await expect
      .poll(async () => (await healthOf("op")).protocols[0].last_login_at, { timeout: 5000 })
      .not.toBeNull();
    const health = await healthOf("op");
    expect(health).toMatchObject({ enabled: true, user_count: 1 });
    const [protocol] = health.protocols;
    expect(protocol).toMatchObject({
      id: "openid",
      type: "openid",
      status: "healthy",
      problems: [],
      failures: [],
    });
    expect(protocol.documents.map(({ kind }: { kind: string }) => kind).toSorted()).toEqual([
      "discovery",
      "jwks",
    ]);
    expect(protocol.keys).toEqual([
      { id: "first", algorithm: "RSA RS256", expires_at: null, fault: null, entity: null },
    ]);
    expect(protocol.logins).toMatchObject([{ succeeded: 1, refused: 0 }]);
  });

  it("names what can't be downloaded and since when, until it can be again", async () => {
    const path = "/.well-known/openid-configuration";
    server.op.answers.set(path, (_, response) => {
      response.statusCode = 503;
      response.end();
    });
    await server.ask("POST", `${OPENID}/refresh`);
    // By the last good document.
    expect(await logIn()).toBe(201);
    await expect
      .poll(async () => (await healthOf("op")).protocols[0].status, { timeout: 5000 })
      .toBe("attention");
    const [failing] = (await healthOf("op")).protocols;
    expect(failing.failures).toMatchObject([
      { kind: "discovery", reason: "discovery is answered with status 503" },
    ]);
    expect(failing.problems[0]).toMatch(
      /^the discovery document can't be read since .*: discovery is answered with status 503$/,
    );
    server.op.answers.delete(path);
    server.time.now += 10_000;
    expect(await logIn()).toBe(201);
    await expect
      .poll(async () => (await healthOf("op")).protocols[0].failures, { timeout: 5000 })
      .toEqual([]);
  });

  it("has no documents, keys and failures of former settings, until those of the new ones are read", async () => {
    const other = await startProvider(OPENID_AUTH);
    const change = async (settings: object) => {
      const { status } = await server.ask("PATCH", OPENID, { body: { protocol: { settings } } });
      expect(status).toBe(200);
    };
    const [before] = (await healthOf("op")).protocols;
    expect(before.documents).toHaveLength(2);
    // Another setting names no other documents.
    await change({ scopes: ["profile"] });
    expect((await healthOf("op")).protocols[0]).toMatchObject({
      documents: before.documents,
      keys: before.keys,
    });
    await change({ issuer: other.issuer });
    expect((await healthOf("op")).protocols[0]).toMatchObject({ documents: [], keys: [], failures: [] });

    other.answers.set("/.well-known/openid-configuration", (_, response) => {
      response.statusCode = 500;
      response.end();
    });
    expect(await logIn()).toBe(401);
    await expect
      .poll(async () => (await healthOf("op")).protocols[0].failures, { timeout: 5000 })
      .toMatchObject([{ kind: "discovery", reason: "discovery is answered with status 500" }]);
    await change({ issuer: server.op.issuer });
    expect((await healthOf("op")).protocols[0]).toMatchObject({ problems: [], failures: [] });
    server.time.now += 60_000;
    expect(await logIn()).toBe(201);
    await expect
      .poll(async () => (await healthOf("op")).protocols[0].documents, { timeout: 5000 })
      .toHaveLength(2);
    await other.close();
  });

  it("shows certificates of SAML with their expiry, and warns before it", async () => {
    const { validTo, fingerprint256 } = new X509Certificate(PROVIDER.certificate);
    const [protocol] = (await healthOf("acme")).protocols;
    const id = `sha256:${fingerprint256.replaceAll(":", "").toLowerCase()}`;
    expect(protocol.keys).toMatchObject([{ id, algorithm: "rsa" }]);
    expect(Date.parse(protocol.keys[0].expires_at)).toBe(Date.parse(validTo));
    expect(protocol).toMatchObject({ status: "attention" });
    expect(protocol.problems[0]).toContain(`the certificate of key ${id} expire`);
  });

  it("is in the metrics: ends of certificates, and logins of providers that exist", async () => {
    await server.ask("POST", `${OPENID.replace("/op/", "/made-up/")}/auth`, { token: "" });
    const { text } = await server.ask("GET", "/metrics");
    const { validTo } = new X509Certificate(PROVIDER.certificate);
    const end = 'identity_provider_expiry_timestamp_seconds{provider="acme",what="certificate"}';
    expect(text).toContain(`${end} ${Date.parse(validTo) / 1000}\n`);
    expect(text).toContain('identity_provider_logins_total{provider="op",outcome="success"} 4\n');
    expect(text).toContain('identity_provider_logins_total{provider="op",outcome="failure"} 1\n');
    expect(text).not.toContain("made-up");
  });

  it("is healthy before the first login by certificates of the settings that don't expire soon", async () => {
    const { now } = server.time;
    const der = selfSignedCertificate(PROVIDER.privateKey, {
      commonName: "provider",
      from: now - 86_400_000,
      until: now + 365 * 86_400_000,
    });
    const certificate = `-----BEGIN CERTIFICATE-----\n${der.toString("base64")}\n-----END CERTIFICATE-----\n`;
    const providers = "/v3/OS-FEDERATION/identity_providers/pinned";
    await server.ask("PUT", providers, {
      body: { identity_provider: { enabled: true } },
    });
    const settings = {
      type: "saml2",
      idp_metadata_xml: metadata(),
      idp_certificates: [certificate],
      sp_entity_id: SP_ENTITY,
    };
    const { status, text } = await server.ask("PUT", `${providers}/protocols/saml2`, {
      body: { protocol: { mapping_id: "acme", settings } },
    });
    expect([status, text]).toEqual([201, expect.anything()]);
    expect((await healthOf("pinned")).protocols).toMatchObject([
      { status: "healthy", problems: [], documents: [], last_login_at: null },
    ]);
  });

  it("keeps what the check at a change found, until a later login succeeds or another check passes", async () => {
    const path = "/.well-known/openid-configuration";
    const idps = "/v3/OS-FEDERATION/identity_providers";
    await server.ask("PUT", `${idps}/late`, {
      body: { identity_provider: { remote_ids: ["https://other"] } },
    });
    const settings = { type: "openid", issuer: server.op.issuer, client_id: AUDIENCE, audiences: [AUDIENCE] };
    const { body } = await server.ask("PUT", `${idps}/late/protocols/openid`, {
      body: { protocol: { mapping_id: "op", settings } },
    });
    const [shown] = (await healthOf("late")).protocols;
    expect(shown.last_check.checks).toEqual(body.protocol.checks);
    const failure = body.protocol.checks.find((each: { check: string }) => each.check === "remote-ids");
    expect(failure).toMatchObject({ status: "failure", proposal: { remote_id: server.op.issuer } });
    // Disabled, as it is.
    expect(shown).toMatchObject({
      status: "disabled",
      problems: [expect.stringMatching(/^remote-ids \(check of [-\dT:.]+Z\): "http/)],
    });

    const remoteIds = { remote_ids: ["https://other", server.op.issuer], enabled: true };
    await server.ask("PATCH", `${idps}/op`, { body: { identity_provider: { remote_ids: [] } } });
    await server.ask("PATCH", `${idps}/late`, { body: { identity_provider: remoteIds } });
    expect((await healthOf("late")).protocols[0].problems).toEqual([]);
    await server.ask("DELETE", `${idps}/late`);
    await server.ask("PATCH", `${idps}/op`, {
      body: { identity_provider: { remote_ids: [server.op.issuer] } },
    });

    server.op.answers.set(path, (_, response) => {
      response.statusCode = 503;
      response.end();
    });
    await server.ask("POST", `${OPENID}/refresh`);
    server.op.answers.delete(path);
    expect((await healthOf("op")).protocols[0].problems).toEqual([
      expect.stringMatching(
        /^discovery \(check of .*Z\): discovery is answered with status 503: check "issuer"/,
      ),
    ]);
    server.time.now += 60_000;
    expect(await logIn()).toBe(201);
    await expect
      .poll(async () => (await healthOf("op")).protocols[0].problems, { timeout: 5000 })
      .toEqual([]);
  });

  it("names a group that the mapping lacks, until it exists: no check is needed", async () => {
    const rules = [
      { remote: [{ type: "NAME_ID" }], local: [{ user: { name: "{0}" } }] },
      { remote: [{ type: "NAME_ID" }], local: [{ group: { name: "late", domain: { name: "Default" } } }] },
    ];
    const mapping = "/v3/OS-FEDERATION/mappings/changing";
    await server.ask("PUT", mapping, { body: { mapping: { rules } } });
    await server.ask("PATCH", "/v3/OS-FEDERATION/identity_providers/pinned/protocols/saml2", {
      body: { protocol: { mapping_id: "changing" } },
    });
    const checks = async () => {
      const [{ last_check: check }] = (await healthOf("pinned")).protocols;
      return Object.fromEntries(
        check.checks.map((each: { check: string; status: string }) => [each.check, each.status]),
      );
    };
    expect(await checks()).toMatchObject({ mapping: "ok", references: "warning", metadata: "ok" });
    await server.create("groups", { name: "late", domain_id: "default" });
    expect(await checks()).toMatchObject({ references: "ok" });
    // A changed mapping is another one at once, and so is one that is gone.
    const unstable = [{ remote: [{ type: "mail" }], local: [{ user: { name: "{0}" } }] }];
    await server.ask("PATCH", mapping, { body: { mapping: { rules: unstable } } });
    expect(await checks()).toMatchObject({ references: "ok", "user-id": "warning" });
    await server.ask("DELETE", mapping);
    expect(await checks()).toMatchObject({ mapping: "failure" });
    expect((await healthOf("pinned")).protocols[0].problems).toEqual([
      expect.stringContaining('mapping "changing" does not exist'),
    ]);
    await server.ask("PUT", mapping, { body: { mapping: { rules } } });
    expect((await healthOf("pinned")).protocols[0].problems).toEqual([]);
  });

  it("names a mapping by which logins newly fail, and is listed for it, until one succeeds", async () => {
    const mapping = "/v3/OS-FEDERATION/mappings/op";
    const { rules } = (await server.ask("GET", mapping)).body.mapping;
    const change = (changed: object) =>
      server.ask("PATCH", mapping, { body: { mapping: { rules: changed } } });
    const problems = async () => (await healthOf("op")).protocols[0].problems;
    const listed = () => listFailing(server.database, server.time.now - 86_400_000);
    expect(await logIn()).toBe(201);
    server.time.now += 1000;
    await change([{ remote: [{ type: "OIDC-mail" }], local: [{ user: { name: "{0}" } }] }]);
    expect(await listed()).toEqual([]);
    // One user may be one who is not to log in.
    for (const sub of ["kim", "kim"]) expect(await logIn(sub)).toBe(401);
    await expect.poll(listed, { timeout: 5000 }).toEqual(["op"]);
    expect(await problems()).toEqual([]);
    expect(await logIn("lee")).toBe(401);
    await expect
      .poll(problems, { timeout: 5000 })
      .toEqual([
        expect.stringMatching(
          /^no login succeeds since 20.*Z: 2 users were rejected by mapping "op", rules: no-rule-matched \(rules\[0\]\.remote\[0\]: "OIDC-mail" is missing\)$/,
        ),
      ]);
    // A mapping that is gone is a problem with the first login, though logins succeeded after the last check.
    await server.ask("DELETE", mapping);
    expect(await problems()).toContainEqual(expect.stringMatching(/^mapping: mapping "op" does not exist/));
    await server.ask("PUT", mapping, { body: { mapping: { rules } } });
    server.time.now += 1000;
    expect(await logIn()).toBe(201);
    await expect.poll(problems, { timeout: 5000 }).toEqual([]);
    expect(await listed()).toEqual([]);
  });

  it("is disabled with its provider, and does not exist for an unknown one", async () => {
    const path = "/v3/OS-FEDERATION/identity_providers/acme";
    await server.ask("PATCH", path, { body: { identity_provider: { enabled: false } } });
    expect(await healthOf("acme")).toMatchObject({ enabled: false, protocols: [{ status: "disabled" }] });
    expect((await server.ask("GET", "/v3/OS-FEDERATION/identity_providers/nobody/health")).status).toBe(404);
  });
});
