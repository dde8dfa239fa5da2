/** Users of a directory whose domain had, and has again, users in the database; and their passkeys. */
import { createHash } from "node:crypto";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { servedDatabases, sqliteDatabases } from "../../test/databases.js";
import { softwareAuthenticator } from "../../test/passkeys/software-authenticator.js";
import {
  configOf,
  directoryCloud,
  DOMAIN,
  group,
  person,
  UNITS,
  type DirectoryCloud,
} from "./directory-cloud.js";

const ORIGIN = "https://identity.example.org";
const ALVA = createHash("sha256").update(`${DOMAIN}useralva`).digest("hex");
const ALVA_DN = "uid=alva,ou=People,dc=test";

for (const databases of servedDatabases(sqliteDatabases))
  describe(`a domain whose driver changes, on ${databases.name}`, () => {
    let cloud: DirectoryCloud;
    beforeAll(async () => {
      cloud = await directoryCloud(databases, {
        ldif: UNITS + person("alva") + person("eve") + group("staff", [ALVA_DN]),
        replicas: 2,
        env: { IDENTITY_PASSKEY_RP_ID: "identity.example.org", IDENTITY_PASSKEY_ORIGINS: ORIGIN },
      });
    });
    afterAll(() => cloud.close());

    const namesOf = async () => {
      const { body } = await cloud.ask("GET", `/users?domain_id=${DOMAIN}`);
      return body.users.map(({ name }: { name: string }) => name).toSorted();
    };
    const configure = (enabledAttribute = "enabled") =>
      cloud.ask("PUT", `/domains/${DOMAIN}/config`, {
        body: { config: configOf(cloud.slapd, { user_enabled_attribute: enabledAttribute }) },
      });

    it("hides its users in the database behind those of the directory, and has them again without it", async () => {
      const draft = { user: { name: "eve", domain_id: DOMAIN, password: "sql-eve" } };
      const eve = (await cloud.ask("POST", "/users", { body: draft })).body.user.id;
      const formerToken = (await cloud.enter("eve", "sql-eve")).token;
      await configure();
      expect(await namesOf()).toEqual(["alva", "eve"]);
      expect((await cloud.enter("eve", "sql-eve")).status).toBe(401);
      const inDirectory = await cloud.enter("eve", "pw-eve");
      expect(inDirectory).toMatchObject({
        status: 201,
        body: { token: { user: { id: createHash("sha256").update(`${DOMAIN}usereve`).digest("hex") } } },
      });
      // Its id is that of the database: no other one has it.
      expect((await cloud.logIn({ id: eve }, "sql-eve")).status).toBe(201);
      expect((await cloud.validate(formerToken)).status).toBe(200);

      const alva = (await cloud.enter("alva")).token;
      expect((await cloud.ask("DELETE", `/domains/${DOMAIN}/config/identity/driver`)).status).toBe(204);
      for (const at of [0, 1]) {
        await expect.poll(async () => (await cloud.validate(alva, at)).status).toBe(404);
        expect((await cloud.validate(inDirectory.token, at)).status).toBe(404);
        expect((await cloud.enter("alva", "pw-alva", { at })).status).toBe(401);
        expect((await cloud.logIn({ id: ALVA }, "pw-alva", { at })).status).toBe(401);
        expect((await cloud.enter("eve", "sql-eve", { at })).status).toBe(201);
      }
      expect(await namesOf()).toEqual(["eve"]);
      expect((await cloud.ask("GET", `/users/${ALVA}`)).status).toBe(404);
      await configure();
      expect((await cloud.enter("alva")).status).toBe(201);
      expect((await cloud.validate(alva)).status).toBe(200);
    });

    it("has no members of its groups in effective assignments without it, or without the group there", async () => {
      await configure();
      const groupId = createHash("sha256").update(`${DOMAIN}groupstaff`).digest("hex");
      const roles = (await cloud.ask("GET", "/roles?name=member")).body.roles;
      const draft = { project: { name: "shared", domain_id: DOMAIN } };
      const project = (await cloud.ask("POST", "/projects", { body: draft })).body.project.id;
      const grant = `/projects/${project}/groups/${groupId}/roles/${roles[0].id}`;
      await cloud.ask("GET", `/groups?domain_id=${DOMAIN}`);
      expect((await cloud.ask("PUT", grant)).status).toBe(204);
      const usersAt = async (at: number, query = `&scope.project.id=${project}`) => {
        const { body } = await cloud.ask("GET", `/role_assignments?effective${query}`, { at });
        const users = body.role_assignments
          .filter(({ scope }: { scope: { project?: { id: string } } }) => scope.project?.id === project)
          .map(({ user }: { user: { id: string } }) => user.id);
        // Of the granted role and the one that it implies.
        return [...new Set(users)];
      };
      expect(await usersAt(0)).toEqual([ALVA]);
      await cloud.ask("DELETE", `/domains/${DOMAIN}/config/identity/driver`);
      for (const query of [undefined, ""])
        for (const at of [0, 1]) await expect.poll(() => usersAt(at, query)).toEqual([]);
      await configure();
      for (const at of [0, 1]) await expect.poll(() => usersAt(at)).toEqual([ALVA]);
      cloud.slapd.modify("dn: cn=staff,ou=Groups,dc=test\nchangetype: delete\n");
      for (const at of [0, 1]) expect(await usersAt(at)).toEqual([]);
      await cloud.slapd.stop();
      expect((await cloud.ask("GET", "/role_assignments?effective")).status).toBe(503);
      const other = (await cloud.ask("GET", "/projects?name=admin")).body.projects[0].id;
      const elsewhere = await cloud.ask("GET", `/role_assignments?effective&scope.project.id=${other}`);
      expect(elsewhere.status).toBe(200);
      await cloud.slapd.start();
      await expect.poll(() => usersAt(0)).toEqual([]);
    });

    it("has passkeys of the directory's users, as long as the directory has them enabled", async () => {
      await configure("title");
      const { token } = await cloud.enter("alva");
      const authenticator = softwareAuthenticator(ORIGIN);
      const path = `/users/${ALVA}/passkeys`;
      expect(token).not.toBe("");
      const begun = await cloud.ask("POST", `${path}/options`, { token });
      expect([begun.status, begun.body]).toEqual([200, expect.anything()]);
      const credential = authenticator.create(begun.body.options);
      const registered = await cloud.ask("POST", path, {
        token,
        at: 1,
        body: { passkey: { name: "key", credential } },
      });
      expect(registered.status).toBe(201);
      // Begun at one replica, finished at the other.
      const logIn = async () => {
        const { body } = await cloud.ask("POST", "/auth/webauthn/options", { token: "" });
        const identity = { methods: ["webauthn"], webauthn: { assertion: authenticator.get(body.options) } };
        return cloud.ask("POST", "/auth/tokens", { token: "", at: 1, body: { auth: { identity } } });
      };
      expect(await logIn()).toMatchObject({
        status: 201,
        body: { token: { methods: ["webauthn"], user: { id: ALVA, name: "alva" } } },
      });
      const change = (text: string) => cloud.slapd.modify(`dn: ${ALVA_DN}\nchangetype: modify\n${text}\n`);
      change("add: title\ntitle: FALSE");
      expect((await logIn()).status).toBe(401);
      change("delete: title");
      expect((await logIn()).status).toBe(201);
      await cloud.slapd.stop();
      expect((await logIn()).status).toBe(503);
      await cloud.slapd.start();
      await expect.poll(async () => (await logIn()).status).toBe(201);
      cloud.slapd.modify(`dn: ${ALVA_DN}\nchangetype: delete\n`);
      expect((await logIn()).status).toBe(401);
    });
  });
