/** The directory of a domain, set in one step. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { addDirectoryRoutes } from "../../src/directories/directory-routes.js";
import { createDomainConfigService } from "../../src/domain-config/domain-config-service.js";
import { addDomainConfigRoutes } from "../../src/domain-config/domain-config-routes.js";
import { domainConfigSecrets } from "../../src/domain-config/domain-config-store.js";
import { toMasterKey, unsealSecret } from "../../src/platform/secrets/sealing.js";
import { createDomainService } from "../../src/projects/domain-service.js";
import { databases } from "../databases.js";
import { featureServer, inDomain, SYSTEM_READER, type FeatureServer } from "../feature-server.js";

const masterKey = toMasterKey(Buffer.alloc(32, 7));
const FORMER = {
  identity: { driver: "sql", list_limit: 5 },
  ldap: { url: "ldap://former", password: "s3cret", user_filter: "(uid=*)" },
};

let server: FeatureServer;
let domainId = "";
let config = "";
let directory = "";
let usesDrivers = true;
beforeEach(async () => {
  usesDrivers = true;
  server = await featureServer(databases, async (http, deps) => {
    const unused = async () => {};
    const domains = createDomainService({
      ...deps,
      revokeTokens: unused,
      onProjectDeleted: unused,
      emptyDomain: unused,
    });
    const domainConfigs = createDomainConfigService({ ...deps, masterKey, usesDrivers: true });
    const withoutDrivers = createDomainConfigService({ ...deps, masterKey });
    const passwordSettings = { password_regex: null, password_regex_description: null };
    addDomainConfigRoutes(http, { domainConfigs, passwordSettings });
    addDirectoryRoutes(http, {
      domainConfigs: {
        ...domainConfigs,
        replaceDirectory: (...given) =>
          (usesDrivers ? domainConfigs : withoutDrivers).replaceDirectory(...given),
      },
    });
    domainId = (await domains.create({ name: "d" })).id;
    config = `/v3/domains/${domainId}/config`;
    directory = `/v3/domains/${domainId}/directory`;
  });
  await server.ask("PUT", config, { body: { config: FORMER } });
});
afterEach(() => server.close());

const put = (ldap: object, as?: Parameters<FeatureServer["ask"]>[2]) =>
  server.ask("PUT", directory, { ...as, body: { config: { ldap } } });
const stored = async () => (await server.ask("GET", config)).body.config;

async function password(): Promise<string | undefined> {
  const [secret] = await domainConfigSecrets(server.database);
  return secret && unsealSecret(masterKey, secret.sealed, secret.place).toString();
}

describe(`the directory of a domain on ${databases.name}`, () => {
  it("has these options and no others; a password that is not given stays", async () => {
    const ldap = { url: "ldap://next", suffix: "dc=test" };
    const shown = { identity: { driver: "ldap", list_limit: 5 }, ldap };
    expect(await put(ldap)).toMatchObject({ status: 200, body: { config: shown } });
    expect([await stored(), await password()]).toEqual([shown, '"s3cret"']);
    await put({ ...ldap, password: "other" });
    expect([await stored(), await password()]).toEqual([shown, '"other"']);
  });

  it.each([
    ["an invalid option", { ldap: { url: "http://x" } }, 400],
    ["an unknown option", { ldap: { url: "ldap://x", nope: 1 } }, 403],
    ["no options", { ldap: {} }, 403],
    ["another group", { ldap: { url: "ldap://x" }, identity: { driver: "sql" } }, 403],
  ])("is whole as it was after %s", async (_, given, status) => {
    const before = await stored();
    expect((await server.ask("PUT", directory, { body: { config: given } })).status).toBe(status);
    expect([await stored(), await password()]).toEqual([before, '"s3cret"']);
  });

  it("is refused where it would only keep the domain's users from logging in", async () => {
    usesDrivers = false;
    const before = await stored();
    const { status, body } = await put({ url: "ldap://next" });
    expect([status, body.error.message]).toEqual([
      409,
      expect.stringContaining("set IDENTITY_DOMAIN_SPECIFIC_DRIVERS_ENABLED to on first"),
    ]);
    expect(await stored()).toEqual(before);
  });

  it("is that of one of several administrators who save at once", async () => {
    const drafts = ["a", "b", "c", "d", "e", "f"].map((name) => ({
      url: `ldap://${name}`,
      [`${name < "d" ? "user" : "group"}_tree_dn`]: `dc=${name}`,
      password: name,
    }));
    const statuses = (await Promise.all(drafts.map((draft) => put(draft)))).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200]));
    const { ldap } = await stored();
    const winner = drafts.find(({ url }) => url === ldap.url);
    expect({ ...ldap, password: JSON.parse((await password()) ?? "") }).toEqual(winner);
  });

  it("is set by administrators alone, for a domain that exists", async () => {
    const ldap = { url: "ldap://next" };
    expect((await put(ldap, { as: SYSTEM_READER })).status).toBe(403);
    expect((await put(ldap, { as: inDomain(domainId, "admin") })).status).toBe(403);
    expect((await put(ldap, { as: null })).status).toBe(401);
    const unknown = await server.ask("PUT", "/v3/domains/nowhere/directory", { body: { config: { ldap } } });
    expect(unknown.status).toBe(404);
  });
});
