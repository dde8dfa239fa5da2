/** Limits on the cost of a federated login: names, time, and a rejected assertion that is sent again. */
import { describe, expect, it } from "vitest";

import { createFederatedLogin, type FederatedLoginDeps } from "../../src/federation/federated-login.js";
import { asVerified, type VerifiedAssertion } from "../../src/federation/assertion-verifier.js";
import { compileMapping } from "../../src/mappings/rules/compile-mapping.js";
import type { Queries } from "../../src/platform/database/database.js";

const RULES = [
  {
    local: [
      { user: { name: "{0}" } },
      { groups: "{1}", domain: { name: "Default" } },
      { projects_json: "{2}", domain: { id: "d" } },
    ],
    remote: [{ type: "UID" }, { type: "GROUPS" }, { type: "PROJECTS" }],
  },
];

interface Asked {
  readonly what: string;
  readonly count: number;
}

/** A login whose queries are counted, and take the time that the test sets. */
function loginWith({ lookupMs = 0, stepMs = 0 } = {}) {
  const asked: Asked[] = [];
  let written = 0;
  let providersRead = 0;
  const time = { now: 1_000_000, revision: 1 };
  const note = (what: string, count: number): void => {
    asked.push({ what, count });
    time.now += lookupMs;
  };
  const transaction = async <Result>(work: (queries: Queries) => Promise<Result>): Promise<Result> =>
    work({} as Queries);
  const step = {
    changes: [],
    async run() {
      time.now += stepMs;
      written++;
    },
  };
  const deps = {
    database: { transaction, revision: () => time.revision },
    clock: { now: () => time.now },
    revocations: { known: async () => ({ position: 0 }), positionIn: async () => 0 },
    newId: () => `new-${written}`,
    identityProviders: {
      get: async (id: string) => ({
        id: (providersRead++, id),
        domainId: "d",
        enabled: true,
        description: null,
        authorizationTtl: null,
        remoteIds: [],
        authorizedDomains: null,
      }),
    },
    links: { self: () => "https://id.example.org/auth" },
    protocols: { getOpened: async () => ({ idpId: "idp", id: "p", mappingId: "m" }) },
    mappings: {
      getCompiled: async () => {
        note("mapping", 1);
        return compileMapping({ rules: RULES, schemaVersion: "3.0" });
      },
    },
    shadowUsers: {
      plan: async () => ({ userId: "u", isNew: true, validUntil: Infinity, steps: [step, step, step] }),
    },
    users: {},
    groups: {
      findGroupsById: async (ids: readonly string[]) => (note("groups by id", ids.length), []),
      findGroupsByName: async (places: readonly { name: string; domainId: string }[]) => {
        note("groups by name", places.length);
        return places.map((place) => ({ ...place, id: `id of ${place.name}` }));
      },
    },
    projects: {
      findDomains: async ({ names, ids }: { names: readonly string[]; ids: readonly string[] }) => {
        note("domains", names.length + ids.length);
        return [
          { id: "default", name: "Default" },
          { id: "d", name: "D" },
        ];
      },
      findProjectsIn: async (_: unknown, places: readonly { name: string; domainId: string }[]) => {
        note("projects", places.length);
        return places.map((place) => ({ ...place, id: `id of ${place.name}` }));
      },
    },
    roles: {
      findRolesByName: async (names: readonly string[]) => {
        note("roles", names.length);
        return names.map((name) => ({ id: `id of ${name}`, name, domainId: null }));
      },
    },
    grants: { projectGrantsOf: async () => [], grantIn: async () => {}, revokeIn: async () => {} },
  };
  const login = createFederatedLogin(deps as unknown as FederatedLoginDeps);
  return {
    time,
    written: () => written,
    login,
    providersRead: () => providersRead,
    prove: async (assertion: VerifiedAssertion) =>
      login.prove(assertion, await login.requireEnabled({ idpId: "idp", id: "p" })),
    /** What was asked since the last time. */
    asked: () => asked.splice(0),
  };
}

const list = (count: number, name: string) => Array.from({ length: count }, (_, index) => `${name}${index}`);

const assertion = ({ groups = 0, projects = 0, roles = 1, user = "kim" } = {}) =>
  asVerified({
    identityProviderId: "idp",
    protocolId: "p",
    remoteId: undefined,
    attributes: {
      UID: user,
      GROUPS: list(groups, "g").join(";"),
      PROJECTS: JSON.stringify(
        list(projects, "project").map((name) => ({
          name,
          roles: list(roles, "role").map((role) => ({ name: role })),
        })),
      ),
    },
    expiresAt: undefined,
  });

describe("a login", () => {
  it("asks for all that a mapping names by one query each", async () => {
    const { prove, asked } = loginWith();
    const { federation } = await prove(assertion({ groups: 1000, projects: 200, roles: 4 }));
    expect(federation?.groupIds).toHaveLength(1000);
    expect(asked()).toEqual([
      { what: "mapping", count: 1 },
      { what: "domains", count: 2 },
      { what: "groups by id", count: 0 },
      { what: "groups by name", count: 1000 },
      { what: "roles", count: 4 },
      { what: "projects", count: 200 },
      // Projects are read again in the transaction.
      { what: "projects", count: 200 },
    ]);
  });

  it("reads the provider once, and again if facts changed while the assertion was verified", async () => {
    const { login, time, providersRead } = loginWith();
    const enabled = await login.requireEnabled({ idpId: "idp", id: "p" });
    await login.prove(assertion(), enabled);
    expect(providersRead()).toBe(1);
    time.revision++;
    await login.prove(assertion(), enabled);
    expect(providersRead()).toBe(2);
  });

  it.each([
    [{ groups: 1001 }, "groups: the mapping names 1001 groups, expected at most 1000"],
    [{ groups: 25_000 }, "groups: the mapping names 25000 groups, expected at most 1000"],
    [{ projects: 201 }, "projects: the mapping names 201 projects, expected at most 200"],
    [{ projects: 1, roles: 1001 }, "roles: the mapping names 1001 roles, expected at most 1000"],
  ])(
    "is refused before it asks for groups or projects where it names too many: %j",
    async (many, message) => {
      const { prove, asked, written } = loginWith();
      await expect(prove(assertion(many))).rejects.toThrow(message);
      expect(asked().filter(({ count }) => count > 2)).toEqual([]);
      expect(written()).toBe(0);
    },
  );

  it("counts a group once, however often it is named", async () => {
    const { prove } = loginWith();
    const once = assertion({ groups: 1000 });
    const attributes = { ...once.attributes, GROUPS: `${String(once.attributes["GROUPS"])};g0;g1` };
    expect((await prove(asVerified({ ...once, attributes }))).federation?.groupIds).toHaveLength(1000);
  });

  it("is refused again without evaluating the rules where the same assertion comes again", async () => {
    const { prove, time } = loginWith();
    let reads = 0;
    const { attributes, ...facts } = assertion({ groups: 1001 });
    const watched = new Proxy(attributes, {
      getOwnPropertyDescriptor(target, name) {
        reads++;
        return Reflect.getOwnPropertyDescriptor(target, name);
      },
    });
    const readsOf = async () => {
      reads = 0;
      await expect(prove(asVerified({ ...facts, attributes: watched }))).rejects.toThrow("at most 1000");
      return reads;
    };
    await readsOf();
    // The digest reads each value once; rules read those that they name again.
    expect(await readsOf()).toBe(3);
    expect((await prove(assertion({ groups: 10 }))).userId).toBe("u");
    time.revision++;
    expect(await readsOf()).toBeGreaterThan(3);
  });

  it.each([
    ["looking up", { lookupMs: 4000 }, 0],
    ["writing", { stepMs: 6000 }, 2],
  ])(
    "is given up after ten seconds of %s, and the same assertion is not tried again",
    async (_, slow, steps) => {
      const { prove, asked, written, time } = loginWith(slow);
      const some = assertion({ groups: 2, projects: 1 });
      await expect(prove(some)).rejects.toMatchObject({ kind: "unavailable", code: "service/unavailable" });
      expect(written()).toBe(steps);
      asked();
      await expect(prove(some)).rejects.toThrow("The login took longer than 10 s");
      expect(asked()).toEqual([{ what: "mapping", count: 1 }]);
      time.now += 60_001;
      await expect(prove(some)).rejects.toThrow("The login took longer than 10 s");
      expect(asked().length).toBeGreaterThan(1);
    },
  );
});
