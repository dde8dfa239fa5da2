/** The configuration of domains. Expected responses are Keystone's unless a test states otherwise. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { addDomainConfigRoutes } from "../../src/domain-config/domain-config-routes.js";
import {
  createDomainConfigService,
  type DomainConfigService,
} from "../../src/domain-config/domain-config-service.js";
import { domainConfigSecrets } from "../../src/domain-config/domain-config-store.js";
import { toMasterKey, unsealSecret } from "../../src/platform/secrets/sealing.js";
import { createDomainService } from "../../src/projects/domain-service.js";
import { resealSecrets } from "../../src/sealed-secrets.js";
import { databases } from "../databases.js";
import {
  featureServer,
  inDomain,
  inProject,
  SYSTEM_READER,
  UNSCOPED,
  type FeatureServer,
} from "../feature-server.js";

const masterKey = toMasterKey(Buffer.alloc(32, 7));
const UNSUPPORTED = "Invalid domain specific configuration: ";
const FULL = {
  ldap: { url: "ldap://host", user: "cn=admin", password: "s3cret", page_size: 10, use_tls: true },
  identity: { driver: "ldap", list_limit: 5 },
};
const { password: _, ...SHOWN_LDAP } = FULL.ldap;

let server: FeatureServer;
let configs: DomainConfigService;
let domains: ReturnType<typeof createDomainService>;
let path = "";
let domainId = "";
beforeEach(async () => {
  server = await featureServer(databases, async (http, deps) => {
    const unused = async () => {};
    domains = createDomainService({
      ...deps,
      revokeTokens: unused,
      onProjectDeleted: unused,
      emptyDomain: unused,
    });
    configs = createDomainConfigService({ ...deps, masterKey });
    const passwordSettings = { password_regex: "^x", password_regex_description: null };
    addDomainConfigRoutes(http, { domainConfigs: configs, passwordSettings });
    domainId = (await domains.create({ name: "d" })).id;
    path = `/v3/domains/${domainId}/config`;
  });
});
afterEach(() => server.close());

const ask = (method: string, url: string, config?: unknown) =>
  server.ask(method, url, { body: config === undefined ? undefined : { config } });

describe(`domain configuration on ${databases.name}`, () => {
  it("is created, shown without secrets, and replaced", async () => {
    const shown = { ldap: SHOWN_LDAP, identity: FULL.identity };
    expect(await ask("PUT", path, FULL)).toMatchObject({ status: 201, body: { config: shown } });
    expect((await ask("GET", path)).body).toEqual({ config: shown });
    expect(await ask("PUT", path, { ldap: { url: "two" } })).toMatchObject({ status: 200 });
    expect((await ask("GET", path)).body).toEqual({ config: { ldap: { url: "two" } } });
  });

  it("is shown by group and by option; sensitive options never are", async () => {
    await ask("PUT", path, FULL);
    expect((await ask("GET", `${path}/identity`)).body).toEqual({ config: { identity: FULL.identity } });
    expect((await ask("GET", `${path}/ldap/url`)).body).toEqual({ config: { url: "ldap://host" } });
    const secret = await ask("GET", `${path}/ldap/password`);
    expect([secret.status, secret.body.error.message]).toEqual([
      404,
      `Could not find option password in group ldap in domain configuration for domain ${domainId}.`,
    ]);
  });

  it("has sensitive options sealed, each for its place", async () => {
    await ask("PUT", path, FULL);
    const [secret, ...others] = await domainConfigSecrets(server.database);
    expect(others).toEqual([]);
    expect(secret?.place).toBe(`domain-config/${domainId}/ldap/password`);
    const opened = unsealSecret(masterKey, secret?.sealed ?? Buffer.alloc(0), secret?.place ?? "");
    expect(opened.toString()).toBe('"s3cret"');
    expect(Buffer.from(secret?.sealed ?? []).toString("latin1")).not.toContain("s3cret");
  });

  it("has its secrets resealed with the next master key", async () => {
    await ask("PUT", path, FULL);
    const to = toMasterKey(Buffer.alloc(32, 8));
    expect(await resealSecrets(server.database, { from: masterKey, to })).toBe(1);
    const [secret] = await domainConfigSecrets(server.database);
    expect(unsealSecret(to, secret?.sealed ?? Buffer.alloc(0), secret?.place ?? "").toString()).toBe(
      '"s3cret"',
    );
    // This process has the former key now.
    expect((await ask("PUT", path, FULL)).status).toBe(503);
  });

  it("is merged by PATCH: as a whole, a group, and an option", async () => {
    expect(await ask("PATCH", path, { ldap: { url: "a" } })).toMatchObject({ status: 200 });
    await ask("PATCH", path, { identity: { list_limit: 7 } });
    await ask("PATCH", `${path}/ldap`, { ldap: { user: "u" } });
    const { body } = await ask("PATCH", `${path}/ldap/url`, { url: "b" });
    expect(body).toEqual({ config: { ldap: { url: "b", user: "u" }, identity: { list_limit: 7 } } });
    const missing = await ask("PATCH", `${path}/ldap/suffix`, { suffix: "x" });
    expect(missing.status).toBe(404);
  });

  it.each([
    ["", {}, "No options specified."],
    ["", null, "No options specified."],
    ["", [], "No options specified."],
    ["", { nope: { a: 1 } }, "Group nope is not supported for domain specific configurations."],
    [
      "",
      { ldap: { url: "x", nope: 1 } },
      "Option nope in group ldap is not supported for domain specific configurations.",
    ],
    ["", { ldap: {} }, "The value of group ldap specified in the config should be a dictionary of options."],
    [
      "/ldap",
      { ldap: { url: "x" }, identity: { driver: "x" } },
      "Trying to update group ldap, so that, and only that, group must be specified in the config.",
    ],
    [
      "/ldap/url",
      { user: "x" },
      "Trying to update option url, so that, and only that, option must be specified in the config.",
    ],
    ["/nope", { nope: { a: 1 } }, "Group nope is not supported for domain specific configurations."],
    // What JavaScript's objects inherit is no group and no option.
    ["/constructor", { constructor: { a: 1 } }, "Group constructor is not supported"],
    ["/ldap/toString", { toString: "x" }, "Option toString in group ldap is not supported"],
  ])("rejects a change at %j by %j", async (part, config, message) => {
    await ask("PUT", path, FULL);
    const { status, body } = await ask("PATCH", path + part, config);
    expect([status, body.error.message]).toEqual([403, expect.stringContaining(UNSUPPORTED + message)]);
  });

  it("is deleted by option, by group, and as a whole", async () => {
    await ask("PUT", path, FULL);
    const statuses = [];
    for (const part of [
      "/ldap/password",
      "/ldap/password",
      "/ldap/user",
      "/identity",
      "/identity",
      "/nope",
      "",
      "",
    ])
      statuses.push((await ask("DELETE", path + part)).status);
    expect(statuses).toEqual([204, 404, 204, 204, 404, 403, 204, 204]);
    expect((await ask("GET", path)).body.error.message).toBe(
      `Could not find any options in domain configuration for domain ${domainId}.`,
    );
    expect(await domainConfigSecrets(server.database)).toEqual([]);
  });

  it("ends with its domain, and is not stored for one that does not exist", async () => {
    await ask("PUT", path, FULL);
    await domains.update(domainId, { enabled: false });
    await domains.delete(domainId);
    expect((await ask("GET", path)).status).toBe(404);
    for (const method of ["PUT", "PATCH"]) {
      const { status, body } = await ask(method, path, FULL);
      expect([status, body.error.message]).toEqual([404, `Could not find domain: ${domainId}.`]);
    }
  });

  it("has defaults, but none of sensitive options", async () => {
    const { body } = await ask("GET", "/v3/domains/config/default");
    expect(Object.keys(body.config)).toEqual(["identity", "ldap"]);
    expect(body.config.ldap).not.toHaveProperty("password");
    expect((await ask("GET", "/v3/domains/config/identity/default")).body).toEqual({
      config: { identity: { driver: "sql", list_limit: null } },
    });
    expect((await ask("GET", "/v3/domains/config/ldap/page_size/default")).body).toEqual({
      config: { page_size: 0 },
    });
    for (const part of ["ldap/password", "nope", "ldap/nope"])
      expect((await ask("GET", `/v3/domains/config/${part}/default`)).status).toBe(403);
  });

  it("shows the default domain's password rules to every user", async () => {
    const compliance = "/v3/domains/default/config/security_compliance";
    for (const as of [UNSCOPED, inDomain("d", "member"), inProject("p", "d", "reader")])
      expect((await server.ask("GET", compliance, { as })).body).toEqual({
        config: { security_compliance: { password_regex: "^x", password_regex_description: null } },
      });
    expect((await ask("GET", `${compliance}/password_regex`)).body).toEqual({
      config: { password_regex: "^x" },
    });
    expect((await server.ask("GET", compliance, { as: null })).status).toBe(401);
    for (const url of [`${compliance}/lockout_duration`, `${path}/security_compliance`])
      expect((await ask("GET", url)).status).toBe(403);
    expect((await ask("DELETE", compliance)).status).toBe(403);
  });

  it("directories-are-not-read: rejects logins of a domain with another driver than sql", async () => {
    await expect(configs.requireSqlDriver(domainId)).resolves.toBeUndefined();
    await ask("PUT", path, FULL);
    await expect(configs.requireSqlDriver(domainId)).rejects.toThrow(
      `login refused: the configuration of domain ${domainId} sets identity.driver to "ldap", and this service has sql only`,
    );
    await expect(configs.requireSqlDriver("default")).resolves.toBeUndefined();
    await ask("PATCH", `${path}/identity/driver`, { driver: "sql" });
    await expect(configs.requireSqlDriver(domainId)).resolves.toBeUndefined();
  });

  it("is read by administrators and readers of the system, and changed by administrators", async () => {
    await ask("PUT", path, FULL);
    const reads = [
      path,
      `${path}/ldap`,
      `${path}/ldap/url`,
      "/v3/domains/config/default",
      "/v3/domains/config/ldap/default",
      "/v3/domains/config/ldap/url/default",
    ];
    const changes = [
      ["PUT", path, FULL],
      ["PATCH", path, { ldap: { url: "x" } }],
      ["PATCH", `${path}/ldap`, { ldap: { url: "x" } }],
      ["PATCH", `${path}/ldap/url`, { url: "x" }],
      ["DELETE", `${path}/ldap/url`, undefined],
      ["DELETE", `${path}/ldap`, undefined],
      ["DELETE", path, undefined],
    ] as const;
    const others = [UNSCOPED, inDomain(domainId, "admin"), inProject("p", domainId, "manager")];
    for (const url of reads) {
      for (const as of [SYSTEM_READER, inProject("p", "d", "admin")])
        expect((await server.ask("GET", url, { as })).status).toBe(200);
      for (const as of others) expect((await server.ask("GET", url, { as })).status).toBe(403);
      expect((await server.ask("GET", url, { as: null })).status).toBe(401);
    }
    for (const [method, url] of changes)
      for (const as of [SYSTEM_READER, ...others])
        expect((await server.ask(method, url, { as, body: { nothing: "valid" } })).status).toBe(403);
    const as = inProject("p", "d", "admin");
    for (const [method, url, config] of changes) {
      const body = config === undefined ? undefined : { config };
      expect(Math.floor((await server.ask(method, url, { as, body })).status / 100)).toBe(2);
    }
  });
});
