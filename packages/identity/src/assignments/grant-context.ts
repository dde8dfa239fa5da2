/** The context of grants for their expansion, read on demand and cached while it is small. */
import { targetIdOf } from "../grants/grant.js";
import { memberIds, membersOf } from "../groups/membership-store.js";
import type { Moment } from "../platform/clock.js";
import type { Queries } from "../platform/database/database.js";
import { MAX_IDS } from "../platform/database/table.js";
import { nodesBelow, projectIdsOf, type ProjectNode } from "../projects/project-tree-queries.js";
import { listInferences } from "../roles/implied-role-store.js";
import { domainRoleIds } from "../roles/role.js";
import { projectsAmong, type GrantContext, type IdSlices } from "./assignment-expansion.js";
import { expandRole, groupBy, type ExpandedRole } from "./assignment.js";

/** Ids in the cache, of some 64 bytes each. Longer lists are read each time. */
const MAX_CACHED_IDS = 50_000;

/** Limits of the requested assignments. */
export interface GrantContextQuery {
  readonly now: Moment;
  /** The only user, who holds all of the grants. */
  readonly userId: string | undefined;
  readonly roleId: string | undefined;
  /** The requested projects, and all projects around them; all, if left out. */
  readonly only?:
    | { readonly known: readonly ProjectNode[]; readonly wanted: ReadonlySet<string> }
    | undefined;
}

export async function readGrantContext(
  queries: Queries,
  { now, userId, roleId, only }: GrantContextQuery,
): Promise<GrantContext> {
  const rulesOf = groupBy(await listInferences(queries), ({ priorRoleId }) => priorRoleId);
  const unassigned = await domainRoleIds(queries);
  const expanded = new Map<string, readonly ExpandedRole[]>();
  const cached = createIdLists();
  let members: ReadonlyMap<string, readonly string[]> | undefined;

  function rolesOf(granted: string): readonly ExpandedRole[] {
    const roles =
      expanded.get(granted) ??
      expandRole(granted, rulesOf).filter(
        (role) => !unassigned.has(role.roleId) && (roleId === undefined || role.roleId === roleId),
      );
    expanded.set(granted, roles);
    return roles;
  }

  return {
    rolesOf,
    isWanted: (targetId) => only === undefined || only.wanted.has(targetId ?? ""),
    async prepare(grants) {
      const groupIds = grants.flatMap(({ actor }) => ("groupId" in actor ? [actor.groupId] : []));
      members = userId === undefined ? await membersOf(queries, [...new Set(groupIds)], now) : undefined;
    },
    membersOf(groupId, from = "") {
      if (userId !== undefined) return [[userId].filter((id) => id >= from)];
      const all = members?.get(groupId);
      if (all !== undefined) return [all.filter((id) => id >= from)];
      return cached(`group ${groupId}`, from, (begin) => memberIds(queries, { groupId, now, from: begin }));
    },
    projectsBelow:
      only === undefined
        ? (target, from = "") => {
            if (target.kind === "domain") {
              const { domainId } = target;
              return cached(`domain ${domainId}`, from, (begin) =>
                projectIdsOf(queries, { domainId, from: begin }),
              );
            }
            const projectId = targetIdOf(target) ?? "";
            return cached(`project ${projectId}`, from, async (begin) =>
              (await nodesBelow(queries, projectId))
                .map(({ id }) => id)
                .filter((id) => id >= begin)
                .toSorted(),
            );
          }
        : projectsAmong(only.known),
  };
}

/** Caches lists of ids that have been read from the beginning to the end. */
function createIdLists() {
  const lists = new Map<string, readonly string[]>();
  let count = 0;

  function store(key: string, ids: readonly string[]): void {
    if (ids.length > MAX_CACHED_IDS / 2) return;
    if (count + ids.length > MAX_CACHED_IDS) {
      lists.clear();
      count = 0;
    }
    lists.set(key, ids);
    count += ids.length;
  }

  async function* read(
    key: string,
    from: string,
    readFrom: (begin: string) => Promise<string[]>,
  ): IdGenerator {
    const all: string[] | undefined = from === "" ? [] : undefined;
    for (let begin = from, isFull = true; isFull;) {
      const found = await readFrom(begin);
      isFull = found.length === MAX_IDS;
      const ids = begin === from ? found : found.slice(1);
      yield ids;
      if (all !== undefined && all.length <= MAX_CACHED_IDS) all.push(...ids);
      begin = found.at(-1) ?? begin;
    }
    if (all !== undefined) store(key, all);
  }

  return (key: string, from: string, readFrom: (begin: string) => Promise<string[]>): IdSlices => {
    const known = lists.get(key);
    return known === undefined ? read(key, from, readFrom) : [known.filter((id) => id >= from)];
  };
}

type IdGenerator = AsyncGenerator<readonly string[]>;
