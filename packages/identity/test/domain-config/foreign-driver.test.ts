/** Logins of users whose domain's configuration names a directory: by the whole service, and as the doctor reports it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { examineDomainConfigs } from "../../src/doctor/database-checks.js";
import { createLog } from "../../src/platform/log.js";
import { databases } from "../databases.js";
import { ADMIN_PASSWORD, testReplicas, type TestReplicas } from "../test-app.js";

const NO_DIRECTORIES = { usesDrivers: false, hasDefaultDirectory: false };

let log = "";
let replicas: TestReplicas;
let token = "";
let domainId = "";
let aliceToken = "";
beforeAll(async () => {
  replicas = await testReplicas(databases, 2, { log: createLog("info", { write: (line) => (log += line) }) });
  const scope = { project: { name: "admin", domain: { id: "default" } } };
  token = String(
    (await logIn("admin", { id: "default" }, { password: ADMIN_PASSWORD, scope })).headers["x-subject-token"],
  );
  domainId = (await ask("POST", "/v3/domains", { domain: { name: "corporate" } })).json().domain.id;
  await ask("POST", "/v3/users", { user: { name: "alice", password: "pw", domain_id: domainId } });
});
afterAll(() => replicas.remove());

const ask = (method: "GET" | "POST" | "PUT" | "DELETE", url: string, payload?: object) =>
  requireApp(0).server.inject({
    method,
    url,
    headers: { "x-auth-token": token },
    ...(payload && { payload }),
  });

function requireApp(index: number) {
  const app = replicas.apps[index];
  if (app === undefined) throw new Error(`replica ${index} does not exist`);
  return app;
}

function logIn(
  name: string,
  domain: object,
  { password = "pw", scope, replica = 0 }: { password?: string; scope?: object; replica?: number } = {},
) {
  const identity = { methods: ["password"], password: { user: { name, domain, password } } };
  const payload = { auth: { identity, ...(scope && { scope }) } };
  return requireApp(replica).server.inject({ method: "POST", url: "/v3/auth/tokens", payload });
}

describe(`a domain whose users are in a directory, on ${databases.name}`, () => {
  it("rejects logins on every replica, also of unknown users, and the log says why", async () => {
    const alice = await logIn("alice", { id: domainId });
    expect(alice.statusCode).toBe(201);
    aliceToken = String(alice.headers["x-subject-token"]);
    const presented = { methods: ["token"], token: { id: alice.headers["x-subject-token"] } };
    await ask("PUT", `/v3/domains/${domainId}/config`, { config: { identity: { driver: "ldap" } } });
    log = "";
    for (const name of ["alice", "unknown"])
      for (const domain of [{ id: domainId }, { name: "corporate" }])
        await expect
          .poll(async () => (await logIn(name, domain, { replica: 1 })).statusCode, { timeout: 10_000 })
          .toBe(401);
    expect(log).toContain(
      `login refused: the configuration of domain ${domainId} sets identity.driver to \\"ldap\\", and this service has sql only`,
    );
    const payload = { auth: { identity: presented } };
    const again = await requireApp(0).server.inject({ method: "POST", url: "/v3/auth/tokens", payload });
    expect(again.statusCode).toBe(401);
    expect((await logIn("admin", { id: "default" }, { password: ADMIN_PASSWORD })).statusCode).toBe(201);
    expect(await examineDomainConfigs(requireApp(0).database, NO_DIRECTORIES)).toEqual([
      {
        state: "warning",
        subject: "domain config",
        text: expect.stringContaining(`domain ${domainId} has identity.driver "ldap"`) as string,
      },
    ]);
  });

  it.each([
    ["default", "ldap", NO_DIRECTORIES, ["has no effect without IDENTITY_DOMAIN_SPECIFIC_DRIVERS_ENABLED"]],
    ["default", "ldap", { usesDrivers: false, hasDefaultDirectory: true }, []],
    ["default", "ldap", { usesDrivers: true, hasDefaultDirectory: false }, []],
    ["default", "custom", { usesDrivers: true, hasDefaultDirectory: true }, ["this service does not offer"]],
    [
      "other",
      "ldap",
      { usesDrivers: false, hasDefaultDirectory: true },
      ["has no effect without IDENTITY_DOMAIN_SPECIFIC_DRIVERS_ENABLED"],
    ],
    ["other", "ldap", { usesDrivers: true, hasDefaultDirectory: false }, []],
  ])(
    "of id %s with the driver %s is reported by the doctor if it has %j",
    async (id, driver, use, reasons) => {
      const at = id === "default" ? id : domainId;
      const path = `/v3/domains/${at}/config`;
      const former = (await ask("GET", path)).json().config;
      await ask("PUT", path, { config: { identity: { driver } } });
      const found = (await examineDomainConfigs(requireApp(0).database, use)).map((finding) => finding.text);
      const own = found.filter((text) => text.includes(`domain ${at} `));
      expect(own.map((text) => /, which (.*?):/.exec(text)?.[1])).toEqual(reasons);
      if (former === undefined) await ask("DELETE", path);
      else await ask("PUT", path, { config: former });
    },
  );

  it("rejects the login of a trustee with a token, also where the trust's token would be for a user of another domain", async () => {
    const project = (await ask("GET", "/v3/projects?name=admin")).json().projects[0].id as string;
    const [admin] = (await ask("GET", "/v3/users?name=admin")).json().users;
    const [alice] = (await ask("GET", `/v3/users?domain_id=${domainId}`)).json().users;
    const trust = {
      trustor_user_id: admin.id,
      trustee_user_id: alice.id,
      impersonation: true,
      project_id: project,
      roles: [{ name: "reader" }],
    };
    const { id } = (await ask("POST", "/v3/OS-TRUST/trusts", { trust })).json().trust;
    const identity = { methods: ["token"], token: { id: aliceToken } };
    const payload = { auth: { identity, scope: { "OS-TRUST:trust": { id } } } };
    const attempt = () => requireApp(0).server.inject({ method: "POST", url: "/v3/auth/tokens", payload });
    expect((await attempt()).statusCode).toBe(401);
    await ask("DELETE", `/v3/domains/${domainId}/config/identity/driver`);
    expect((await attempt()).statusCode).toBe(201);
    await ask("PUT", `/v3/domains/${domainId}/config`, { config: { identity: { driver: "ldap" } } });
  });

  it("accepts them again without that driver", async () => {
    await ask("DELETE", `/v3/domains/${domainId}/config/identity/driver`);
    await expect
      .poll(async () => (await logIn("alice", { id: domainId }, { replica: 1 })).statusCode, {
        timeout: 10_000,
      })
      .toBe(201);
    expect(await examineDomainConfigs(requireApp(0).database, NO_DIRECTORIES)).toEqual([]);
  });
});
