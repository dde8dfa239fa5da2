/** What is stored around grants, read as far as it is needed and kept while it is small. */
import type { Moment } from "../platform/clock.js";
import type { Queries } from "../platform/database/database.js";
import { expandRole, groupBy, type ExpandedRole, type ProjectPlace } from "./assignment.js";
import { projectsAmong, type GrantSurroundings, type IdSlices } from "./assignment-expansion.js";
import {
  domainRoleIds,
  MAX_IDS,
  memberIds,
  membersOf,
  placesBelow,
  projectIdsOf,
} from "./assignment-store.js";
import { targetIdOf } from "../grants/grant.js";
import { listInferences } from "../roles/implied-role-store.js";

/** Ids that are kept of all lists together: some 64 bytes each. A longer list is read again each time that it is needed. */
const MAX_KEPT_IDS = 50_000;

/** What bounds the assignments that are asked for. */
export interface SurroundingsQuery {
  readonly now: Moment;
  /** The only user; the grants are those that this user has. */
  readonly userId: string | undefined;
  readonly roleId: string | undefined;
  /** The only projects, and those around them; all if left out. */
  readonly only?:
    { readonly known: readonly ProjectPlace[]; readonly wanted: ReadonlySet<string> } | undefined;
}

export async function readSurroundings(
  queries: Queries,
  { now, userId, roleId, only }: SurroundingsQuery,
): Promise<GrantSurroundings> {
  const rulesOf = groupBy(await listInferences(queries), ({ priorRoleId }) => priorRoleId);
  const unassigned = await domainRoleIds(queries);
  const expanded = new Map<string, readonly ExpandedRole[]>();
  const keep = createIdLists();
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
      return keep(`group ${groupId}`, from, (begin) => memberIds(queries, { groupId, now, from: begin }));
    },
    projectsBelow:
      only === undefined
        ? (target, from = "") => {
            if (target.kind === "domain") {
              const { domainId } = target;
              return keep(`domain ${domainId}`, from, (begin) =>
                projectIdsOf(queries, { domainId, from: begin }),
              );
            }
            const projectId = targetIdOf(target) ?? "";
            return keep(`project ${projectId}`, from, async (begin) =>
              (await placesBelow(queries, projectId))
                .map(({ id }) => id)
                .filter((id) => id >= begin)
                .toSorted(),
            );
          }
        : projectsAmong(only.known),
  };
}

/** Lists of ids that are kept when they have been read from their beginning to their end. */
function createIdLists() {
  const kept = new Map<string, readonly string[]>();
  let count = 0;

  function remember(key: string, ids: readonly string[]): void {
    if (ids.length > MAX_KEPT_IDS / 2) return;
    if (count + ids.length > MAX_KEPT_IDS) {
      kept.clear();
      count = 0;
    }
    kept.set(key, ids);
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
      if (all !== undefined && all.length <= MAX_KEPT_IDS) all.push(...ids);
      begin = found.at(-1) ?? begin;
    }
    if (all !== undefined) remember(key, all);
  }

  return (key: string, from: string, readFrom: (begin: string) => Promise<string[]>): IdSlices => {
    const known = kept.get(key);
    return known === undefined ? read(key, from, readFrom) : [known.filter((id) => id >= from)];
  };
}

type IdGenerator = AsyncGenerator<readonly string[]>;
