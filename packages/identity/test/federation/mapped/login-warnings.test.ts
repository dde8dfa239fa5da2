/** Warnings of logins: groups that don't exist, as a provider names them when something is wrong, and values that were left out. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { asVerified } from "../../../src/federation/assertion-verifier.js";
import {
  createLeftOutWarnings,
  createMissingGroupReports,
  explainMissing,
} from "../../../src/federation/mapped/login-warnings.js";
import { compileMapping } from "../../../src/mappings/rules/compile-mapping.js";
import { databases } from "../../databases.js";
import { asserted, AUTH, loginServer, type LoginServer } from "../login-server.js";

const projects = {
  findDomains: async ({ ids }: { readonly ids: readonly string[] }) =>
    ids.filter((id) => id === "acme").map((id) => ({ id, name: id })),
};

describe("why a group does not exist", () => {
  it.each([
    ["staff,admin", 'no group "staff,admin" in domain acme; it contains a comma'],
    ["staff|admin", 'no group "staff|admin" in domain acme; it contains a vertical bar'],
    ["staff admin", 'no group "staff admin" in domain acme; it contains white space'],
    [" staff", 'no group " staff" in domain acme; it begins or ends with white space'],
    ["/staff", 'no group "/staff" in domain acme; it is a path'],
    ["CN=staff,OU=groups", 'no group "CN=staff,OU=groups" in domain acme; it is a distinguished name'],
    ["[staff, admin", 'no group "[staff, admin" in domain acme; it begins like a list, and is none'],
    ["staff", 'no group "staff" in domain acme'],
  ])("%s", async (name, text) => {
    expect(await explainMissing({ projects }, [{ name, domain: { id: "acme" } }])).toEqual([text]);
    expect(await explainMissing({ projects }, [{ name, domain: { name: "acme" } }])).toEqual([text]);
  });

  it("names a domain that does not exist", async () => {
    expect(await explainMissing({ projects }, [{ name: "a,b", domain: { id: "nowhere" } }])).toEqual([
      'no group "a,b" in domain nowhere; the domain does not exist',
    ]);
  });
});

it("is logged once an hour for each group, five of a login at most", async () => {
  let now = 0;
  const report = createMissingGroupReports({ projects, clock: { now: () => now } });
  const lines: unknown[] = [];
  const log = { info: (line: object) => void lines.push(line), warn: () => {} };
  const place = { idpId: "idp", protocolId: "openid", mappingId: "people", log };
  const groups = Array.from({ length: 7 }, (_, index) => ({ name: `g${index}`, domain: { id: "acme" } }));
  const count = async () => {
    lines.length = 0;
    await report(place, groups);
    return lines.length;
  };
  expect([await count(), await count(), await count()]).toEqual([5, 2, 0]);
  now += 3_600_000;
  expect(await count()).toBe(5);
  expect(lines[0]).toEqual({
    federation: {
      idpId: "idp",
      id: "openid",
      step: "groups",
      reason: 'mapping "people": no group "g0" in domain acme',
    },
  });
});

describe(`groups of a login on ${databases.name}`, () => {
  let service: LoginServer;
  beforeAll(async () => {
    service = await loginServer(databases);
  });
  afterAll(() => service.close());

  const local = [{ user: { name: "{0}" } }, { groups: "{1}", domain: { id: "default" } }];
  const remote = [{ type: "REMOTE_USER" }, { type: "GROUPS" }];

  it("as one text are a line in the log: the login goes on without them", async () => {
    await service.map([{ local, remote }]);
    const { status } = await service.login(asserted("kim", { GROUPS: "staff,admin" }), AUTH);
    expect(status).toBe(201);
    expect(service.refusals.at(-1)).toMatchObject({
      step: "groups",
      reason: expect.stringContaining('no group "staff,admin" in domain default; it contains a comma'),
    });
  });

  it("as an empty list are none, and no line in the log", async () => {
    await service.map([{ local, remote }]);
    const before = service.refusals.length;
    expect((await service.login(asserted("kim", { GROUPS: "" }), AUTH)).status).toBe(201);
    expect(service.refusals.slice(before)).toEqual([]);
  });

  it("that last no longer than the token give no application credential, and the refusal names authorization_ttl", async () => {
    const group = await service.create("groups", { name: "staff", domain_id: "default" });
    const project = await service.create("projects", { name: "web", domain_id: "default" });
    const role = (await service.ask("GET", "/v3/roles?name=member")).body.roles[0].id as string;
    await service.ask("PUT", `/v3/projects/${project}/groups/${group}/roles/${role}`);
    await service.map([{ local, remote }]);
    const login = async () => {
      const { token, body } = await service.login(asserted("app", { GROUPS: "staff" }), AUTH);
      const identity = { methods: ["token"], token: { id: token } };
      const scoped = await service.ask("POST", "/v3/auth/tokens", {
        body: { auth: { identity, scope: { project: { id: project } } } },
      });
      return { token: scoped.token, userId: body.token.user.id as string };
    };
    const create = async (credential: object) => {
      const { token, userId } = await login();
      return service.ask("POST", `/v3/users/${userId}/application_credentials`, {
        token,
        body: { application_credential: credential },
      });
    };
    for (const credential of [{ name: "ci" }, { name: "ci", roles: [{ name: "member" }] }]) {
      const { status, body } = await create(credential);
      expect([status, body.error.message]).toEqual([
        400,
        expect.stringMatching(
          /^Invalid application credential: Cannot create an application credential with unassigned role: .*"member".* of this login .*"authorization_ttl"/,
        ),
      ]);
    }
    const body = { identity_provider: { authorization_ttl: 60 } };
    expect((await service.ask("PATCH", "/v3/OS-FEDERATION/identity_providers/idp", { body })).status).toBe(
      200,
    );
    expect((await create({ name: "ci" })).status).toBe(201);
  });
});

const REASON = "values with semicolons were left out of a user's attributes";
const mapping = compileMapping({
  rules: [
    {
      local: [{ user: { name: "{0}" } }],
      remote: [{ type: "NAME_ID" }, { type: "groups", not_any_of: ["x"] }],
    },
    { local: [{ group: { id: "g" } }], remote: [{ type: "HTTP_OIDC_ROLES", any_one_of: ["a"] }] },
  ],
});

describe("a value that was left out", () => {
  let now: number;
  let lines: unknown[];
  let warn: (attributes: readonly string[], idp?: string) => void;
  beforeEach(() => {
    now = 1_000_000;
    lines = [];
    const warnings = createLeftOutWarnings({ clock: { now: () => now } });
    const log = { info: () => {}, warn: (facts: object, message: string) => lines.push([facts, message]) };
    warn = (attributes, identityProviderId = "acme") => {
      const facts = { identityProviderId, protocolId: "saml2", remoteId: "x", attributes: {} };
      const leftOut = [{ reason: REASON, attributes }];
      warnings({ assertion: asVerified({ ...facts, expiresAt: undefined, leftOut }), mapping, log });
    };
  });
  const line = (attributes: readonly string[], idpId = "acme") => [
    { idpId, protocolId: "saml2", attributes },
    REASON,
  ];

  it("is reported by the attributes that rules read, in conditions of any kind", () => {
    warn(["mail", "groups", "OIDC-roles", "HTTP_OIDC_ROLES"]);
    expect(lines).toEqual([line(["groups", "HTTP_OIDC_ROLES"])]);
  });

  it("is not reported where no rule reads it", () => {
    warn(["mail", "NAME_ID2"]);
    expect(lines).toEqual([]);
  });

  it("is reported once an hour, for each attribute and provider", () => {
    for (let logins = 0; logins < 3; logins += 1) warn(["groups"]);
    warn(["groups", "NAME_ID"]);
    warn(["groups"], "other");
    expect(lines).toEqual([line(["groups"]), line(["NAME_ID"]), line(["groups"], "other")]);
    now += 3_599_999;
    warn(["groups"]);
    expect(lines).toHaveLength(3);
    now += 1;
    warn(["groups"]);
    expect(lines).toHaveLength(4);
  });
});
