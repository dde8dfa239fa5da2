/** A domain whose users are in slapd: lists, memberships, logins, roles and delegation. */
import { createHash } from "node:crypto";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { servedDatabases, sqliteDatabases } from "../../test/databases.js";
import { hostileNames } from "../../test/directories/hostile-names.js";
import { checkDirectory } from "../../src/directories/check-directory.js";
import {
  configOf,
  directoryCloud,
  DOMAIN,
  group,
  person,
  UNITS,
  type DirectoryCloud,
} from "./directory-cloud.js";

const publicId = (localId: string, kind: "user" | "group" = "user") =>
  createHash("sha256")
    .update(DOMAIN + kind + localId)
    .digest("hex");

const dnOf = (uid: string) => `uid=${uid},ou=People,dc=test`;

const LDIF = [
  UNITS,
  person("alva", "mail: alva@test.example\ndescription: first"),
  person("bero"),
  person("jürgen"),
  person("robot", "employeeType: robot"),
  person("off", "title: FALSE"),
  person("gone"),
  person("star*light"),
  person("paren(thes)is"),
  person("comma, carl"),
  group("admins", [dnOf("alva"), "UID=BERO, ou=people, dc=test"], "description: the admins"),
  group("gone", [dnOf("gone"), dnOf("bero")]),
  group("odd", ["cn=dummy", dnOf("nobody"), "cn=admins,ou=Groups,dc=test", dnOf("robot"), dnOf("alva")]),
].join("\n");

for (const databases of servedDatabases(sqliteDatabases))
  describe(`users in a directory, and the service on ${databases.name}`, () => {
    let cloud: DirectoryCloud;
    let project = "";
    const roles = new Map<string, string>();
    beforeAll(async () => {
      cloud = await directoryCloud(databases, { ldif: LDIF });
      await cloud.configure({ user_enabled_attribute: "title" });
      const { body } = await cloud.ask("POST", "/projects", {
        body: { project: { name: "p", domain_id: DOMAIN } },
      });
      project = body.project.id;
      for (const { id, name } of (await cloud.ask("GET", "/roles")).body.roles) roles.set(name, id);
    });
    afterAll(() => cloud.close());

    const namesOf = (items: readonly { name: string }[]) => items.map(({ name }) => name).toSorted();
    const grant = (actor: "users" | "groups", id: string, role: string) =>
      cloud.ask("PUT", `/projects/${project}/${actor}/${id}/roles/${roles.get(role)}`);
    const scope = () => ({ project: { id: project } });
    const rolesOf = ({ body }: { body: { token: { roles: { name: string }[] } } }) =>
      namesOf(body.token.roles);

    it("are listed with the ids that Keystone computes, without those that the filter leaves out", async () => {
      const { body } = await cloud.ask("GET", `/users?domain_id=${DOMAIN}`);
      expect(namesOf(body.users)).toEqual(
        ["alva", "bero", "comma, carl", "gone", "jürgen", "off", "paren(thes)is", "star*light"].toSorted(),
      );
      expect(body.users.find(({ name }: { name: string }) => name === "alva")).toMatchObject({
        id: publicId("alva"),
        email: "alva@test.example",
        description: "first",
        enabled: true,
        options: {},
        password_expires_at: null,
      });
      expect(await cloud.ask("GET", `/users/${publicId("off")}`)).toMatchObject({
        body: { user: { enabled: false } },
      });
      expect((await cloud.ask("GET", `/users/${publicId("robot")}`)).status).toBe(404);
    });

    it("come in pages, and are in no list without their domain", async () => {
      const seen: string[] = [];
      for (let path = `/users?domain_id=${DOMAIN}&limit=3`; path !== "";) {
        const { body } = await cloud.ask("GET", path);
        seen.push(...body.users.map(({ name }: { name: string }) => name));
        path =
          body.links.next === null
            ? ""
            : new URL(body.links.next).pathname.replace("/v3", "") + new URL(body.links.next).search;
      }
      expect(seen.toSorted()).toHaveLength(8);
      expect(new Set(seen).size).toBe(8);
      const { body } = await cloud.ask("GET", "/users");
      expect(namesOf(body.users)).toEqual(["admin"]);
    });

    it.each([
      ["name=ALVA", ["alva"]],
      ["name=*", []],
      ["name=star*light", ["star*light"]],
      ["name__contains=(", ["paren(thes)is"]],
      ["name__contains=AL", []],
      ["name__icontains=AL", ["alva"]],
      ["name__startswith=comma%2C", ["comma, carl"]],
      ["name__endswith=gen", ["jürgen"]],
      ["enabled=false", ["off"]],
      ["name__startswith=%2A)(uid%3D", []],
    ])("are filtered by %s", async (query, names) => {
      const { body } = await cloud.ask("GET", `/users?domain_id=${DOMAIN}&${query}`);
      expect(namesOf(body.users)).toEqual(names);
    });

    it("have the members of groups, also of one with entries that are no users", async () => {
      const membersOf = async (name: string) =>
        namesOf((await cloud.ask("GET", `/groups/${publicId(name, "group")}/users`)).body.users);
      const { body } = await cloud.ask("GET", `/groups?domain_id=${DOMAIN}`);
      expect(namesOf(body.groups)).toEqual(["admins", "gone", "odd"]);
      expect(await membersOf("admins")).toEqual(["alva", "bero"]);
      expect(await membersOf("odd")).toEqual(["alva"]);
      const of = await cloud.ask("GET", `/users/${publicId("alva")}/groups`);
      expect(namesOf(of.body.groups)).toEqual(["admins", "odd"]);
      const check = (name: string, user: string) =>
        cloud.ask("HEAD", `/groups/${publicId(name, "group")}/users/${publicId(user)}`);
      expect([(await check("admins", "bero")).status, (await check("odd", "bero")).status]).toEqual([
        204, 404,
      ]);
    });

    it("log in by any spelling that the directory accepts, by one bind", async () => {
      const before = cloud.slapd.log().length;
      const reply = await cloud.enter("ALVA", "pw-alva");
      expect(reply).toMatchObject({
        status: 201,
        body: { token: { user: { id: publicId("alva"), name: "alva" } } },
      });
      expect(
        cloud.slapd
          .log()
          .slice(before)
          .match(/BIND dn="uid=alva[^"]*" method/g),
      ).toHaveLength(1);
      expect((await cloud.logIn({ id: publicId("jürgen") }, "pw-jürgen")).status).toBe(201);
      expect((await cloud.enter("comma, carl")).status).toBe(201);
    });

    it("are refused alike, whatever the reason, and an empty password never reaches the directory", async () => {
      const before = cloud.slapd.log().length;
      const replies = [
        await cloud.enter("alva", "wrong"),
        await cloud.enter("nobody", "x"),
        await cloud.enter("robot"),
        await cloud.enter("off"),
        await cloud.enter("alva", ""),
      ];
      expect(replies.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
      expect(new Set(replies.map(({ body }) => JSON.stringify(body))).size).toBe(1);
      const binds = cloud.slapd
        .log()
        .slice(before)
        .match(/BIND dn="uid=[^"]*" method/g);
      expect(binds).toHaveLength(2);
      expect((await cloud.enter("alva", "pw-alva\0")).status).toBe(400);
      // Users who are not there take as long: a bind as an entry that does not exist, with another password.
      expect(
        cloud.slapd
          .log()
          .slice(before)
          .match(/BIND dn="cn=[0-9a-f-]{36},ou=People,dc=test" method/g),
      ).toHaveLength(2);
    });

    it("are not found by any hostile name", async () => {
      const wrong: unknown[] = [];
      for (const name of hostileNames().filter((each) => each.length < 300)) {
        const { status, body } = await cloud.enter(name, "pw-alva");
        // 400: a character that no text may hold. The directory compares some names as alva's.
        const isAlva = status === 201 && body.token.user.name === "alva" && !/[*()\\]/.test(name);
        if (status !== 400 && status !== 401 && !isAlva) wrong.push([name, status]);
      }
      expect(wrong).toEqual([]);
    }, 120_000);

    it("are not listed by any hostile part of a name but those that have it", async () => {
      const wrong: unknown[] = [];
      for (const each of hostileNames().filter(({ length }, index) => length < 300 && index % 4 === 0)) {
        const name = Buffer.from(each).toString("utf8");
        const query = `name__contains=${encodeURIComponent(name)}`;
        const { status, body } = await cloud.ask("GET", `/users?domain_id=${DOMAIN}&${query}`);
        const names: string[] = status === 200 ? namesOf(body.users) : [];
        if (![200, 400].includes(status) || names.some((found) => !found.includes(name)))
          wrong.push([name, status, names]);
      }
      expect(wrong).toEqual([]);
    });

    it("have roles of their own and of their groups, in tokens, lists and delegations", async () => {
      expect((await grant("users", publicId("alva"), "member")).status).toBe(204);
      expect((await grant("groups", publicId("admins", "group"), "reader")).status).toBe(204);
      expect((await grant("groups", publicId("odd", "group"), "service")).status).toBe(204);
      expect((await grant("users", publicId("nobody"), "member")).status).toBe(404);
      const alva = await cloud.enter("alva", "pw-alva", { scope: scope() });
      expect(rolesOf(alva)).toEqual(["member", "reader", "service"]);
      expect(rolesOf(await cloud.enter("bero", "pw-bero", { scope: scope() }))).toEqual(["reader"]);

      const effective = await cloud.ask(
        "GET",
        `/role_assignments?effective&include_names&scope.project.id=${project}`,
      );
      const named = effective.body.role_assignments.map(
        (each: { user: { name: string }; role: { name: string } }) => `${each.user.name} ${each.role.name}`,
      );
      expect(new Set(named)).toEqual(new Set(["alva member", "alva reader", "alva service", "bero reader"]));

      const { token } = alva;
      const draft = { application_credential: { name: "ci", roles: [{ name: "reader" }] } };
      const path = `/users/${publicId("alva")}/application_credentials`;
      const { body } = await cloud.ask("POST", path, { token, body: draft });
      const { secret } = body.application_credential;
      const entered = await cloud.ask("POST", "/auth/tokens", {
        token: "",
        body: {
          auth: {
            identity: {
              methods: ["application_credential"],
              application_credential: { name: "ci", secret, user: { name: "ALVA", domain: { id: DOMAIN } } },
            },
          },
        },
      });
      expect(rolesOf(entered)).toEqual(["reader"]);

      const trust = await cloud.ask("POST", "/OS-TRUST/trusts", {
        token,
        body: {
          trust: {
            trustor_user_id: publicId("alva"),
            trustee_user_id: publicId("bero"),
            impersonation: false,
            project_id: project,
            roles: [{ name: "member" }],
          },
        },
      });
      const asTrustee = await cloud.enter("bero", "pw-bero", {
        scope: { "OS-TRUST:trust": { id: trust.body.trust.id } },
      });
      expect(rolesOf(asTrustee)).toContain("member");
      const keys = await cloud.ask("POST", `/users/${publicId("alva")}/credentials/OS-EC2`, {
        token,
        body: { tenant_id: project },
      });
      expect(keys.status).toBe(201);
    });

    it("are found by the check of the configuration, which names the options to change", async () => {
      const check = async (ldap: Readonly<Record<string, unknown>> = {}, secret?: string) => {
        const { password, ...options } = configOf(cloud.slapd, ldap).ldap;
        const login = secret === undefined ? undefined : { name: "alva", password: secret };
        const lines: string[] = [];
        const config = { ldap: options, readPassword: () => password };
        for await (const { isFailure, text } of checkDirectory(config, login))
          lines.push(`${isFailure ? "failure" : "ok"} ${text}`);
        return lines.join("\n");
      };
      const good = await check({}, "pw-alva");
      expect(good).not.toContain("failure");
      expect(good).toContain("groups: admins, odd");
      expect(await check({}, "wrong")).toMatch(/^failure login .*InvalidCredentials \(49\)/m);
      expect(await check({ password: "wrong" })).toMatch(
        /^failure .*InvalidCredentials \(49\).*see url, user, password/,
      );
      expect(await check({ user_tree_dn: "ou=Nowhere,dc=test" })).toContain("see user_tree_dn");
      expect(await check({ group_objectclass: "posixGroup" })).toContain("group_objectclass");
    });

    it("are checked by the API, also with options that are not stored, for administrators alone", async () => {
      const path = `/domains/${DOMAIN}/directory/check`;
      const check = async (body: object) => {
        const reply = await cloud.ask("POST", path, { body });
        expect(reply.status).toBe(200);
        return reply.body.findings as { failed: boolean; text: string }[];
      };
      const good = await check({ login: { name: "alva", password: "pw-alva" } });
      expect(good.filter(({ failed }) => failed)).toEqual([]);
      expect(good.at(-1)?.text).toContain("is accepted; groups: admins, odd");
      const [wrong] = await check({ config: { ldap: { user_tree_dn: "ou=Nowhere,dc=test" } } });
      expect(wrong).toMatchObject({ failed: true, text: expect.stringContaining("see user_tree_dn") });
      // The stored password is for the stored server, not for one that a request names.
      const other = cloud.slapd.url.replace("127.0.0.1", "localhost");
      expect(other).not.toBe(cloud.slapd.url);
      const [refused] = await check({ config: { ldap: { url: other } } });
      expect(refused).toMatchObject({ failed: true });
      const named = { url: other, password: configOf(cloud.slapd).ldap.password };
      expect((await check({ config: { ldap: named } }))[0]).toMatchObject({ failed: false });
      expect(await check({})).toHaveLength(good.length - 1);

      const { token } = await cloud.enter("bero");
      expect((await cloud.ask("POST", path, { body: {}, token })).status).toBe(403);
      expect((await cloud.ask("POST", path, { body: {}, token: "" })).status).toBe(401);
      const unknown = { config: { ldap: { no_such: 1 } } };
      expect((await cloud.ask("POST", path, { body: unknown })).status).toBe(403);
      expect((await cloud.ask("POST", "/domains/nowhere/directory/check", { body: {} })).status).toBe(404);
      expect((await cloud.ask("POST", "/domains/default/directory/check", { body: {} })).status).toBe(404);
    });

    it("are not changed", async () => {
      const user = `/users/${publicId("alva")}`;
      const admins = `/groups/${publicId("admins", "group")}`;
      const forbidden = [
        await cloud.ask("POST", "/users", { body: { user: { name: "new", domain_id: DOMAIN } } }),
        await cloud.ask("PATCH", user, { body: { user: { email: "x" } } }),
        await cloud.ask("DELETE", user),
        await cloud.ask("POST", `${user}/password`, {
          body: { user: { original_password: "pw-alva", password: "x" } },
        }),
        await cloud.ask("POST", "/groups", { body: { group: { name: "new", domain_id: DOMAIN } } }),
        await cloud.ask("PATCH", admins, { body: { group: { description: "x" } } }),
        await cloud.ask("DELETE", admins),
        await cloud.ask("PUT", `${admins}/users/${publicId("jürgen")}`),
        await cloud.ask("DELETE", `${admins}/users/${publicId("alva")}`),
      ];
      expect(forbidden.map(({ status }) => status)).toEqual(forbidden.map(() => 403));
      const wrong = { user: { original_password: "wrong", password: "x" } };
      expect((await cloud.ask("POST", `${user}/password`, { body: wrong })).status).toBe(401);
      expect((await cloud.ask("DELETE", `/users/${publicId("nobody")}`)).status).toBe(404);
      const { body } = await cloud.ask("POST", "/groups", {
        body: { group: { name: "own", domain_id: "default" } },
      });
      const crossing = await cloud.ask("PUT", `/groups/${body.group.id}/users/${publicId("alva")}`);
      expect(crossing).toMatchObject({
        status: 403,
        body: { error: { message: /across backend boundaries/ } },
      });
    });

    it("lose their tokens with the directory's entry, membership or permission, and get them back with it", async () => {
      expect((await grant("groups", publicId("gone", "group"), "member")).status).toBe(204);
      const { token } = await cloud.enter("gone", "pw-gone", { scope: scope() });
      const status = async () => (await cloud.validate(token)).status;
      expect(await status()).toBe(200);
      const members = (op: string, uid: string) =>
        cloud.slapd.modify(
          `dn: cn=gone,ou=Groups,dc=test\nchangetype: modify\n${op}: member\nmember: ${dnOf(uid)}\n`,
        );
      members("delete", "gone");
      expect(await status()).toBe(404);
      members("add", "gone");
      expect(await status()).toBe(200);
      const entry = `dn: ${dnOf("gone")}\nchangetype: modify\n`;
      cloud.slapd.modify(`${entry}add: title\ntitle: FALSE\n`);
      expect(await status()).toBe(404);
      cloud.slapd.modify(`${entry}delete: title\n`);
      expect(await status()).toBe(200);
      cloud.slapd.modify(`dn: ${dnOf("gone")}\nchangetype: delete\n`);
      expect(await status()).toBe(404);
      expect((await cloud.ask("GET", `/users/${publicId("gone")}`)).status).toBe(404);
      expect((await cloud.ask("GET", `/role_assignments?effective&scope.project.id=${project}`)).status).toBe(
        200,
      );
    });

    it("may have their tokens checked by what was known lately", async () => {
      const other = await directoryCloud(databases, { ldif: LDIF, env: { IDENTITY_LDAP_RECHECK: "3600" } });
      try {
        await other.configure();
        const { token } = await other.enter("alva");
        expect((await other.validate(token)).status).toBe(200);
        await other.slapd.stop();
        const before = performance.now();
        for (let count = 0; count < 200; count++) expect((await other.validate(token)).status).toBe(200);
        expect(performance.now() - before).toBeLessThan(5000);
      } finally {
        await other.close();
      }
    });
  });
