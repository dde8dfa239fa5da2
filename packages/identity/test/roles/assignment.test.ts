import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { effectiveAssignments, type GrantSurroundings } from "../../src/roles/assignment.js";
import type { Grant, RoleTarget } from "../../src/roles/grant.js";

const NOTHING: GrantSurroundings = {
  members: new Map(),
  projects: [],
  inferences: [],
  domainRoleIds: new Set(),
};

function grantTo(target: RoleTarget, others: Partial<Grant> = {}): Grant {
  return { actor: { userId: "u" }, target, roleId: "a", isInherited: false, ...others };
}

const SYSTEM: RoleTarget = { kind: "system" };

/** The roles that one grant of `a` comes to, each with the one that implies it. */
function rolesOf(rules: readonly (readonly [string, string])[], domainRoleIds: readonly string[] = []) {
  const inferences = rules.map(([priorRoleId, impliedRoleId]) => ({ priorRoleId, impliedRoleId }));
  const found = effectiveAssignments([grantTo(SYSTEM)], {
    ...NOTHING,
    inferences,
    domainRoleIds: new Set(domainRoleIds),
  });
  return found.map(({ roleId, priorRoleId }) => [roleId, priorRoleId ?? null]);
}

describe("effectiveAssignments", () => {
  it("has the role itself, and one line for each rule on the way", () => {
    const diamond = [
      ["a", "b"],
      ["a", "c"],
      ["b", "d"],
      ["c", "d"],
      ["x", "a"],
    ] as const;
    expect(rolesOf(diamond)).toEqual([
      ["a", null],
      ["b", "a"],
      ["c", "a"],
      ["d", "b"],
      ["d", "c"],
    ]);
  });

  it("goes once round a ring", () => {
    const ring = [
      ["a", "b"],
      ["b", "a"],
      ["b", "b"],
    ] as const;
    expect(rolesOf(ring)).toEqual([
      ["a", null],
      ["b", "a"],
      ["a", "b"],
      ["b", "b"],
    ]);
  });

  it("leaves out roles of domains, not what they imply", () => {
    const chain = [
      ["a", "own"],
      ["own", "b"],
    ] as const;
    expect(rolesOf(chain, ["own", "a"])).toEqual([["b", "own"]]);
  });

  it("comes to nobody for a group that is empty, or unknown", () => {
    const grant = grantTo(SYSTEM, { actor: { groupId: "g" } });
    expect(effectiveAssignments([grant], NOTHING)).toEqual([]);
    const members = new Map([["g", ["u", "v"]]]);
    const found = effectiveAssignments([grant], { ...NOTHING, members });
    expect(found.map(({ actor }) => actor)).toEqual([{ userId: "u" }, { userId: "v" }]);
    expect(found.every((each) => each.grant === grant)).toBe(true);
  });

  it("is inherited by all below, whatever the tree is, and by nothing else", () => {
    // The parent of each project is one that comes before it, or the domain.
    const trees = fc.array(fc.nat(), { minLength: 1, maxLength: 12 }).map((numbers) =>
      numbers.map((number, index) => ({
        id: `p${index}`,
        parentId: index === 0 || number % (index + 1) === index ? "d" : `p${number % (index + 1)}`,
        domainId: "d",
      })),
    );
    fc.assert(
      fc.property(trees, fc.nat(), (projects, choice) => {
        const sourceId = `p${choice % projects.length}`;
        const grant = grantTo({ kind: "project", projectId: sourceId }, { isInherited: true });
        const isBelow = (id: string): boolean => {
          const parentId = projects.find((each) => each.id === id)?.parentId;
          return parentId !== undefined && (parentId === sourceId || isBelow(parentId));
        };
        const found = effectiveAssignments([grant], { ...NOTHING, projects });
        const ids = found.map(({ target }) => (target.kind === "project" ? target.projectId : target.kind));
        expect(ids.toSorted()).toEqual(
          projects
            .map(({ id }) => id)
            .filter(isBelow)
            .toSorted(),
        );
        const ofDomain = grantTo({ kind: "domain", domainId: "d" }, { isInherited: true });
        expect(effectiveAssignments([ofDomain], { ...NOTHING, projects })).toHaveLength(projects.length);
      }),
    );
  });
});
