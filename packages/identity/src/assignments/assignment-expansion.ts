/**
 * Expands grants to effective assignments, in slices: each user of a group, each inheriting project, each implied role.
 *
 * Only one slice and bounded lists of ids are in memory. The order is that of grants, then of users, projects and implied roles, so
 * that a page can begin anywhere.
 */
import { setImmediate as nextTurn } from "node:timers/promises";

import {
  positionOf,
  targetIdOf,
  type Grant,
  type PlacedGrant,
  type RoleActor,
  type RoleTarget,
} from "../grants/grant.js";
import type { ProjectNode } from "../projects/project-tree-queries.js";
import { groupBy, type Assignment, type ExpandedRole } from "./assignment.js";

/** The position of an assignment, which identifies it. */
export interface AssignmentPosition {
  readonly grant: string;
  readonly userId?: string;
  readonly targetId?: string;
  readonly roleId?: string;
  readonly priorRoleId?: string | undefined;
}

/** Ordered ids in slices of any size, from an id on. */
export type IdSlices = AsyncIterable<readonly string[]> | Iterable<readonly string[]>;

/** Members, projects and implied roles for the expansion. */
export interface GrantContext {
  /** Called with the next grants, so that what they need can be read by one query. */
  readonly prepare?: (grants: readonly Grant[]) => Promise<void>;
  readonly membersOf: (groupId: string, from: string | undefined) => IdSlices;
  /** The projects that inherit from a domain or project. */
  readonly projectsBelow: (target: RoleTarget, from: string | undefined) => IdSlices;
  /** The role itself, then implied roles. */
  rolesOf(roleId: string): readonly ExpandedRole[];
  /** Whether assignments on the target are requested. */
  isWanted(targetId: string | null): boolean;
}

/** Assignments of one slice. */
const MAX_SLICE = 200;
/** Steps after which other requests run. */
const MAX_STEPS = 2000;

/** @param from Only assignments after this position. The first grant is its own, or the next. */
export async function* expandGrants(
  grants: AsyncIterable<readonly PlacedGrant[]>,
  context: GrantContext,
  from?: AssignmentPosition,
): AsyncGenerator<readonly Assignment[]> {
  let slice: Assignment[] = [];
  let steps = 0;
  for await (const window of grants) {
    await context.prepare?.(window);
    for (const { position, ...grant } of window) {
      const start = position === from?.grant ? from : undefined;
      const roles = context.rolesOf(grant.roleId);
      for await (const actorIds of actorsOf(grant, context, start?.userId)) {
        for (const userId of actorIds) {
          const begin = start !== undefined && userId === start.userId ? start : undefined;
          for await (const targets of targetsOf(grant, context, begin?.targetId)) {
            for (const target of targets) {
              const targetId = targetIdOf(target);
              const isBegin = begin !== undefined && (targetId ?? "") === begin.targetId;
              if (context.isWanted(targetId))
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

/** The position of an effective assignment. */
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

function actorsOf(
  { actor }: { readonly actor: RoleActor },
  { membersOf }: GrantContext,
  from?: string,
): IdSlices {
  return "userId" in actor ? [[actor.userId]] : membersOf(actor.groupId, from);
}

async function* targetsOf(
  { target, isInherited }: Grant,
  { projectsBelow }: GrantContext,
  from?: string,
): AsyncGenerator<readonly RoleTarget[]> {
  if (!isInherited || target.kind === "system") yield [target];
  else
    for await (const ids of projectsBelow(target, from))
      yield ids.map((projectId) => ({ kind: "project", projectId }));
}

/** All roles if that one was deleted: an assignment may be listed twice, but is never missed. */
function rolesBehind(roles: readonly ExpandedRole[], begin: AssignmentPosition): readonly ExpandedRole[] {
  const index = roles.findIndex(
    ({ roleId, priorRoleId }) => roleId === begin.roleId && priorRoleId === begin.priorRoleId,
  );
  return roles.slice(index + 1);
}

/** The projects below domains and projects, among the given ones. */
export function projectsAmong(known: readonly ProjectNode[]): GrantContext["projectsBelow"] {
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
  childrenOf: ReadonlyMap<string | null, readonly ProjectNode[]>,
): ProjectNode[] {
  const found = new Set(childrenOf.get(projectId));
  for (const project of found) for (const child of childrenOf.get(project.id) ?? []) found.add(child);
  return [...found];
}
