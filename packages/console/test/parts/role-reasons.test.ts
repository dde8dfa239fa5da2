import { expect, it } from "vitest";

import { groupsIn, inheritedFrom, reasonsOf } from "../../src/parts/role-reasons.ts";

const NAMES = {
  groups: new Map([["g1", { name: "staff", expiresAt: "2026-11-23T14:20:00Z" }]]),
  roles: new Map([["r-manager", "manager"]]),
  places: new Map([["d1", "domain acme"]]),
};

/** As `GET /v3/role_assignments?effective` returns it. */
function assignment(links: { assignment: string; membership?: string; prior_role?: string }) {
  return { role: { id: "r1", name: "member" }, scope: { project: { id: "p1", name: "web" } }, links };
}

it("names a direct grant", () => {
  const granted = assignment({ assignment: "http://host/v3/projects/p1/users/u1/roles/r1" });
  expect(reasonsOf(granted, NAMES)).toEqual([{ kind: "direct" }]);
});

it("names the group, until when its membership lasts, and the domain that the role is inherited from", () => {
  const granted = assignment({
    assignment: "http://host/v3/OS-INHERIT/domains/d1/groups/g1/roles/r1/inherited_to_projects",
    membership: "http://host/v3/groups/g1/users/u1",
  });
  expect(reasonsOf(granted, NAMES)).toEqual([
    { kind: "group", name: "staff", expiresAt: "2026-11-23T14:20:00Z" },
    { kind: "inherited", from: "domain acme" },
  ]);
  expect(groupsIn([granted])).toEqual(["g1"]);
  expect(inheritedFrom([granted, granted])).toEqual([{ kind: "domains", id: "d1" }]);
});

it("names the role that implies it", () => {
  const granted = assignment({
    assignment: "http://host/v3/system/users/u1/roles/r-manager",
    prior_role: "http://host/v3/roles/r-manager/implies/r1",
  });
  expect(reasonsOf(granted, NAMES)).toEqual([{ kind: "implied", by: "manager" }, { kind: "direct" }]);
});

it("shows ids where names are unknown", () => {
  const granted = assignment({ assignment: "http://host/v3/projects/p1/groups/g%209/roles/r1" });
  expect(reasonsOf(granted, NAMES)).toEqual([{ kind: "group", name: "g 9", expiresAt: null }]);
});
