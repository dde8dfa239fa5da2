/** After a change, every replica rejects the tokens that depended on it, from the next request on. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { databases } from "../databases.js";
import { testReplicas, type TestReplicas } from "../test-app.js";
import { createTokenFixture, type TokenFixture, type Scene } from "./token-fixture.js";

/** How long a replica on PostgreSQL may use its cache; replicas on one SQLite file see a change at once. */
const PATIENCE_MS = { PostgreSQL: 1000, SQLite: 0 };

interface Case {
  readonly change: string;
  /** What the token is for; the project when left out. */
  readonly scope?: (scene: Scene) => object;
  /** What the user gets besides, before logging in. */
  readonly given?: (scene: Scene) => Promise<unknown>;
  readonly make: (scene: Scene) => Promise<unknown>;
  /** What is asked with the token, and its answers before and after; whether the token is good when left out. */
  readonly asked?: (scene: Scene, replica: number) => Promise<unknown>;
  readonly before?: unknown;
  readonly after?: unknown;
}

const ofProject = ({ projectId }: Scene) => ({ project: { id: projectId } });
const ofDomain = ({ domainId }: Scene) => ({ domain: { id: domainId } });
const listsUsers = (scene: Scene, replica: number) => scene.status(replica, "GET", "/v3/users");
const isGood = ({ status, userId }: Scene, replica: number) => status(replica, "GET", `/v3/users/${userId}`);

const CASES: readonly Case[] = [
  { change: "the user is disabled", make: ({ patch, userId }) => patch("user", userId, { enabled: false }) },
  { change: "the user is deleted", make: ({ remove, userId }) => remove(`/v3/users/${userId}`) },
  {
    change: "an administrator sets another password",
    make: ({ patch, userId }) => patch("user", userId, { password: "another" }),
  },
  {
    change: "the user changes the password",
    make: ({ post, userId, password }) =>
      post(`/v3/users/${userId}/password`, { user: { original_password: password, password: "another" } }),
  },
  {
    change: "the password is taken away",
    make: ({ patch, userId }) => patch("user", userId, { password: null }),
  },
  { change: "the token is revoked", make: ({ revokeToken }) => revokeToken() },
  { change: "the only role is taken away", make: ({ remove, grant }) => remove(grant("project")) },
  {
    change: "the role in the system is taken away",
    scope: () => ({ system: { all: true } }),
    given: ({ put, grant }) => put(grant("system")),
    make: ({ remove, grant }) => remove(grant("system")),
  },
  {
    change: "a role that is inherited is taken away",
    given: async ({ put, remove, grant }) => {
      await put(grant("inherited"));
      await remove(grant("project"));
    },
    make: ({ remove, grant }) => remove(grant("inherited")),
  },
  {
    change: "one of two roles is taken away",
    scope: ofDomain,
    given: async ({ put, grant }) => {
      await put(grant("domain"));
      await put(grant("domain", "reader"));
    },
    make: ({ remove, grant }) => remove(grant("domain", "reader")),
    asked: listsUsers,
    before: 200,
    after: 403,
  },
  {
    change: "a role no longer implies another",
    scope: ofDomain,
    given: async ({ put, grant, implication }) => {
      await put(grant("domain"));
      await put(implication);
    },
    make: ({ remove, implication }) => remove(implication),
    asked: listsUsers,
    before: 200,
    after: 403,
  },
  {
    change: "the only role is deleted",
    make: ({ remove, roleId }) => remove(`/v3/roles/${roleId}`),
  },
  {
    change: "a role gets another name",
    make: ({ patch, roleId }) => patch("role", roleId, { name: `renamed-${roleId}` }),
    asked: async ({ shown, roleId }, replica) =>
      (await shown(replica))?.roles?.[0]?.name === `renamed-${roleId}`,
    before: false,
    after: true,
  },
  {
    change: "the user leaves the group that has the role",
    given: ({ viaGroup }) => viaGroup(),
    make: ({ remove, membership }) => remove(membership),
  },
  {
    change: "the role is taken from the group",
    given: ({ viaGroup }) => viaGroup(),
    make: ({ remove, groupGrant }) => remove(groupGrant),
  },
  {
    change: "the group that has the role is deleted",
    given: ({ viaGroup }) => viaGroup(),
    make: ({ remove, groupId }) => remove(`/v3/groups/${groupId}`),
  },
  {
    change: "the project is disabled",
    make: ({ patch, projectId }) => patch("project", projectId, { enabled: false }),
  },
  { change: "the project is deleted", make: ({ remove, projectId }) => remove(`/v3/projects/${projectId}`) },
  {
    change: "the domain is disabled",
    make: ({ patch, domainId }) => patch("domain", domainId, { enabled: false }),
  },
  {
    change: "the domain that the token is for is disabled",
    scope: ofDomain,
    given: ({ put, grant }) => put(grant("domain")),
    make: ({ patch, domainId }) => patch("domain", domainId, { enabled: false }),
  },
  {
    change: "the domain is disabled and deleted",
    make: async ({ patch, remove, domainId }) => {
      await patch("domain", domainId, { enabled: false });
      await remove(`/v3/domains/${domainId}`);
    },
  },
  {
    change: "an endpoint gets another address",
    make: ({ patch, endpointId }) => patch("endpoint", endpointId, { url: "http://other.example.org" }),
    asked: ({ addresses }, replica) => addresses(replica),
    before: ["http://one.example.org"],
    after: ["http://other.example.org"],
  },
  {
    change: "an endpoint is disabled",
    make: ({ patch, endpointId }) => patch("endpoint", endpointId, { enabled: false }),
    asked: ({ addresses }, replica) => addresses(replica),
    before: ["http://one.example.org"],
    after: [],
  },
  {
    change: "an endpoint is deleted",
    make: ({ remove, endpointId }) => remove(`/v3/endpoints/${endpointId}`),
    asked: ({ addresses }, replica) => addresses(replica),
    before: ["http://one.example.org"],
    after: [],
  },
  {
    change: "a service is disabled",
    make: ({ patch, serviceId }) => patch("service", serviceId, { enabled: false }),
    asked: ({ addresses }, replica) => addresses(replica),
    before: ["http://one.example.org"],
    after: "no service",
  },
  {
    change: "a service is deleted",
    make: ({ remove, serviceId }) => remove(`/v3/services/${serviceId}`),
    asked: ({ addresses }, replica) => addresses(replica),
    before: ["http://one.example.org"],
    after: "no service",
  },
];

describe(`two replicas on one ${databases.name}: a token`, () => {
  const patienceMs = databases.name === "SQLite" ? PATIENCE_MS.SQLite : PATIENCE_MS.PostgreSQL;
  let replicas: TestReplicas;
  let fixture: TokenFixture;
  beforeAll(async () => {
    replicas = await testReplicas(databases, 2);
    fixture = await createTokenFixture(replicas.apps.map(({ server }) => server));
  }, 60_000);
  afterAll(() => replicas.remove());

  it.each(CASES)(
    "is refused, or shows less, as soon as $change",
    async ({ scope = ofProject, given, make, asked = isGood, before = 200, after = 401 }) => {
      const scene = await fixture.scene({ scope, given });
      // Twice, so that both have cached the result.
      for (const replica of [0, 1, 0, 1]) expect(await asked(scene, replica)).toEqual(before);
      await make(scene);
      expect(await asked(scene, 0)).toEqual(after);
      const end = Date.now() + patienceMs;
      let late = await asked(scene, 1);
      while (!isSame(late, after) && Date.now() < end) late = await asked(scene, 1);
      expect(late).toEqual(after);
      expect(await scene.rescoped(1)).toBe(after === 401 ? 404 : 201);
      expect(await fixture.bystander(1)).toBe(200);
    },
    20_000,
  );
});

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
