/** Expiry and revocation of tokens from federated logins. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { databases } from "../databases.js";
import { ENV, loginServer, NAMED, asserted, type LoginResponse, type LoginServer } from "./login-server.js";
import { AUDIENCE, inEnvelope, ISSUER, metadata, NOW, signedResponse } from "./saml/test-provider.js";

const PROVIDER = "/v3/OS-FEDERATION/identity_providers/idp";
const MINUTE_MS = 60_000;

const inGroup = (id: string) => ({ ...NAMED, local: [...NAMED.local, { group: { id } }] });
const asLocal = (user: object) => ({ ...NAMED, local: [{ user: { type: "local", ...user } }] });
const expiryOf = ({ body }: LoginResponse) => Date.parse(body.token.expires_at as string);

describe(`on ${databases.name}, a token of a federated login`, () => {
  let service: LoginServer;
  let group: string;
  let project: string;
  let role: string;
  beforeAll(async () => {
    service = await loginServer(databases, ENV, { now: NOW, replicas: 2 });
    group = await service.create("groups", { name: "staff", domain_id: "default" });
    project = await service.create("projects", { name: "p1", domain_id: "default" });
    const { body } = await service.ask("GET", "/v3/roles?name=reader");
    role = body.roles[0].id as string;
    await service.ask("PUT", `/v3/projects/${project}/groups/${group}/roles/${role}`);
  }, 60_000);
  beforeEach(async () => {
    await change({ enabled: true, authorization_ttl: null });
    await service.map([NAMED]);
  });
  afterAll(() => service.close());

  const change = async (identity_provider: object) => {
    const { status, text } = await service.ask("PATCH", PROVIDER, { body: { identity_provider } });
    if (status !== 200) throw new Error(text);
  };
  const check = async (subject: string, replica = 0) =>
    (await service.ask("GET", "/v3/auth/tokens", { headers: { "x-subject-token": subject }, replica }))
      .status;
  const rescope = (id: string, scope: unknown = { project: { id: project } }, method = "token") =>
    service.ask("POST", "/v3/auth/tokens", {
      body: { auth: { identity: { methods: [method], [method]: { id } }, scope } },
    });
  /** A replica on PostgreSQL hears of a change within a second. */
  const refusedOnBoth = async (subject: string) => {
    expect(await check(subject)).toBe(404);
    await expect.poll(() => check(subject, 1), { timeout: 5000, interval: 20 }).toBe(404);
  };
  const addLocal = async (name: string, domain_id = "default") => {
    const id = await service.create("users", { name, domain_id, password: "local-password" });
    await service.ask("PUT", `/v3/projects/${project}/users/${id}/roles/${role}`);
    return id;
  };

  describe("when the session at the provider ends", () => {
    const path = "/v3/OS-FEDERATION/identity_providers/acme/protocols/saml2/auth";
    let assertions = 0;
    beforeAll(async () => {
      const put = (url: string, body: object) => service.ask("PUT", `/v3/OS-FEDERATION/${url}`, { body });
      await put("identity_providers/acme", {
        identity_provider: { enabled: true, remote_ids: [ISSUER] },
      });
      const settings = { type: "saml2", idp_metadata_xml: metadata(), sp_entity_id: AUDIENCE };
      const { status, text } = await put("identity_providers/acme/protocols/saml2", {
        protocol: { mapping_id: "people", settings },
      });
      if (status !== 201) throw new Error(text);
    });

    function login(sessionNotOnOrAfter: string): Promise<LoginResponse> {
      const assertionId = `_session${(assertions += 1)}`;
      const place = `http://127.0.0.1:5900${path}`;
      const parts = { assertionId, recipient: place, destination: place, sessionNotOnOrAfter };
      return service.ask("POST", path, {
        headers: { "content-type": "application/vnd.paos+xml" },
        body: Buffer.from(inEnvelope(signedResponse(parts, { of: assertionId }))),
      });
    }

    it("expires with it, as do the tokens that are rescoped from it", async () => {
      await service.map([inGroup(group)]);
      const answer = await login("2026-11-21T12:10:00Z");
      expect([answer.status, answer.body.token.expires_at]).toEqual([201, "2026-11-21T12:10:00.000000Z"]);
      const scoped = await rescope(answer.token);
      expect([scoped.status, scoped.body.token.expires_at]).toEqual([201, "2026-11-21T12:10:00.000000Z"]);
    });

    it("lives no longer than any token where the session is longer", async () => {
      expect(expiryOf(await login("2026-11-22T12:00:00Z"))).toBe(NOW + 60 * MINUTE_MS);
    });

    it("is not issued after the session has expired: no clock leeway applies", async () => {
      expect((await login("2026-11-21T11:59:59Z")).status).toBe(401);
    });
  });

  describe("where the provider has an authorization_ttl", () => {
    it("loses its groups when they expire, and can't be rescoped through them", async () => {
      await change({ authorization_ttl: 10 });
      await service.map([inGroup(group)]);
      const login = await service.login(asserted("ann"));
      expect(expiryOf(login)).toBe(service.time.now + 60 * MINUTE_MS);
      const scoped = await rescope(login.token);
      expect(scoped.status).toBe(201);
      expect(expiryOf(scoped)).toBe(service.time.now + 10 * MINUTE_MS);
      const projects = async () =>
        (await service.ask("GET", "/v3/auth/projects", { token: login.token })).body.projects.length;
      expect(await projects()).toBe(1);

      service.time.now += 10 * MINUTE_MS;
      expect(await check(scoped.token)).toBe(404);
      expect(await check(login.token)).toBe(200);
      expect(await projects()).toBe(0);
      for (const method of ["token", "mapped"])
        expect((await rescope(login.token, undefined, method)).status).toBe(401);
    });

    it("can be rescoped to later grants of the user", async () => {
      await change({ authorization_ttl: 10 });
      await service.map([inGroup(group)]);
      const { token, body } = await service.login(asserted("ben"));
      await service.ask("PUT", `/v3/projects/${project}/users/${body.token.user.id}/roles/${role}`);
      service.time.now += 10 * MINUTE_MS;
      const scoped = await rescope(token);
      expect([scoped.status, expiryOf(scoped)]).toEqual([201, Date.parse(body.token.expires_at as string)]);
    });

    it("has its groups again after another login, and without an end where the provider has none", async () => {
      await change({ authorization_ttl: 10 });
      await service.map([inGroup(group)]);
      await service.login(asserted("cat"));
      service.time.now += 11 * MINUTE_MS;
      const again = await service.login(asserted("cat"));
      expect(expiryOf(await rescope(again.token))).toBe(service.time.now + 10 * MINUTE_MS);
      await change({ authorization_ttl: null });
      const endless = await service.login(asserted("cat"));
      expect(expiryOf(await rescope(endless.token))).toBe(service.time.now + 60 * MINUTE_MS);
    });
  });

  it("can't be rescoped after a group that it names was deleted", async () => {
    const id = await service.create("groups", { name: "night shift", domain_id: "default" });
    await service.map([inGroup(id)]);
    const { token } = await service.login(asserted("abe"));
    await service.ask("DELETE", `/v3/groups/${id}`);
    const refused = await rescope(token, "unscoped");
    expect(refused.status).toBe(401);
  });

  describe("when the provider is disabled", () => {
    it("is refused at once on every replica, and stays so when it is enabled again", async () => {
      await service.map([inGroup(group)]);
      const first = await service.login(asserted("dee"));
      const scoped = await rescope(first.token);
      const local = await addLocal("eli");
      await service.map([asLocal({ id: local })]);
      const ofOurs = await service.login(asserted("eli"));
      const others = await rescope(ofOurs.token);
      const tokens = [first, scoped, ofOurs, others].map(({ token }) => token);
      for (const token of tokens) for (const replica of [0, 1]) expect(await check(token, replica)).toBe(200);
      const own = await passwordToken("eli");

      await change({ enabled: false });
      for (const token of tokens) {
        await refusedOnBoth(token);
        expect((await rescope(token)).status).toBe(404);
        expect((await service.ask("GET", "/v3/auth/projects", { token })).status).toBe(401);
      }
      await change({ enabled: true });
      for (const token of tokens) await refusedOnBoth(token);
      expect(await check(own)).toBe(200);
      service.time.now += 1000;
      expect(await check((await service.login(asserted("eli"))).token)).toBe(200);
    });

    it.each(["/v3/EXT-FEDERATION", "/EXT-FEDERATION"])("is refused too by a PUT below %s", async (prefix) => {
      const { token } = await service.login(asserted("fay"));
      const url = `${prefix}/identity_providers/idp`;
      const { body } = await service.ask("GET", url);
      const { id: _id, links: _links, ...provider } = body.identity_provider;
      const put = (enabled: boolean) =>
        service.ask("PUT", url, { body: { identity_provider: { ...provider, enabled } } });
      expect((await put(false)).status).toBe(200);
      await refusedOnBoth(token);
      await put(true);
      await refusedOnBoth(token);
      service.time.now += 1000;
    });

    it("stays when the provider changes otherwise", async () => {
      const { token } = await service.login(asserted("gus"));
      await change({ description: "other", enabled: true, remote_ids: ["https://idp.example.org", "x"] });
      expect(await check(token)).toBe(200);
    });
  });

  describe("when sessions are ended", () => {
    const PREFIXES = ["/v3/OS-FEDERATION", "/v3/EXT-FEDERATION", "/EXT-FEDERATION"];
    const end = (prefix = "/v3/OS-FEDERATION", id = "idp") =>
      service.ask("POST", `${prefix}/identity_providers/${id}/end_sessions`);

    it.each(PREFIXES)("is refused on every replica, by a POST below %s", async (prefix) => {
      const { token } = await service.login(asserted("hal"));
      const own = await service.ask("GET", "/v3/auth/tokens", { headers: { "x-subject-token": token } });
      expect(own.status).toBe(200);
      expect((await end(prefix)).status).toBe(204);
      await refusedOnBoth(token);
      service.time.now += 1000;
      expect(await check((await service.login(asserted("hal"))).token)).toBe(200);
    });

    it("stays valid if it was issued through another provider, or by a password", async () => {
      await service.ask("PUT", "/v3/OS-FEDERATION/identity_providers/other", {
        body: { identity_provider: { enabled: true, remote_ids: ["https://other.example.org"] } },
      });
      await service.ask("PUT", "/v3/OS-FEDERATION/identity_providers/other/protocols/mapped", {
        body: { protocol: { mapping_id: "people" } },
      });
      const url = "/v3/OS-FEDERATION/identity_providers/other/protocols/mapped/auth";
      const elsewhere = await service.login({ REMOTE_USER: "ida", IDP: "https://other.example.org" }, url);
      const id = await addLocal("jim");
      const own = await passwordToken("jim");
      await service.map([asLocal({ id })]);
      const { token } = await service.login(asserted("jim"));
      expect((await end()).status).toBe(204);
      await refusedOnBoth(token);
      expect([await check(elsewhere.token), await check(own)]).toEqual([200, 200]);
      service.time.now += 1000;
    });

    it("is an answer of 404 for a provider that does not exist", async () => {
      expect((await end(undefined, "nope")).status).toBe(404);
    });
  });

  describe("for a user of our own", () => {
    it("is not issued if the user's id belongs to another domain than the rule names", async () => {
      const tenant = await service.create("domains", { name: "tenant" });
      const admin = (await service.ask("GET", "/v3/users?name=admin")).body.users[0].id as string;
      const kim = await addLocal("kim", tenant);
      const ofDomain = (domain: object) => asLocal({ id: "{0}", domain });
      await service.map([ofDomain({ id: tenant })]);
      expect((await service.login(asserted(admin))).status).toBe(401);
      expect(service.refusals.at(-1)).toMatchObject({
        step: "user",
        reason: `the local user belongs to domain "default", and the mapping names domain "${tenant}"`,
      });
      expect((await service.login(asserted(kim))).body.token.user.id).toBe(kim);
      await service.map([ofDomain({ name: "tenant" })]);
      expect((await service.login(asserted(admin))).status).toBe(401);
      expect((await service.login(asserted(kim))).status).toBe(201);
      // A domain that an attribute names, and that comes empty, is none, and no permission for all.
      for (const domain of [{ id: "{1}" }, { name: "{1}" }]) {
        const remote = [...NAMED.remote, { type: "TENANT" }];
        await service.map([{ ...ofDomain(domain), remote }]);
        for (const TENANT of ["", "nowhere"])
          expect((await service.login(asserted(kim, { TENANT }))).status).toBe(401);
        const TENANT = "id" in domain ? tenant : "tenant";
        expect((await service.login(asserted(kim, { TENANT }))).status).toBe(201);
      }
    });

    it("ends with its protocol and provider, though it shows neither, and not to come back with them", async () => {
      const id = await addLocal("lea");
      await service.map([asLocal({ id })]);
      const protocol = `${PROVIDER.replace("/idp", "/brief")}/protocols/mapped`;
      const login = async () => {
        const attributes = { REMOTE_USER: "lea", IDP: "https://brief.example.org" };
        const answer = await service.login(attributes, `${protocol}/auth`);
        expect(answer.body.token.user).toEqual({
          id,
          name: "lea",
          domain: { id: "default", name: "Default" },
          password_expires_at: null,
        });
        const scoped = await rescope(answer.token);
        expect(scoped.body.token.user).not.toHaveProperty("OS-FEDERATION");
        return [answer.token, scoped.token];
      };
      const putProvider = () =>
        service.ask("PUT", protocol.replace("/protocols/mapped", ""), {
          body: { identity_provider: { enabled: true, remote_ids: ["https://brief.example.org"] } },
        });
      const putProtocol = () =>
        service.ask("PUT", protocol, { body: { protocol: { mapping_id: "people" } } });
      await putProvider();
      await putProtocol();
      const first = await login();
      await service.ask("DELETE", protocol);
      for (const token of first) await refusedOnBoth(token);
      await putProtocol();
      for (const token of first) await refusedOnBoth(token);

      service.time.now += 1000;
      const second = await login();
      await service.ask("DELETE", protocol.replace("/protocols/mapped", ""));
      await putProvider();
      await putProtocol();
      for (const token of second) await refusedOnBoth(token);
    });

    it("is issued for the default project, as by a password, and not by the method mapped", async () => {
      const id = await addLocal("moe");
      await service.ask("PATCH", `/v3/users/${id}`, { body: { user: { default_project_id: project } } });
      await service.map([asLocal({ name: "moe", domain: { id: "default" } })]);
      const { token, body } = await service.login(asserted("moe"));
      expect(body.token.project.id).toBe(project);
      expect((await rescope(token, undefined, "mapped")).status).toBe(401);
    });
  });

  async function passwordToken(name: string): Promise<string> {
    const user = { name, domain: { id: "default" }, password: "local-password" };
    const auth = { identity: { methods: ["password"], password: { user } } };
    return (await service.ask("POST", "/v3/auth/tokens", { body: { auth } })).token;
  }
});
