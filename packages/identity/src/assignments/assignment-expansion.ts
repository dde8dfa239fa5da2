/**
 * What grants come to, in slices: each user of a group, each project that inherits, each role that is implied.
 *
 * Nothing but one slice is held, and lists of ids that stay small. The order is that of grants, and for one grant of users, of
 * projects and of what roles imply, so that a page can begin anywhere in it.
 */
import { setImmediate as nextTurn } from "node:timers/promises";

import { groupBy, type Assignment, type ExpandedRole, type ProjectPlace } from "./assignment.js";
import { targetIdOf, type Grant, type RoleActor, type RoleTarget } from "../grants/grant.js";

/** A grant, and where it is in the order of all. */
export interface PlacedGrant extends Grant {
  readonly position: string;
}

/** An assignment by what tells it apart from all others. */
export interface AssignmentPosition {
  readonly grant: string;
  readonly userId?: string;
  readonly targetId?: string;
  readonly roleId?: string;
  readonly priorRoleId?: string | undefined;
}

/** Lists of ids in their order, in slices of any size, from an id on. */
export type IdSlices = AsyncIterable<readonly string[]> | Iterable<readonly string[]>;

/** What is stored around grants. */
export interface GrantSurroundings {
  /** Told of the grants that come next: what they need can be read at once. */
  readonly prepare?: (grants: readonly Grant[]) => Promise<void>;
  readonly membersOf: (groupId: string, from: string | undefined) => IdSlices;
  /** Projects that inherit from a domain or a project. */
  readonly projectsBelow: (target: RoleTarget, from: string | undefined) => IdSlices;
  /** What a role comes to, itself first. */
  rolesOf(roleId: string): readonly ExpandedRole[];
  /** Whether assignments there are wanted. */
  isWanted(targetId: string | null): boolean;
}

/** Assignments of one slice. */
const MAX_SLICE = 200;
/** Steps without any result, after which others get their turn. */
const MAX_STEPS = 2000;

/** @param from Assignments behind this one; all if left out. The first grant is the one that it comes from, or the one behind it. */
export async function* expandGrants(
  grants: AsyncIterable<readonly PlacedGrant[]>,
  surroundings: GrantSurroundings,
  from?: AssignmentPosition,
): AsyncGenerator<readonly Assignment[]> {
  let slice: Assignment[] = [];
  let steps = 0;
  for await (const window of grants) {
    await surroundings.prepare?.(window);
    for (const { position, ...grant } of window) {
      const start = position === from?.grant ? from : undefined;
      const roles = surroundings.rolesOf(grant.roleId);
      for await (const actorIds of actorsOf(grant, surroundings, start?.userId)) {
        for (const userId of actorIds) {
          const begin = start !== undefined && userId === start.userId ? start : undefined;
          for await (const targets of targetsOf(grant, surroundings, begin?.targetId)) {
            for (const target of targets) {
              const targetId = targetIdOf(target);
              const isBegin = begin !== undefined && (targetId ?? "") === begin.targetId;
              if (surroundings.isWanted(targetId))
                for (const role of isBegin ? rolesBehind(roles, begin) : roles)
                  slice.push({ actor: { userId }, target, grant, ...role });
              if (slice.length >= MAX_SLICE) {
                yield slice;
                slice = [];
              }
              if (++steps % MAX_STEPS === 0) await nextTurn();
            }
          }
        }
      }
    }
    await nextTurn();
  }
  if (slice.length > 0) yield slice;
}

/** Where an assignment in effect is in the order. */
export function effectivePosition({
  actor,
  target,
  grant,
  roleId,
  priorRoleId,
}: Assignment): AssignmentPosition {
  const userId = "userId" in actor ? actor.userId : "";
  return { grant: positionOf(grant), userId, targetId: targetIdOf(target) ?? "", roleId, priorRoleId };
}

/** As the database makes it of its columns: `assignment_position`. */
export function positionOf({ actor, target, roleId, isInherited }: Grant): string {
  const [userId, groupId] = "userId" in actor ? [actor.userId, ""] : ["", actor.groupId];
  return [target.kind, targetIdOf(target) ?? "", userId, groupId, roleId, isInherited ? "1" : "0"].join("/");
}

function actorsOf(
  { actor }: { readonly actor: RoleActor },
  { membersOf }: GrantSurroundings,
  from?: string,
): IdSlices {
  return "userId" in actor ? [[actor.userId]] : membersOf(actor.groupId, from);
}

async function* targetsOf(
  { target, isInherited }: Grant,
  { projectsBelow }: GrantSurroundings,
  from?: string,
): AsyncGenerator<readonly RoleTarget[]> {
  if (!isInherited || target.kind === "system") yield [target];
  else
    for await (const ids of projectsBelow(target, from))
      yield ids.map((projectId) => ({ kind: "project", projectId }));
}

/** All of them where that one is no more: an assignment may come twice, and is never missed. */
function rolesBehind(roles: readonly ExpandedRole[], begin: AssignmentPosition): readonly ExpandedRole[] {
  const index = roles.findIndex(
    ({ roleId, priorRoleId }) => roleId === begin.roleId && priorRoleId === begin.priorRoleId,
  );
  return roles.slice(index + 1);
}

/** The projects below domains and projects, among those that are known. */
export function projectsAmong(known: readonly ProjectPlace[]): GrantSurroundings["projectsBelow"] {
  const childrenOf = groupBy(known, ({ parentId }) => parentId);
  const projectsOf = groupBy(known, ({ domainId }) => domainId);
  return (target, from = "") => {
    const places =
      target.kind === "domain"
        ? (projectsOf.get(target.domainId) ?? [])
        : descendants(targetIdOf(target), childrenOf);
    return [
      places
        .map(({ id }) => id)
        .filter((id) => id >= from)
        .toSorted(),
    ];
  };
}

function descendants(
  projectId: string | null,
  childrenOf: ReadonlyMap<string | null, readonly ProjectPlace[]>,
): ProjectPlace[] {
  const found = new Set(childrenOf.get(projectId));
  for (const project of found) for (const child of childrenOf.get(project.id) ?? []) found.add(child);
  return [...found];
}
