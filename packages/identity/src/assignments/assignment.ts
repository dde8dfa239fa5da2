/** Who has which role where, and on account of which grant: pure functions of what is stored. */
import type { Grant, RoleActor, RoleTarget } from "../grants/grant.js";
import type { ImpliedRole } from "../roles/implied-role-store.js";

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

/** Where a project is. */
export interface ProjectPlace {
  readonly id: string;
  readonly parentId: string | null;
  readonly domainId: string | null;
}

/** A role that a grant comes to, and the one that implies it. */
export type ExpandedRole = Pick<Assignment, "roleId" | "priorRoleId">;

/** Rules by the role that implies. */
export type RulesByRole = ReadonlyMap<string, readonly ImpliedRole[]>;

/** The role itself, and then one for each rule on the way through what it implies. */
export function expandRole(roleId: string, rulesOf: RulesByRole): ExpandedRole[] {
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

export function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
