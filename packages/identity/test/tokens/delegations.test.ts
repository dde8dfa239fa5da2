import { beforeEach, describe, expect, it } from "vitest";

import type { DelegatedBy } from "../../src/policy/delegation.js";
import type { DelegationLimits } from "../../src/tokens/delegations.js";
import { createTokenFacts } from "../../src/tokens/token-facts.js";

const NOW = Date.parse("2026-11-21T12:00:00Z");
const scope = { kind: "project", projectId: "p1" } as const;
const domain = { id: "d1", name: "d1", enabled: true };

/** Roles by user: what the readers below pass on comes from different users. */
const ROLES: Readonly<Record<string, readonly string[]>> = { alice: ["a", "b", "c"], bob: ["b", "c", "d"] };

let limits: { credential: Partial<DelegationLimits>; trust: Partial<DelegationLimits> };
let now: number;
let revision: number;
/** When expiring memberships end, by user. */
let ends: Readonly<Record<string, number>>;
beforeEach(() => {
  limits = { credential: {}, trust: {} };
  now = NOW;
  revision = 0;
  ends = {};
});

function factsReader() {
  return createTokenFacts({
    database: { revision: () => revision },
    users: {
      findUser: async ({ id }) =>
        Promise.resolve({ id, name: id, domainId: "d1", enabled: true, passwordExpiresAt: null }),
    },
    membershipEnds: async (id) => Promise.resolve(new Map(id in ends ? [["g", ends[id] ?? 0]] : [])),
    protocols: { isEnabled: async () => Promise.resolve(true) },
    revocations: { known: async () => Promise.resolve({ position: 1 }) },
    clock: { now: () => now },
    projects: {
      findDomain: async () => Promise.resolve(domain),
      findProject: async ({ id }) =>
        Promise.resolve({ id, name: id, domainId: "d1", isDomain: false, enabled: true }),
    },
    roles: {
      effectiveRoles: async ({ userId }, _, { only } = {}) =>
        Promise.resolve(
          (ROLES[userId] ?? [])
            .filter((id) => only?.includes(id) ?? true)
            .map((id) => ({ id, name: id, domainId: null, description: null, options: {} })),
        ),
    },
    delegations: {
      applicationCredentialId: async () =>
        Promise.resolve({ expiresAt: null, facts: {}, ...limits.credential }),
      trustId: async (id, { userId }) =>
        Promise.resolve(
          userId === "alice" && id === "t1"
            ? { expiresAt: null, facts: {}, ...limits.trust }
            : { fault: "trust-unknown" as const },
        ),
    },
  });
}
const read = async (delegation?: DelegatedBy, reader = factsReader()) =>
  reader.read({ userId: "alice", scope, delegation });
const rolesOf = (found: Awaited<ReturnType<typeof read>>) =>
  "facts" in found ? found.facts.roles.map(({ id }) => id) : found.fault;

describe("the facts of a delegated token", () => {
  it("have the roles that every delegation allows and its holder has", async () => {
    expect(rolesOf(await read())).toEqual(["a", "b", "c"]);
    limits.credential = { roles: { ids: ["a", "b"] } };
    expect(rolesOf(await read({ applicationCredentialId: "ac1" }))).toEqual(["a", "b"]);
    limits.trust = { roles: { ids: ["b", "d"], holderId: "bob" } };
    expect(rolesOf(await read({ trustId: "t1" }))).toEqual(["b", "d"]);
    expect(rolesOf(await read({ applicationCredentialId: "ac1", trustId: "t1" }))).toEqual(["b"]);
  });

  it("are none where no role is left, also where none was passed on", async () => {
    const none = "no-role";
    for (const ids of [[], ["d"]]) {
      limits.credential = { roles: { ids } };
      expect(rolesOf(await read({ applicationCredentialId: "ac1" }))).toBe(none);
    }
  });

  it("are none where one of the delegations is not valid, or of a kind without a reader", async () => {
    expect(rolesOf(await read({ applicationCredentialId: "ac1", trustId: "t2" }))).toBe("trust-unknown");
    expect(rolesOf(await read({ certificateThumbprint: "x" }))).toBe("delegation-unsupported");
  });

  it("end with the first of the delegations, also while they are cached", async () => {
    limits.credential = { expiresAt: NOW + 2000 };
    limits.trust = { expiresAt: NOW + 1000 };
    const reader = factsReader();
    const both = { applicationCredentialId: "ac1", trustId: "t1" };
    expect(await read(both, reader)).toMatchObject({ facts: { delegationEndsAt: NOW + 1000 } });
    now = NOW + 1000;
    expect(rolesOf(await read(both, reader))).toBe("application-credential-expired");
  });

  it("are read again when a membership ends of the user who passed roles on, not of the bearer", async () => {
    ends = { bob: NOW + 1000 };
    limits.trust = { roles: { ids: ["b"], holderId: "bob" } };
    const reader = factsReader();
    expect(rolesOf(await read({ trustId: "t1" }, reader))).toEqual(["b"]);
    limits.trust = { roles: { ids: ["d"], holderId: "bob" } };
    now = NOW + 999;
    expect(rolesOf(await read({ trustId: "t1" }, reader))).toEqual(["b"]);
    now = NOW + 1000;
    expect(rolesOf(await read({ trustId: "t1" }, reader))).toEqual(["d"]);
  });

  it("are cached for each delegation apart, until facts change", async () => {
    const reader = factsReader();
    limits.credential = { roles: { ids: ["a"] } };
    expect(rolesOf(await read({ applicationCredentialId: "ac1" }, reader))).toEqual(["a"]);
    limits.credential = { roles: { ids: ["b"] } };
    expect(rolesOf(await read({ applicationCredentialId: "ac1" }, reader))).toEqual(["a"]);
    expect(rolesOf(await read({ applicationCredentialId: "ac2" }, reader))).toEqual(["b"]);
    expect(rolesOf(await read(undefined, reader))).toEqual(["a", "b", "c"]);
    revision += 1;
    expect(rolesOf(await read({ applicationCredentialId: "ac1" }, reader))).toEqual(["b"]);
  });
});
