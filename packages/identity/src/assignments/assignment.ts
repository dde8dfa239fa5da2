/** Role assignments: pure functions of grants, implied roles and projects. */
import type { Grant, RoleActor, RoleTarget } from "../grants/grant.js";
import type { ImpliedRole } from "../roles/implied-role-store.js";

/** An actor has a role on a target. */
export interface Assignment {
  readonly actor: RoleActor;
  readonly target: RoleTarget;
  readonly roleId: string;
  /** The grant that it results from; of a group or an inherited grant, actor or target differ. */
  readonly grant: Grant;
  /** The role that implies this one. */
  readonly priorRoleId?: string;
}

/** A granted or implied role, and the role that implies it. */
export type ExpandedRole = Pick<Assignment, "roleId" | "priorRoleId">;

/** Rules by the role that implies. */
export type RulesByRole = ReadonlyMap<string, readonly ImpliedRole[]>;

/** The role itself, and an entry for each implication that it leads to. */
export function expandRole(roleId: string, rulesOf: RulesByRole): ExpandedRole[] {
  const expanded: ExpandedRole[] = [{ roleId }];
  const seen = new Set([roleId]);
  // Iterating over a set includes what is added during the iteration: cycles are followed once.
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
