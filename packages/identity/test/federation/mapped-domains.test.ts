/** A provider of one domain whose attributes name groups, projects and users of other domains. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../databases.js";
import type { AssertionForbiddenError } from "../../src/federation/federation-errors.js";
import { requireAuthorizedDomain } from "../../src/federation/mapped/mapped-references.js";
import { loginServer, NAMED, asserted, type LoginServer } from "./login-server.js";

const MAPPING = "/v3/OS-FEDERATION/mappings/people";
const PROVIDER = "/v3/OS-FEDERATION/identity_providers/idp";
const json = (name: string, domain: object = { id: "default" }) => `JSON:${JSON.stringify({ name, domain })}`;

describe(`attributes of a tenant's provider on ${sqliteDatabases.name}`, () => {
  let service: LoginServer;
  let tenant: string;
  let people: string;
  let cloudadmins: string;
  let staff: string;
  let localUser: string;
  beforeAll(async () => {
    service = await loginServer(sqliteDatabases);
    tenant = await service.create("domains", { name: "tenant" });
    cloudadmins = await service.create("groups", { name: "cloudadmins", domain_id: "default" });
    staff = await service.create("groups", { name: "staff", domain_id: tenant });
    localUser = await service.create("users", { name: "root", domain_id: "default" });
    const { body } = await service.ask("GET", "/v3/roles?name=admin");
    const role = body.roles[0].id as string;
    const granted = await service.ask("PUT", `/v3/system/groups/${cloudadmins}/roles/${role}`);
    if (granted.status !== 204) throw new Error(granted.text);
    people = (await service.ask("GET", PROVIDER)).body.identity_provider.domain_id as string;
  });
  afterAll(() => service.close());

  const hold = async (authorized_domains: readonly string[] | null) => {
    const body = { identity_provider: { authorized_domains } };
    expect((await service.ask("PATCH", PROVIDER, { body })).status).toBe(200);
  };
  /** The groups that a login gives, and whether its token leads to one for the system. */
  const outcomeOf = async (name: string, attributes: object, version = "1.0", local: object = {}) => {
    const test = attributes as { readonly GROUPS: string; readonly test?: object };
    const remote = [...NAMED.remote, { type: "GROUPS", ...test.test }];
    await service.map([{ local: [...NAMED.local, local], remote }], version);
    const login = await service.login(asserted(name, { GROUPS: test.GROUPS }));
    if (login.status !== 201) return { status: login.status, ...service.refusals.at(-1) };
    const { groups } = login.body.token.user["OS-FEDERATION"] as { groups: { id: string }[] };
    const identity = { methods: ["token"], token: { id: login.token } };
    const auth = { identity, scope: { system: { all: true } } };
    const system = await service.ask("POST", "/v3/auth/tokens", { body: { auth } });
    return { status: 201, groups: groups.map(({ id }) => id), system: system.status };
  };
  const inTenant = () => ({ groups: "{1}", domain: { id: tenant } });

  it("reach the administrators of the cloud where a rule and the provider leave the domain to them", async () => {
    const outcome = await outcomeOf("eve", { GROUPS: json("cloudadmins") }, "1.0", { groups: "{1}" });
    expect(outcome).toEqual({ status: 201, groups: [cloudadmins], system: 201 });
  });

  it.each([
    ["by JSON", { GROUPS: json("cloudadmins") }],
    ["by JSON with the domain's name", { GROUPS: json("cloudadmins", { name: "Default" }) }],
    ["by JSON in a list", { GROUPS: `['${json("cloudadmins")}']` }],
    ["by two values of JSON", { GROUPS: `${json("cloudadmins")};${json("other")}` }],
  ])("don't lead out of the domain beside groups %s", async (_, attributes) => {
    expect(await outcomeOf("mallory", attributes, "1.0", inTenant())).toEqual({
      status: 201,
      groups: [],
      system: 401,
    });
  });

  it("lead to a group of the domain beside groups whatever domain they name", async () => {
    const outcome = await outcomeOf("sam", { GROUPS: json("staff") }, "1.0", inTenant());
    expect(outcome).toMatchObject({ groups: [staff] });
  });

  it.each([["['cloudadmins']"], [json("cloudadmins")], [`['${json("cloudadmins")}']`]])(
    "don't pass a blacklist as %s",
    async (GROUPS) => {
      const inDefault = { groups: "{1}", domain: { id: "default" } };
      for (const test of [
        { blacklist: ["cloudadmins"] },
        { blacklist: ["^cloud"], regex: true },
        { whitelist: ["\\[", "^JSON:"], regex: true },
      ])
        expect(await outcomeOf("mallory", { GROUPS, test }, "1.0", inDefault)).toEqual({
          status: 201,
          groups: [],
          system: 401,
        });
    },
  );

  it("don't lead out of the domain beside group_ids", async () => {
    for (const local of [
      { group_ids: "{1}", domain: { id: tenant } },
      { group_ids: "{1}", domain: { name: "tenant" } },
      { group: { id: "{1}" }, domain: { id: tenant } },
    ]) {
      expect(await outcomeOf("mallory", { GROUPS: cloudadmins }, "1.0", local)).toMatchObject({
        status: 401,
        step: "groups",
        reason: expect.stringContaining("expected the domain of the mapping rule"),
      });
      expect(await outcomeOf("sam", { GROUPS: staff }, "1.0", local)).toMatchObject({ groups: [staff] });
    }
  });

  it("don't lead out of the domain beside projects_json", async () => {
    const project = await service.create("projects", { name: "lab", domain_id: "default" });
    const GROUPS = JSON.stringify([{ name: "lab", roles: [{ name: "admin" }], domain: { id: "default" } }]);
    const local = { projects_json: "{1}", domain: { id: tenant } };
    expect(await outcomeOf("pat", { GROUPS }, "3.0", local)).toMatchObject({ status: 201 });
    const { body } = await service.ask("GET", `/v3/role_assignments?scope.project.id=${project}`);
    expect(body.role_assignments).toEqual([]);
    const made = await service.ask("GET", `/v3/projects?name=lab&domain_id=${tenant}`);
    expect(made.body.projects).toHaveLength(1);
  });

  describe("of which authorized_domains", () => {
    const refused = (domainId: string) => ({ status: 403, step: "authorized-domains", domainId });
    afterAll(() => hold(null));

    it.each([
      ["by name", { groups: "{1}" }, () => json("cloudadmins")],
      ["by name, with the domain's", { groups: "{1}" }, () => json("cloudadmins", { name: "Default" })],
      ["that is not there", { groups: "{1}" }, () => json("nothing")],
      ["by id", { group_ids: "{1}" }, () => cloudadmins],
    ])("keep out a group of another domain %s", async (_, local, attribute) => {
      await hold([tenant]);
      expect(await outcomeOf("mallory", { GROUPS: attribute() }, "1.0", local)).toMatchObject(
        refused("default"),
      );
      await hold([]);
      expect(await outcomeOf("mallory", { GROUPS: attribute() }, "1.0", local)).toMatchObject(
        refused("default"),
      );
      await hold([tenant, "default"]);
      expect((await outcomeOf("mallory", { GROUPS: attribute() }, "1.0", local)).status).toBe(201);
    });

    it("accept groups of their own domain", async () => {
      await hold([tenant]);
      const outcome = await outcomeOf("sam", { GROUPS: json("staff", { name: "tenant" }) }, "1.0", {
        groups: "{1}",
      });
      expect(outcome).toMatchObject({ groups: [staff] });
    });

    it("keep out projects of other domains, that of the provider's users too", async () => {
      await hold([tenant]);
      const projects = (domain?: object) =>
        JSON.stringify([{ name: "secret", roles: [], ...(domain && { domain }) }]);
      const local = { projects_json: "{1}" };
      const inDefault = await outcomeOf("mallory", { GROUPS: projects({ id: "default" }) }, "3.0", local);
      expect(inDefault).toMatchObject(refused("default"));
      const inOwn = await outcomeOf("mallory", { GROUPS: projects() }, "3.0", local);
      expect(inOwn).toMatchObject(refused(people));
      expect((await service.ask("GET", "/v3/projects?name=secret")).body.projects).toEqual([]);
      const allowed = await outcomeOf("sam", { GROUPS: projects({ id: tenant }) }, "3.0", local);
      expect(allowed).toMatchObject({ status: 201 });
    });

    it("keep out local users of other domains", async () => {
      await hold([tenant]);
      for (const user of [
        { name: "root", domain: { id: "default" }, type: "local" },
        { name: "root", domain: { name: "Default" }, type: "local" },
        { id: localUser, domain: { id: "default" }, type: "local" },
      ]) {
        await service.map([{ ...NAMED, local: [{ user }] }]);
        expect((await service.login(asserted("x"))).status).toBe(403);
        expect(service.refusals.at(-1)).toMatchObject({ step: "authorized-domains", domainId: "default" });
      }
      await hold(["default"]);
      expect((await service.login(asserted("x"))).status).toBe(201);
    });

    it("keep out users that are put into other domains, and not those of the provider's own", async () => {
      await hold([tenant]);
      const user = (id: string) => [{ ...NAMED, local: [{ user: { name: "{0}", domain: { id } } }] }];
      await service.map(user("default"));
      expect((await service.login(asserted("newcomer"))).status).toBe(403);
      await service.map(user(people));
      expect((await service.login(asserted("newcomer"))).status).toBe(201);
      await service.map([NAMED]);
      expect((await service.login(asserted("newcomer"))).status).toBe(201);
    });

    it("apply to users who logged in before", async () => {
      await hold(null);
      const local = { groups: "{1}" };
      const GROUPS = json("cloudadmins");
      expect((await outcomeOf("returning", { GROUPS }, "1.0", local)).status).toBe(201);
      await hold([tenant]);
      expect((await service.login(asserted("returning", { GROUPS }))).status).toBe(403);
    });
  });

  it("may name every domain: such a mapping has a warning when it is stored and in a dry run", async () => {
    const rules = [
      { local: [...NAMED.local, { groups: "{1}" }], remote: [...NAMED.remote, { type: "GROUPS" }] },
    ];
    const warnings = [
      {
        place: "rules[0].local[1].groups",
        reason: `the assertion chooses among all domains; a "domain" in this entry restricts it to that one`,
      },
    ];
    const mapping = { rules };
    const put = await service.ask("PUT", "/v3/OS-FEDERATION/mappings/free", { body: { mapping } });
    expect([put.status, put.body.mapping.warnings]).toEqual([201, warnings]);
    const patched = await service.ask("PATCH", MAPPING, { body: { mapping } });
    expect(patched.body.mapping.warnings).toEqual(warnings);
    const tried = await service.ask("POST", `${MAPPING}/evaluate`, { body: { assertion: {} } });
    expect(tried.body.warnings).toEqual(warnings);
    expect((await service.ask("GET", MAPPING)).body.mapping).not.toHaveProperty("warnings");
    const bound = { rules: [NAMED] };
    const quiet = await service.ask("PATCH", MAPPING, { body: { mapping: bound } });
    expect(quiet.body.mapping).not.toHaveProperty("warnings");
  });
});

describe("a domain that is not among the provider's authorized_domains", () => {
  it("is named in the log by at most 64 characters", () => {
    const refusalOf = (domainId: string) => {
      try {
        requireAuthorizedDomain({ id: "idp", authorizedDomains: ["default"] }, domainId, "the user");
        return undefined;
      } catch (error) {
        return (error as AssertionForbiddenError).facts;
      }
    };
    expect(refusalOf("default")).toBeUndefined();
    expect(refusalOf("d".repeat(100))).toMatchObject({
      step: "authorized-domains",
      domainId: "d".repeat(64),
    });
  });
});
