import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { expandRole, groupBy, type Assignment } from "../../src/assignments/assignment.js";
import {
  effectivePosition,
  expandGrants,
  projectsAmong,
  type AssignmentPosition,
} from "../../src/assignments/assignment-expansion.js";
import { positionOf, type Grant, type RoleTarget } from "../../src/grants/grant.js";
import type { ProjectNode } from "../../src/projects/project-tree-queries.js";
import type { ImpliedRole } from "../../src/roles/implied-role-store.js";

interface Surroundings {
  readonly members: ReadonlyMap<string, readonly string[]>;
  readonly projects: readonly ProjectNode[];
  readonly inferences: readonly ImpliedRole[];
  readonly domainRoleIds: ReadonlySet<string>;
}

const NOTHING: Surroundings = {
  members: new Map(),
  projects: [],
  inferences: [],
  domainRoleIds: new Set(),
};

/** All in one list, from surroundings that are in memory. */
async function effectiveAssignments(
  grants: readonly Grant[],
  { members, projects, inferences, domainRoleIds }: Surroundings,
  from?: AssignmentPosition,
): Promise<Assignment[]> {
  const rules = groupBy(inferences, ({ priorRoleId }) => priorRoleId);
  const found: Assignment[] = [];
  const windows = (async function* () {
    yield grants.map((grant) => ({ ...grant, position: positionOf(grant) }));
  })();
  const surroundings = {
    membersOf: (groupId: string, begin = "") => [(members.get(groupId) ?? []).filter((id) => id >= begin)],
    projectsBelow: projectsAmong(projects),
    rolesOf: (roleId: string) => expandRole(roleId, rules).filter((role) => !domainRoleIds.has(role.roleId)),
    isWanted: () => true,
  };
  for await (const slice of expandGrants(windows, surroundings, from)) found.push(...slice);
  return found;
}

function grantTo(target: RoleTarget, others: Partial<Grant> = {}): Grant {
  return { actor: { userId: "u" }, target, roleId: "a", isInherited: false, ...others };
}

const SYSTEM: RoleTarget = { kind: "system" };

/** The roles that one grant of `a` comes to, each with the one that implies it. */
async function rolesOf(rules: readonly (readonly [string, string])[], domainRoleIds: readonly string[] = []) {
  const inferences = rules.map(([priorRoleId, impliedRoleId]) => ({ priorRoleId, impliedRoleId }));
  const found = await effectiveAssignments([grantTo(SYSTEM)], {
    ...NOTHING,
    inferences,
    domainRoleIds: new Set(domainRoleIds),
  });
  return found.map(({ roleId, priorRoleId }) => [roleId, priorRoleId ?? null]);
}

describe("what grants come to", () => {
  it("has the role itself, and one line for each rule on the way", async () => {
    const diamond = [
      ["a", "b"],
      ["a", "c"],
      ["b", "d"],
      ["c", "d"],
      ["x", "a"],
    ] as const;
    expect(await rolesOf(diamond)).toEqual([
      ["a", null],
      ["b", "a"],
      ["c", "a"],
      ["d", "b"],
      ["d", "c"],
    ]);
  });

  it("goes once round a ring", async () => {
    const ring = [
      ["a", "b"],
      ["b", "a"],
      ["b", "b"],
    ] as const;
    expect(await rolesOf(ring)).toEqual([
      ["a", null],
      ["b", "a"],
      ["a", "b"],
      ["b", "b"],
    ]);
  });

  it("leaves out roles of domains, not what they imply", async () => {
    const chain = [
      ["a", "own"],
      ["own", "b"],
    ] as const;
    expect(await rolesOf(chain, ["own", "a"])).toEqual([["b", "own"]]);
  });

  it("yields no users for an empty or unknown group", async () => {
    const grant = grantTo(SYSTEM, { actor: { groupId: "g" } });
    expect(await effectiveAssignments([grant], NOTHING)).toEqual([]);
    const members = new Map([["g", ["u", "v"]]]);
    const found = await effectiveAssignments([grant], { ...NOTHING, members });
    expect(found.map(({ actor }) => actor)).toEqual([{ userId: "u" }, { userId: "v" }]);
    for (const each of found) expect(each.grant).toEqual(grant);
  });

  it("is inherited by all below, whatever the tree is, and by nothing else", async () => {
    // The parent of each project is one that comes before it, or the domain.
    const trees = fc.array(fc.nat(), { minLength: 1, maxLength: 12 }).map((numbers) =>
      numbers.map((number, index) => ({
        id: `p${index}`,
        parentId: index === 0 || number % (index + 1) === index ? "d" : `p${number % (index + 1)}`,
        domainId: "d",
      })),
    );
    await fc.assert(
      fc.asyncProperty(trees, fc.nat(), async (projects, choice) => {
        const sourceId = `p${choice % projects.length}`;
        const grant = grantTo({ kind: "project", projectId: sourceId }, { isInherited: true });
        const isBelow = (id: string): boolean => {
          const parentId = projects.find((each) => each.id === id)?.parentId;
          return parentId !== undefined && (parentId === sourceId || isBelow(parentId));
        };
        const found = await effectiveAssignments([grant], { ...NOTHING, projects });
        const ids = found.map(({ target }) => (target.kind === "project" ? target.projectId : target.kind));
        expect(ids.toSorted()).toEqual(
          projects
            .map(({ id }) => id)
            .filter(isBelow)
            .toSorted(),
        );
        const ofDomain = grantTo({ kind: "domain", domainId: "d" }, { isInherited: true });
        expect(await effectiveAssignments([ofDomain], { ...NOTHING, projects })).toHaveLength(
          projects.length,
        );
      }),
    );
  });

  it("goes on behind any of its assignments, in the same order", async () => {
    const projects = ["p1", "p2", "p3"].map((id) => ({ id, parentId: "d", domainId: "d" }));
    const inferences = [
      { priorRoleId: "a", impliedRoleId: "b" },
      { priorRoleId: "a", impliedRoleId: "c" },
      { priorRoleId: "b", impliedRoleId: "c" },
    ];
    const surroundings = { ...NOTHING, projects, inferences, members: new Map([["g", ["u", "v"]]]) };
    const grants = [
      grantTo({ kind: "domain", domainId: "d" }, { actor: { groupId: "g" }, isInherited: true }),
      grantTo({ kind: "project", projectId: "p1" }),
    ];
    const all = await effectiveAssignments(grants, surroundings);
    expect(all).toHaveLength(2 * 3 * 4 + 4);
    for (const [index, each] of all.entries()) {
      const left = grants.filter((grant) => positionOf(grant) >= positionOf(each.grant));
      const rest = await effectiveAssignments(left, surroundings, effectivePosition(each));
      expect(rest).toEqual(all.slice(index + 1));
    }
  });
});
