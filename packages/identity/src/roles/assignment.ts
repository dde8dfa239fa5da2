/** Who has which role where, and on account of which grant: pure functions of what is stored. */
import type { Grant, RoleActor, RoleTarget } from "./grant.js";
import type { ImpliedRole } from "./implied-role-store.js";

/** Somebody has a role somewhere. */
export interface Assignment {
  readonly actor: RoleActor;
  readonly target: RoleTarget;
  readonly roleId: string;
  /** What it comes from: with another actor where that is a group, with another target where it is inherited. */
  readonly grant: Grant;
  /** The role that implies this one. */
  readonly priorRoleId?: string;
}

/** What is stored around grants. */
export interface GrantSurroundings {
  /** The members of each group. */
  readonly members: ReadonlyMap<string, readonly string[]>;
  /** Projects that grants may be inherited by. */
  readonly projects: readonly ProjectPlace[];
  readonly inferences: readonly ImpliedRole[];
  /** Roles of a domain, which only imply others. */
  readonly domainRoleIds: ReadonlySet<string>;
}

/** Where a project is. */
export interface ProjectPlace {
  readonly id: string;
  readonly parentId: string | null;
  readonly domainId: string | null;
}

/** What grants come to: each user of a group, each project that inherits, each role that is implied. */
export function effectiveAssignments(
  grants: readonly Grant[],
  { members, projects, inferences, domainRoleIds }: GrantSurroundings,
): Assignment[] {
  const childrenOf = groupBy(projects, ({ parentId }) => parentId);
  const projectsOf = groupBy(projects, ({ domainId }) => domainId);
  const rulesOf = groupBy(inferences, ({ priorRoleId }) => priorRoleId);

  function actorsOf({ actor }: Grant): readonly RoleActor[] {
    if ("userId" in actor) return [actor];
    return (members.get(actor.groupId) ?? []).map((userId) => ({ userId }));
  }

  function targetsOf({ target, isInherited }: Grant): readonly RoleTarget[] {
    if (!isInherited || target.kind === "system") return [target];
    const inheriting =
      target.kind === "domain"
        ? (projectsOf.get(target.domainId) ?? [])
        : descendants(target.projectId, childrenOf);
    return inheriting.map(({ id }) => ({ kind: "project", projectId: id }));
  }

  return grants.flatMap((grant) => {
    const roles = expandRole(grant.roleId, rulesOf).filter(({ roleId }) => !domainRoleIds.has(roleId));
    const targets = targetsOf(grant);
    return actorsOf(grant).flatMap((actor) =>
      targets.flatMap((target) => roles.map((role) => Object.assign({ actor, target, grant }, role))),
    );
  });
}

type ExpandedRole = Pick<Assignment, "roleId" | "priorRoleId">;

/** The role itself, and then one for each rule on the way through what it implies. */
function expandRole(
  roleId: string,
  rulesOf: ReadonlyMap<string | null, readonly ImpliedRole[]>,
): ExpandedRole[] {
  const expanded: ExpandedRole[] = [{ roleId }];
  const seen = new Set([roleId]);
  // A set goes on to what is added to it meanwhile, and so through rings once.
  for (const prior of seen) {
    for (const { impliedRoleId } of rulesOf.get(prior) ?? []) {
      expanded.push({ roleId: impliedRoleId, priorRoleId: prior });
      seen.add(impliedRoleId);
    }
  }
  return expanded;
}

function descendants(
  projectId: string,
  childrenOf: ReadonlyMap<string | null, readonly ProjectPlace[]>,
): ProjectPlace[] {
  const found = new Set(childrenOf.get(projectId));
  for (const project of found) for (const child of childrenOf.get(project.id) ?? []) found.add(child);
  return [...found];
}

function groupBy<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string | null,
): Map<string | null, Item[]> {
  const groups = new Map<string | null, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
