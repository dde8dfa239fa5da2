/** Multi-factor rules of users: which logins satisfy them, on every path to a token, and who may set them. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { METHOD_NAMES } from "../../src/auth/auth-methods.js";
import { sqliteDatabases } from "../databases.js";
import { AUTH, DASHBOARD, NAMED } from "../federation/login-server.js";
import {
  asks,
  BOTH,
  methodsOf,
  multiFactorServer,
  REFUSED,
  seen,
  type MultiFactorServer,
} from "./multi-factor-server.js";

const PROVIDER = "/v3/OS-FEDERATION/identity_providers/idp";

describe(`multi-factor rules on ${sqliteDatabases.name}`, () => {
  let server: MultiFactorServer;
  beforeAll(async () => {
    server = await multiFactorServer(sqliteDatabases);
  }, 60_000);
  beforeEach(() => server.service.map([NAMED]));
  afterAll(() => server.service.close());

  describe("a login with a password alone, where a rule asks for more", () => {
    it("gets a receipt in the form of Keystone's, and no token", async () => {
      const user = await server.add(BOTH);
      const answer = await server.byPassword(user);
      const issued = Math.floor(server.service.time.now / 1000) * 1000;
      const inSeconds = (moment: number) => new Date(moment).toISOString().replace(/Z$/, "000Z");
      expect(answer.body).toEqual({
        receipt: {
          methods: ["password"],
          user: { id: user.id, name: user.name, domain: { id: "default", name: "Default" } },
          expires_at: inSeconds(issued + 300_000),
          issued_at: inSeconds(issued),
        },
        required_auth_methods: BOTH,
      });
      expect(seen(answer)).toEqual(asks(["password"]));
      expect(answer.headers).not.toHaveProperty("www-authenticate");
      expect(answer.headers["content-type"]).toMatch(/^application\/json/);
    });

    it("gets none with a wrong password", async () => {
      expect(seen(await server.byPassword(await server.add(BOTH), { password: "wrong" }))).toEqual(REFUSED);
    });

    it("learns nothing about a scope", async () => {
      const user = await server.add(BOTH);
      const other = await server.service.create("projects", {
        name: `no role ${user.name}`,
        domain_id: "default",
      });
      for (const scope of [
        { project: { id: server.project } },
        { project: { id: other } },
        { system: { all: true } },
      ])
        expect(seen(await server.byPassword(user, { scope }))).toEqual(asks(["password"]));
      expect(seen(await server.byPassword(user, { scope: { project: { id: "nowhere" } } }))).toEqual(
        asks(["password"]),
      );
    });

    it("gets the ways to go on that begin with it", async () => {
      const rules = [["password", "totp"], ["totp"], ["saml2"], ["password", "application_credential"]];
      const required = [rules[0], rules[3]];
      expect(seen(await server.byPassword(await server.add(rules)))).toEqual(asks(["password"], required));
      expect(seen(await server.byPassword(await server.add([["totp"]])))).toEqual(asks(["password"], []));
    });
  });

  describe("a rule with a method that is not on offer", () => {
    it.each([[[["password", "fingerprint"]]], [[["fingerprint"]]], [[["password", "totp"]]]])(
      "is not satisfied by a password alone: %j",
      async (rules) => {
        expect((await server.byPassword(await server.add(rules))).status).toBe(401);
      },
    );

    it("leaves the other rules to be satisfied", async () => {
      const user = await server.add([["password", "fingerprint"], ["password"]]);
      expect(methodsOf(await server.byPassword(user))).toEqual([201, ["password"]]);
    });
  });

  it.each([
    [{ multi_factor_auth_enabled: false, multi_factor_auth_rules: BOTH }],
    [{ multi_factor_auth_rules: [] }],
    [{ multi_factor_auth_enabled: true }],
  ])("one method is enough with the options %j", async (options) => {
    expect((await server.byPassword(await server.add(undefined, { options }))).status).toBe(201);
  });

  it("count again when multi_factor_auth_enabled is taken away", async () => {
    const user = await server.add(BOTH);
    await server.change(user.id, { options: { multi_factor_auth_enabled: false } });
    expect((await server.byPassword(user)).status).toBe(201);
    await server.change(user.id, { options: { multi_factor_auth_enabled: null } });
    expect(seen(await server.byPassword(user))).toEqual(asks(["password"]));
    await server.setRules(user.id, null);
    expect((await server.byPassword(user)).status).toBe(201);
  });

  it("count on the other replica too, once they are set", async () => {
    const user = await server.add();
    for (const replica of [0, 1]) expect((await server.byPassword(user, { replica })).status).toBe(201);
    await server.setRules(user.id, BOTH);
    expect(seen(await server.byPassword(user))).toEqual(asks(["password"]));
    const status = async () => (await server.byPassword(user, { replica: 1 })).status;
    await expect.poll(status, { timeout: 5000, interval: 20 }).toBe(401);
  });

  describe("are asked on every path to a token:", () => {
    const MORE = [["mapped", "totp"]];

    it.each(["/v3/OS-FEDERATION", "/v3/EXT-FEDERATION", "/EXT-FEDERATION"])(
      "auth below %s",
      async (prefix) => {
        const user = await server.add(MORE);
        const url = AUTH.replace("/v3/OS-FEDERATION", prefix);
        expect(seen(await server.atProvider(user, {}, url))).toEqual(asks(["mapped"], MORE));
        expect((await server.atProvider(await server.add(), {}, url)).status).toBe(201);
      },
    );

    it("a shadow user of the provider", async () => {
      const person = { id: "", name: server.newName() };
      const first = await server.atProvider(person);
      expect(first.status).toBe(201);
      expect((await server.setRules(first.body.token.user.id as string, MORE)).status).toBe(200);
      expect(seen(await server.atProvider(person))).toEqual(asks(["mapped"], MORE));
      expect(seen(await server.byMethod(person))).toEqual(asks(["mapped"], MORE));
    });

    it("a local user whom a mapping names", async () => {
      const user = await server.add(MORE);
      await server.service.map([{ ...NAMED, local: [{ user: { id: user.id, type: "local" } }] }]);
      expect(seen(await server.atProvider(user))).toEqual(asks(["mapped"], MORE));
      await server.setRules(user.id, [["mapped"]]);
      expect((await server.atProvider(user)).status).toBe(201);
    });

    it.each(["mapped", "saml2", "openid"])("the method %s", async (method) => {
      expect(seen(await server.byMethod(await server.add([["totp", method]]), {}, method))).toEqual(
        asks([method], [["totp", method]]),
      );
      expect((await server.byMethod(await server.add(), {}, method)).status).toBe(201);
    });

    it.each([
      `/v3/auth/OS-FEDERATION/websso/mapped?origin=${encodeURIComponent(DASHBOARD)}`,
      `/v3/auth/OS-FEDERATION/identity_providers/idp/protocols/mapped/websso?origin=${encodeURIComponent(DASHBOARD)}`,
    ])("a browser at %s, which is told by a page", async (url) => {
      const user = await server.add(MORE);
      expect(seen(await server.atProvider(user, {}, url))).toEqual(asks(["mapped"], MORE));
      const page = await server.atProvider(user, { headers: { accept: "text/html" } }, url);
      expect([page.status, page.headers["content-type"]]).toEqual([401, "text/html; charset=utf-8"]);
      expect(page.text).toContain("has to log in with a further method too");
      expect(page.text).not.toContain('name="token"');
      const enough = await server.atProvider(await server.add(), {}, url);
      expect(enough.text).toContain('name="token"');
    });

    it("a token from before the rules, for itself and another scope, by the method mapped too", async () => {
      const user = await server.add();
      const own = await server.byPassword(user);
      const federated = await server.atProvider(user);
      await server.setRules(user.id, MORE);
      // What was had stays, and leads to no other token.
      expect((await server.check(own.token)).status).toBe(200);
      expect(seen(await server.byToken(own.token))).toEqual(asks(["password", "token"], []));
      expect(seen(await server.byToken(own.token, { scope: { project: { id: server.project } } }))).toEqual(
        asks(["password", "token"], []),
      );
      const identity = { methods: ["mapped"], mapped: { id: federated.token } };
      expect(seen(await server.authenticate(identity))).toEqual(asks(["mapped"], MORE));
    });
  });

  describe("when they are set,", () => {
    const RECORDED = [
      [["password", "totp"]],
      [
        ["password", "totp"],
        ["password", "application_credential"],
      ],
      [["totp"]],
      [["password", "fingerprint"]],
      [["fingerprint"]],
      [],
      [
        ["password", "totp"],
        ["password", "mapped"],
      ],
    ];

    it.each(RECORDED.map((rules) => [rules]))("take what recorded requests set: %j", async (rules) => {
      const { id } = await server.add(rules);
      const answer = await server.setRules((await server.add()).id, rules);
      expect([answer.status, answer.body.user.options]).toEqual([200, { multi_factor_auth_rules: rules }]);
      const { body } = await server.service.ask("GET", `/v3/users/${id}`);
      expect(body.user.options).toEqual({ multi_factor_auth_rules: rules });
    });

    it("rules-need-methods-on-offer: take any method, and the log warns of those that no login can use", async () => {
      const { id } = await server.add([["password", "totp"]]);
      const warnings = () =>
        server.service.warnings.filter(({ user }) => user === id).map(({ methods }) => methods);
      const rules = [["password", "totp"], ["pasword"], ["fingerprint", "secret\nline"]];
      expect((await server.setRules(id, [["password"], ["totp"]])).status).toBe(200);
      expect(warnings()).toEqual([]);
      const stored = await server.setRules(id, rules);
      expect([stored.status, stored.body.user.options]).toEqual([200, { multi_factor_auth_rules: rules }]);
      expect(warnings()).toEqual([['"pasword"', '"fingerprint"', String.raw`"secret\nline"`]]);
      const user = {
        name: "misspelled",
        domain_id: "default",
        options: { multi_factor_auth_rules: [["pasword"]] },
      };
      const made = await server.service.ask("POST", "/v3/users", { body: { user } });
      expect(made.status).toBe(201);
      expect(server.service.warnings).toContainEqual(
        expect.objectContaining({ user: made.body.user.id, methods: ['"pasword"'] }),
      );
    });

    it("may name each method on offer", async () => {
      const { body } = await server.authenticate({ methods: ["nothing"] });
      expect(body.error.identity.methods).toEqual(METHOD_NAMES);
      const rules = METHOD_NAMES.map((name) => [name]);
      expect((await server.setRules((await server.add()).id, rules)).status).toBe(200);
    });

    it("take the id of a protocol, and are kept when it is deleted", async () => {
      const url = `${PROVIDER}/protocols/corporate`;
      const { id } = await server.add();
      expect((await server.setRules(id, [["corporate"]])).status).toBe(200);
      await server.service.ask("PUT", url, { body: { protocol: { mapping_id: "people" } } });
      expect((await server.setRules(id, [["corporate"]])).status).toBe(200);
      await server.service.ask("DELETE", url);
      // Sent back among other changes, as clients do.
      expect((await server.setRules(id, [["corporate"], ["password"]])).status).toBe(200);
      expect((await server.setRules(id, [["corporate", "password"]])).status).toBe(200);
    });

    it("are set by administrators and managers of the domain alone, and not by their user", async () => {
      const user = await server.add();
      const { token } = await server.byPassword(user, { scope: { project: { id: server.project } } });
      const body = { user: { options: { multi_factor_auth_rules: BOTH } } };
      expect((await server.service.ask("PATCH", `/v3/users/${user.id}`, { body, token })).status).toBe(403);
      const { body: found } = await server.service.ask("GET", "/v3/roles?name=manager");
      const manager = await server.add();
      await server.service.ask("PUT", `/v3/domains/default/users/${manager.id}/roles/${found.roles[0].id}`);
      const managing = await server.byPassword(manager, { scope: { domain: { id: "default" } } });
      const answer = await server.service.ask("PATCH", `/v3/users/${user.id}`, {
        body,
        token: managing.token,
      });
      expect(answer.status).toBe(200);
    });
  });
});
