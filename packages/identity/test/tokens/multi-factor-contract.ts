/** Multi-factor rules of users: which logins satisfy them, on every path to a token, and how receipts continue a login. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import type { TestDatabases } from "../databases.js";
import {
  asForwarded,
  AUTH,
  DASHBOARD,
  ENV,
  loginServer,
  NAMED,
  said,
  type Answer,
  type LoginServer,
} from "../federation/login-server.js";

const PROVIDER = "/v3/OS-FEDERATION/identity_providers/idp";
const PASSWORD = "a-long-password";
const HIDDEN = {
  error: {
    code: 401,
    message: "The request you have made requires authentication.",
    title: "Unauthorized",
  },
};
const BOTH = [["password", "mapped"]];

export function multiFactorContract(databases: TestDatabases): void {
  describe(`multi-factor rules on ${databases.name}`, () => {
    let service: LoginServer;
    let project: string;
    let role: string;
    let users = 0;
    beforeAll(async () => {
      service = await loginServer(databases, ENV, { replicas: 2 });
      project = await service.create("projects", { name: "p1", domain_id: "default" });
      const { body } = await service.ask("GET", "/v3/roles?name=member");
      role = body.roles[0].id as string;
    }, 60_000);
    beforeEach(() => service.map([NAMED]));
    afterAll(() => service.close());

    interface Person {
      readonly id: string;
      readonly name: string;
    }
    /** A user with a password and a role in the project, whom the provider knows by the same name. */
    async function add(rules?: unknown, more: object = {}): Promise<Person> {
      const name = `user${(users += 1)}`;
      const federated = [{ idp_id: "idp", protocols: [{ protocol_id: "mapped", unique_id: name }] }];
      const options = rules === undefined ? {} : { multi_factor_auth_rules: rules };
      const attributes = { name, domain_id: "default", password: PASSWORD, federated, options, ...more };
      const id = await service.create("users", attributes);
      await service.ask("PUT", `/v3/projects/${project}/users/${id}/roles/${role}`);
      return { id, name };
    }
    const change = (id: string, user: object) => service.ask("PATCH", `/v3/users/${id}`, { body: { user } });
    const setRules = (id: string, multi_factor_auth_rules: unknown) =>
      change(id, { options: { multi_factor_auth_rules } });

    interface Sent {
      readonly receipt?: string;
      readonly scope?: unknown;
      readonly headers?: Readonly<Record<string, string>>;
      readonly replica?: number;
    }
    const authenticate = (identity: object, { receipt, scope, headers, replica = 0 }: Sent = {}) =>
      service.ask("POST", "/v3/auth/tokens", {
        body: { auth: { identity, scope } },
        headers: { ...(receipt !== undefined && { "openstack-auth-receipt": receipt }), ...headers },
        replica,
      });
    const byPassword = ({ id }: Person, sent: Sent & { readonly password?: string } = {}) =>
      authenticate(
        { methods: ["password"], password: { user: { id, password: sent.password ?? PASSWORD } } },
        sent,
      );
    const byToken = (id: string, sent: Sent = {}) =>
      authenticate({ methods: ["token"], token: { id } }, sent);
    const atProvider = ({ name }: Person, { receipt, headers }: Sent = {}, url = AUTH) =>
      service.login(said(name), url, {
        headers: { ...(receipt !== undefined && { "openstack-auth-receipt": receipt }), ...headers },
      });
    const byMethod = ({ name }: Person, sent: Sent = {}, method = "mapped") =>
      authenticate(
        { methods: [method], [method]: { identity_provider: "idp", protocol: "mapped" } },
        { ...sent, headers: asForwarded(said(name)) },
      );
    const receiptOf = ({ headers }: Answer) => String(headers["openstack-auth-receipt"] ?? "");
    const check = (subject: string) =>
      service.ask("GET", "/v3/auth/tokens", { headers: { "x-subject-token": subject } });
    const methodsOf = ({ status, body }: Answer) => [status, body.token?.methods];

    /** A receipt for these methods, and no token. */
    function expectReceipt(answer: Answer, methods: readonly string[], required: unknown = BOTH): void {
      expect([answer.status, answer.body.receipt?.methods]).toEqual([401, methods]);
      expect(answer.body.required_auth_methods).toEqual(required);
      expect(receiptOf(answer)).toMatch(/^gAAAA/);
      expect(answer.token).toBe("");
    }
    function expectRefused(answer: Answer): void {
      expect([answer.status, answer.body, receiptOf(answer), answer.token]).toEqual([401, HIDDEN, "", ""]);
    }

    describe("a login with a password alone, where a rule asks for more", () => {
      it("gets a receipt in the form of Keystone's, and no token", async () => {
        const user = await add(BOTH);
        const answer = await byPassword(user);
        const issued = Math.floor(service.time.now / 1000) * 1000;
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
        expectReceipt(answer, ["password"]);
        expect(answer.headers).not.toHaveProperty("www-authenticate");
        expect(answer.headers["content-type"]).toMatch(/^application\/json/);
      });

      it("gets none with a wrong password", async () => {
        expectRefused(await byPassword(await add(BOTH), { password: "wrong" }));
      });

      it("learns nothing about a scope", async () => {
        const user = await add(BOTH);
        const other = await service.create("projects", {
          name: `no role ${user.name}`,
          domain_id: "default",
        });
        for (const scope of [
          { project: { id: project } },
          { project: { id: other } },
          { system: { all: true } },
        ])
          expectReceipt(await byPassword(user, { scope }), ["password"]);
        expectReceipt(await byPassword(user, { scope: { project: { id: "nowhere" } } }), ["password"]);
      });

      it("gets the ways to go on that begin with it", async () => {
        const rules = [["password", "totp"], ["totp"], ["saml2"], ["password", "application_credential"]];
        const required = [rules[0], rules[3]];
        expectReceipt(await byPassword(await add(rules)), ["password"], required);
        expectReceipt(await byPassword(await add([["totp"]])), ["password"], []);
      });
    });

    describe("a rule with a method that is not on offer", () => {
      it.each([[[["password", "fingerprint"]]], [[["fingerprint"]]], [[["password", "totp"]]]])(
        "is not satisfied by a password alone: %j",
        async (rules) => {
          expect((await byPassword(await add(rules))).status).toBe(401);
        },
      );

      it("leaves the other rules to be satisfied", async () => {
        const user = await add([["password", "fingerprint"], ["password"]]);
        expect(methodsOf(await byPassword(user))).toEqual([201, ["password"]]);
      });
    });

    it.each([
      [{ multi_factor_auth_enabled: false, multi_factor_auth_rules: BOTH }],
      [{ multi_factor_auth_rules: [] }],
      [{ multi_factor_auth_enabled: true }],
    ])("one method is enough with the options %j", async (options) => {
      expect((await byPassword(await add(undefined, { options }))).status).toBe(201);
    });

    it("count again when multi_factor_auth_enabled is taken away", async () => {
      const user = await add(BOTH);
      await change(user.id, { options: { multi_factor_auth_enabled: false } });
      expect((await byPassword(user)).status).toBe(201);
      await change(user.id, { options: { multi_factor_auth_enabled: null } });
      expectReceipt(await byPassword(user), ["password"]);
      await setRules(user.id, null);
      expect((await byPassword(user)).status).toBe(201);
    });

    it("count on the other replica too, once they are set", async () => {
      const user = await add();
      for (const replica of [0, 1]) expect((await byPassword(user, { replica })).status).toBe(201);
      await setRules(user.id, BOTH);
      expectReceipt(await byPassword(user), ["password"]);
      const status = async () => (await byPassword(user, { replica: 1 })).status;
      await expect.poll(status, { timeout: 5000, interval: 20 }).toBe(401);
    });

    describe("are asked on every path to a token:", () => {
      const MORE = [["mapped", "totp"]];

      it.each(["/v3/OS-FEDERATION", "/v3/EXT-FEDERATION", "/EXT-FEDERATION"])(
        "auth below %s",
        async (prefix) => {
          const user = await add(MORE);
          const url = AUTH.replace("/v3/OS-FEDERATION", prefix);
          expectReceipt(await atProvider(user, {}, url), ["mapped"], MORE);
          expect((await atProvider(await add(), {}, url)).status).toBe(201);
        },
      );

      it("a user whom the provider has brought", async () => {
        const person = { id: "", name: `shadow${(users += 1)}` };
        const first = await atProvider(person);
        expect(first.status).toBe(201);
        expect((await setRules(first.body.token.user.id as string, MORE)).status).toBe(200);
        expectReceipt(await atProvider(person), ["mapped"], MORE);
        expectReceipt(await byMethod(person), ["mapped"], MORE);
      });

      it("a local user whom a mapping names", async () => {
        const user = await add(MORE);
        await service.map([{ ...NAMED, local: [{ user: { id: user.id, type: "local" } }] }]);
        expectReceipt(await atProvider(user), ["mapped"], MORE);
        await setRules(user.id, [["mapped"]]);
        expect((await atProvider(user)).status).toBe(201);
      });

      it.each(["mapped", "saml2", "openid"])("the method %s", async (method) => {
        expectReceipt(
          await byMethod(await add([["totp", method]]), {}, method),
          [method],
          [["totp", method]],
        );
        expect((await byMethod(await add(), {}, method)).status).toBe(201);
      });

      it.each([
        `/v3/auth/OS-FEDERATION/websso/mapped?origin=${encodeURIComponent(DASHBOARD)}`,
        `/v3/auth/OS-FEDERATION/identity_providers/idp/protocols/mapped/websso?origin=${encodeURIComponent(DASHBOARD)}`,
      ])("a browser at %s, which is told by a page", async (url) => {
        const user = await add(MORE);
        expectReceipt(await atProvider(user, {}, url), ["mapped"], MORE);
        const page = await atProvider(user, { headers: { accept: "text/html" } }, url);
        expect([page.status, page.headers["content-type"]]).toEqual([401, "text/html; charset=utf-8"]);
        expect(page.text).toContain("has to log in with a further method too");
        expect(page.text).not.toContain('name="token"');
        const enough = await atProvider(await add(), {}, url);
        expect(enough.text).toContain('name="token"');
      });

      it("a token from before the rules, for itself and another scope, by the method mapped too", async () => {
        const user = await add();
        const own = await byPassword(user);
        const federated = await atProvider(user);
        await setRules(user.id, MORE);
        // What was had stays, and leads to no other token.
        expect((await check(own.token)).status).toBe(200);
        expectReceipt(await byToken(own.token), ["password", "token"], []);
        expectReceipt(
          await byToken(own.token, { scope: { project: { id: project } } }),
          ["password", "token"],
          [],
        );
        const identity = { methods: ["mapped"], mapped: { id: federated.token } };
        expectReceipt(await authenticate(identity), ["mapped"], MORE);
      });
    });

    describe("a receipt", () => {
      it("is continued by the other method, in either order, at either address", async () => {
        const user = await add(BOTH);
        const afterPassword = { receipt: receiptOf(await byPassword(user)) };
        for (const answer of [await atProvider(user, afterPassword), await byMethod(user, afterPassword)]) {
          expect(methodsOf(answer)).toEqual([201, ["password", "mapped"]]);
          expect(methodsOf(await check(answer.token))).toEqual([200, ["password", "mapped"]]);
        }
        for (const first of [await atProvider(user), await byMethod(user)]) {
          expectReceipt(first, ["mapped"]);
          const scope = { project: { id: project } };
          const answer = await byPassword(user, { receipt: receiptOf(first), scope });
          expect(methodsOf(answer)).toEqual([201, ["mapped", "password"]]);
          expect(answer.body.token.project.id).toBe(project);
        }
      });

      it("leads to tokens whose methods count when they are exchanged for others", async () => {
        const user = await add(BOTH);
        const { token } = await atProvider(user, { receipt: receiptOf(await byPassword(user)) });
        const scoped = await byToken(token, { scope: { project: { id: project } } });
        expect(methodsOf(scoped)).toEqual([201, ["password", "mapped", "token"]]);
      });

      it("is continued with a token from before the rules, and ends no later than that", async () => {
        const user = await add();
        const before = await byPassword(user);
        service.time.now += 60_000;
        await setRules(user.id, [["token", "mapped"]]);
        const first = await byToken(before.token);
        const answer = await atProvider(user, { receipt: receiptOf(first) });
        expect(methodsOf(answer)).toEqual([201, ["password", "token", "mapped"]]);
        expect(answer.body.token.expires_at).toBe(before.body.token.expires_at);
        expect(answer.body.token.audit_ids[1]).toBe(before.body.token.audit_ids[0]);
      });

      it("is not needed for both methods at once, and does no harm", async () => {
        const user = await add(BOTH);
        const identity = {
          methods: ["password", "mapped"],
          password: { user: { id: user.id, password: PASSWORD } },
          mapped: { identity_provider: "idp", protocol: "mapped" },
        };
        const headers = asForwarded(said(user.name));
        for (const receipt of ["", receiptOf(await byPassword(user))])
          expect(methodsOf(await authenticate(identity, { headers, receipt }))).toEqual([
            201,
            ["password", "mapped"],
          ]);
      });

      it("is had again for the same method again", async () => {
        const user = await add(BOTH);
        const receipt = receiptOf(await byPassword(user));
        expectReceipt(await byPassword(user, { receipt }), ["password"]);
        expectReceipt(await byPassword(user, { receipt: "" }), ["password"]);
      });

      it("is worth nothing beside a wrong second method", async () => {
        const user = await add(BOTH);
        const receipt = receiptOf(await atProvider(user));
        expectRefused(await byPassword(user, { receipt, password: "wrong" }));
      });

      it("counts for its own user alone", async () => {
        const [user, other, free] = [await add(BOTH), await add(BOTH), await add()];
        const receipt = receiptOf(await byPassword(user));
        expectRefused(await atProvider(other, { receipt }));
        expectRefused(await byPassword(free, { receipt }));
      });

      it("is refused where it is none, though the login needs none", async () => {
        const [user, free] = [await add(BOTH), await add()];
        const { token } = await byPassword(free);
        for (const receipt of ["garbage", token, `${receiptOf(await byPassword(user))}A`])
          for (const each of [user, free]) expectRefused(await byPassword(each, { receipt }));
      });

      it("is never taken for a token", async () => {
        const user = await add(BOTH);
        const receipt = receiptOf(await byPassword(user));
        expect((await check(receipt)).status).toBe(404);
        expect((await service.ask("GET", "/v3/auth/projects", { token: receipt })).status).toBe(401);
        expect((await byToken(receipt)).status).toBe(404);
        const mapped = { methods: ["mapped"], mapped: { id: receipt } };
        expect((await authenticate(mapped)).status).toBe(404);
        const headers = { "x-subject-token": receipt };
        expect((await service.ask("DELETE", "/v3/auth/tokens", { headers })).status).toBe(404);
      });

      it("ends after five minutes, counted from its first method", async () => {
        const user = await add(BOTH);
        const receipt = receiptOf(await byPassword(user));
        service.time.now += 299_000;
        expect((await atProvider(user, { receipt })).status).toBe(201);
        const renewed = receiptOf(await byPassword(user, { receipt }));
        service.time.now += 1000;
        expectRefused(await atProvider(user, { receipt }));
        expectRefused(await atProvider(user, { receipt: renewed }));
      });

      it.each([
        ["an administrator sets another password", { password: "another-password" }, "another-password"],
        ["the user is disabled and enabled", { enabled: false }, PASSWORD],
      ])("ends when %s", async (_change, attributes, password) => {
        const user = await add(BOTH);
        const receipts = [receiptOf(await byPassword(user)), receiptOf(await atProvider(user))];
        await change(user.id, attributes);
        await change(user.id, { enabled: true });
        service.time.now += 1000;
        expectRefused(await atProvider(user, { receipt: receipts[0] ?? "" }));
        expectRefused(await byPassword(user, { receipt: receipts[1] ?? "", password }));
        const again = await byPassword(user, { password });
        expect((await atProvider(user, { receipt: receiptOf(again) })).status).toBe(201);
      });

      it("ends when the user changes the password, for which one method is enough", async () => {
        const user = await add(BOTH);
        const receipt = receiptOf(await byPassword(user));
        const body = { user: { original_password: PASSWORD, password: "another-password" } };
        expect((await service.ask("POST", `/v3/users/${user.id}/password`, { body })).status).toBe(204);
        expectRefused(await atProvider(user, { receipt }));
        service.time.now += 1000;
      });

      it("ends with the sessions of the provider that it rests on", async () => {
        const user = await add(BOTH);
        const [own, federated] = [receiptOf(await byPassword(user)), receiptOf(await atProvider(user))];
        expect((await service.ask("POST", `${PROVIDER}/end_sessions`)).status).toBe(204);
        expectRefused(await byPassword(user, { receipt: federated }));
        service.time.now += 1000;
        expect((await atProvider(user, { receipt: own })).status).toBe(201);
      });

      it("rests on its provider: is refused while that is disabled, and leads to a token of it", async () => {
        const user = await add(BOTH);
        const receipt = receiptOf(await atProvider(user));
        const { body, token } = await byPassword(user, { receipt });
        expect(body.token.user["OS-FEDERATION"]).toMatchObject({ identity_provider: { id: "idp" } });
        const enable = (enabled: boolean) =>
          service.ask("PATCH", PROVIDER, { body: { identity_provider: { enabled } } });
        await enable(false);
        expectRefused(await byPassword(user, { receipt }));
        expect((await check(token)).status).toBe(404);
        await enable(true);
        expectRefused(await byPassword(user, { receipt }));
        service.time.now += 1000;
      });

      it("lives as long as IDENTITY_RECEIPT_LIFETIME says", async () => {
        const brief = await loginServer(databases, { ...ENV, IDENTITY_RECEIPT_LIFETIME: "10" });
        const federated = [{ idp_id: "idp", protocols: [{ protocol_id: "mapped", unique_id: "ann" }] }];
        const options = { multi_factor_auth_rules: BOTH };
        await brief.create("users", { name: "ann", domain_id: "default", federated, options });
        const receipt = receiptOf(await brief.login(said("ann")));
        const used = () => brief.login(said("ann"), AUTH, { headers: { "openstack-auth-receipt": receipt } });
        brief.time.now += 9000;
        expect((await used()).body.receipt.methods).toEqual(["mapped"]);
        brief.time.now += 1000;
        expect((await used()).body).toEqual(HIDDEN);
        await brief.close();
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
        const { id } = await add(rules);
        const answer = await setRules((await add()).id, rules);
        expect([answer.status, answer.body.user.options]).toEqual([200, { multi_factor_auth_rules: rules }]);
        const { body } = await service.ask("GET", `/v3/users/${id}`);
        expect(body.user.options).toEqual({ multi_factor_auth_rules: rules });
      });

      it("refuse a method that does not exist, by its name", async () => {
        const message =
          "Invalid input for field/attribute multi_factor_auth_rules. Value: pasword. No such authentication method, " +
          "expected the id of a protocol or one of password, token, mapped, openid, saml2";
        const { id } = await add([["password", "totp"]]);
        const rules = [["password", "totp"], ["pasword"]];
        const refused = await setRules(id, rules);
        expect([refused.status, refused.body.error.message]).toEqual([400, message]);
        const user = { name: "refused", domain_id: "default", options: { multi_factor_auth_rules: rules } };
        const made = await service.ask("POST", "/v3/users", { body: { user } });
        expect([made.status, made.body.error.message]).toEqual([400, message]);
        const { body } = await service.ask("GET", `/v3/users/${id}`);
        expect(body.user.options).toEqual({ multi_factor_auth_rules: [["password", "totp"]] });
        expect((await service.ask("GET", "/v3/users?name=refused")).body.users).toEqual([]);
      });

      it("take the id of a protocol, and are kept when it is deleted", async () => {
        const url = `${PROVIDER}/protocols/corporate`;
        const { id } = await add();
        expect((await setRules(id, [["corporate"]])).status).toBe(400);
        await service.ask("PUT", url, { body: { protocol: { mapping_id: "people" } } });
        expect((await setRules(id, [["corporate"]])).status).toBe(200);
        await service.ask("DELETE", url);
        // Sent back among other changes, as clients do.
        expect((await setRules(id, [["corporate"], ["password"]])).status).toBe(200);
        expect((await setRules(id, [["corporate", "password"]])).status).toBe(400);
      });

      it("are set by administrators and managers of the domain alone, and not by their user", async () => {
        const user = await add();
        const { token } = await byPassword(user, { scope: { project: { id: project } } });
        const body = { user: { options: { multi_factor_auth_rules: BOTH } } };
        expect((await service.ask("PATCH", `/v3/users/${user.id}`, { body, token })).status).toBe(403);
        const { body: found } = await service.ask("GET", "/v3/roles?name=manager");
        const manager = await add();
        await service.ask("PUT", `/v3/domains/default/users/${manager.id}/roles/${found.roles[0].id}`);
        const managing = await byPassword(manager, { scope: { domain: { id: "default" } } });
        const answer = await service.ask("PATCH", `/v3/users/${user.id}`, { body, token: managing.token });
        expect(answer.status).toBe(200);
      });
    });
  });
}
