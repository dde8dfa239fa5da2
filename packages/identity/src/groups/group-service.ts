/** The rules for groups. */
import type { Platform } from "../area.js";
import { checkSameDomain, extraOf } from "../platform/attributes.js";
import type { Queries, Transaction } from "../platform/database/database.js";
import { deleteOfDomain } from "../platform/database/delete-in-slices.js";
import type { DomainScopedName, ExactReference } from "../platform/database/domain-scoped-names.js";
import type { RevokeTokens } from "../policy/revoke-tokens.js";
import {
  GroupExistsError,
  GroupNotFoundError,
  GROUP_MEMBERS,
  findGroupByName,
  findGroupsById,
  findGroupsByName,
  groupTable,
  countGroups,
  listGroups,
  type GroupChange,
  type NewGroup,
  type Group,
  type GroupQuery,
  type ShownGroup,
} from "./group.js";
import { countMembers, permanentMemberIds } from "./membership-store.js";

/** The groups of domains whose users are in a directory. */
export interface GroupDirectories {
  isInUse(): Promise<boolean>;
  /** The page size of lists of a domain's users and groups, if the domain has one of its own. */
  listLimitOf(domainId: string | undefined): Promise<number | undefined>;
  /** @throws {ForbiddenError} The domain is one of them. */
  requireWritable(domainId: string): Promise<void>;
  /** `undefined` if the group belongs to no directory. */
  findGroup(
    reference: ExactReference,
  ): Promise<{ readonly item: ShownGroup | undefined; readonly localId: string } | undefined>;
  listGroups(query: GroupQuery): Promise<ShownGroup[] | undefined>;
}

export interface GroupServiceDeps extends Pick<Platform, "database" | "clock" | "newId"> {
  readonly projects: {
    /** @throws {NotFoundError} */
    getDomain(id: string): Promise<unknown>;
  };
  readonly revokeTokens: RevokeTokens;
  /** None, if left out. */
  readonly directories?: GroupDirectories | undefined;
  /** Whether roles are granted to a group. */
  readonly hasGrants: (queries: Queries, groupId: string) => Promise<boolean>;
  /** Called in the transaction that deletes a group, before it is deleted. */
  readonly onGroupDeleted: (transaction: Transaction, groupId: string) => Promise<void>;
}

export type GroupService = ReturnType<typeof createGroupService>;

export function createGroupService(deps: GroupServiceDeps) {
  const { database, clock, newId, projects, revokeTokens, hasGrants, onGroupDeleted, directories } = deps;

  async function findGroup(reference: ExactReference): Promise<ShownGroup | undefined> {
    const answer = await directories?.findGroup(reference);
    if (answer !== undefined) return answer.item;
    return "id" in reference ? groupTable.find(database, reference.id) : findGroupByName(database, reference);
  }

  /** @throws {GroupNotFoundError} */
  async function getGroup(id: string): Promise<ShownGroup> {
    const answer = await directories?.findGroup({ id });
    if (answer === undefined) return groupTable.require(database, id);
    if (answer.item === undefined) throw new GroupNotFoundError(answer.localId);
    return answer.item;
  }

  /** Adds the groups of directories to those of the database, which may be out of date. */
  async function withDirectories(
    stored: readonly Group[],
    references: readonly ExactReference[],
  ): Promise<ShownGroup[]> {
    const groups = new Map<string, ShownGroup>(stored.map((group) => [group.id, group]));
    if ((await directories?.isInUse()) !== true) return [...groups.values()];
    for (const reference of references) {
      const answer = await directories?.findGroup(reference);
      if (answer?.item !== undefined) groups.set(answer.item.id, answer.item);
      else if (answer !== undefined && "id" in reference) groups.delete(reference.id);
    }
    return [...groups.values()];
  }

  return {
    /** The page size of lists of this domain, if it has one of its own. */
    pageSizeOf: async (domainId: string | undefined): Promise<number | undefined> =>
      directories?.listLimitOf(domainId),

    async list(query: GroupQuery): Promise<ShownGroup[]> {
      const listed = await directories?.listGroups(query);
      if (listed !== undefined) return listed;
      const withoutMirrors = query.member === undefined && (await directories?.isInUse()) === true;
      return listGroups(database.forLists, { ...query, withoutMirrors });
    },

    /** How many groups a list has; `undefined` where a directory lists them. */
    async count(query: Omit<GroupQuery, "page">): Promise<number | undefined> {
      if ((await directories?.isInUse()) === true) return undefined;
      return countGroups(database.forLists, query);
    },

    /** The numbers of members, by the ids of groups; none where groups are in a directory, which would have to be asked for each. */
    async memberCounts(groups: readonly ShownGroup[]): Promise<ReadonlyMap<string, number>> {
      if ((await directories?.isInUse()) === true) return new Map();
      const ids = groups.map(({ id }) => id);
      return countMembers(database.forLists, ids, clock.now());
    },

    getGroup,
    findGroup,

    /** The groups that exist, in any order, by one query. */
    findGroupsById: async (ids: readonly string[]): Promise<ShownGroup[]> =>
      withDirectories(
        await findGroupsById(database, ids),
        ids.map((id) => ({ id })),
      ),

    /** The groups that exist, in any order, by one query. */
    findGroupsByName: async (places: readonly DomainScopedName[]): Promise<ShownGroup[]> =>
      withDirectories(await findGroupsByName(database, places), places),

    async create(draft: NewGroup): Promise<Group> {
      await projects.getDomain(draft.domain_id);
      await directories?.requireWritable(draft.domain_id);
      const group: Group = {
        id: newId(),
        name: draft.name.trim(),
        domainId: draft.domain_id,
        description: draft.description === undefined ? "" : draft.description,
        extra: extraOf(draft, GROUP_MEMBERS),
      };
      return database.transaction(
        async (transaction) => {
          await groupTable.insert(transaction, group, () => new GroupExistsError(group.name, group));
          return group;
        },
        { changes: [] },
      );
    },

    async update(id: string, change: GroupChange): Promise<ShownGroup> {
      const known = await getGroup(id);
      checkSameDomain(known, change);
      await directories?.requireWritable(known.domainId);
      return database.transaction(async (transaction) => {
        const group = await groupTable.require(transaction, id);
        checkSameDomain(group, change);
        const changed: Group = {
          ...group,
          name: change.name?.trim() ?? group.name,
          description: change.description === undefined ? group.description : change.description,
          extra: { ...group.extra, ...extraOf(change, GROUP_MEMBERS) },
        };
        await groupTable.update(transaction, changed, () => new GroupExistsError(changed.name));
        return changed;
      });
    },

    /** Revokes the tokens of members, if the group has roles. */
    async delete(id: string): Promise<void> {
      await directories?.requireWritable((await getGroup(id)).domainId);
      return database.transaction(
        async (transaction) => {
          await groupTable.require(transaction, id);
          if (await hasGrants(transaction, id))
            for (const userId of await permanentMemberIds(transaction, id))
              await revokeTokens(transaction, { userId });
          await onGroupDeleted(transaction, id);
          await groupTable.delete(transaction, id);
        },
        { changes: ["facts", "revocations"] },
      );
    },

    /** Deletes the groups of a domain in the transaction that deletes the domain. */
    deleteOfDomain: (transaction: Transaction, domainId: string): Promise<void> =>
      deleteOfDomain(transaction, "group", domainId, async (within, id) => {
        await onGroupDeleted(within, id);
        within.publish({ resource: "group", operation: "deleted", id });
      }),
  };
}
