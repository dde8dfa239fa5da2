/** The rules for groups. */
import { checkSameDomain, extraOf } from "../platform/attributes.js";
import type { Database, Queries } from "../platform/database/database.js";
import { deleteOfDomain } from "../platform/database/delete-in-slices.js";
import type { NamedPlace } from "../platform/database/named-places.js";
import type { ExactReference } from "../platform/references.js";
import type { NewId } from "../platform/ids.js";
import type { RevokeTokens } from "../policy/revoke-tokens.js";
import { GroupExistsError } from "./group-errors.js";
import type { GroupChange, NewGroup } from "./group-schema.js";
import {
  findGroupByName,
  findGroupsById,
  findGroupsByName,
  groupTable,
  listGroups,
  type Group,
  type GroupQuery,
} from "./group-store.js";
import { permanentMemberIds } from "./membership-store.js";

const KNOWN = ["id", "name", "domain_id", "description", "links"];

export interface GroupServiceDeps {
  readonly database: Database;
  readonly newId: NewId;
  readonly projects: {
    /** @throws {NotFoundError} */
    getDomain(id: string): Promise<unknown>;
  };
  readonly revokeTokens: RevokeTokens;
  /** Whether roles are granted to a group. */
  readonly hasGrants: (queries: Queries, groupId: string) => Promise<boolean>;
  /** Called in the transaction that deletes a group, before it is deleted. */
  readonly onGroupDeleted: (transaction: Queries, groupId: string) => Promise<void>;
}

export type GroupService = ReturnType<typeof createGroupService>;

export function createGroupService(deps: GroupServiceDeps) {
  const { database, newId, projects, revokeTokens, hasGrants, onGroupDeleted } = deps;

  return {
    list: (query: GroupQuery): Promise<Group[]> => listGroups(database.forLists, query),

    /** @throws {GroupNotFoundError} */
    getGroup: (id: string): Promise<Group> => groupTable.require(database, id),

    findGroup: (reference: ExactReference): Promise<Group | undefined> =>
      "id" in reference ? groupTable.find(database, reference.id) : findGroupByName(database, reference),

    /** The groups that exist, in any order, by one query. */
    findGroupsById: (ids: readonly string[]): Promise<Group[]> => findGroupsById(database, ids),

    /** The groups that exist, in any order, by one query. */
    findGroupsByName: (places: readonly NamedPlace[]): Promise<Group[]> => findGroupsByName(database, places),

    async create(draft: NewGroup): Promise<Group> {
      await projects.getDomain(draft.domain_id);
      const group: Group = {
        id: newId(),
        name: draft.name.trim(),
        domainId: draft.domain_id,
        description: draft.description === undefined ? "" : draft.description,
        extra: extraOf(draft, KNOWN),
      };
      return database.transaction(
        async (transaction) => {
          await groupTable.insert(transaction, group, () => new GroupExistsError(group.name, group));
          return group;
        },
        { changes: [] },
      );
    },

    update: (id: string, change: GroupChange): Promise<Group> =>
      database.transaction(async (transaction) => {
        const group = await groupTable.require(transaction, id);
        checkSameDomain(group, change);
        const changed: Group = {
          ...group,
          name: change.name?.trim() ?? group.name,
          description: change.description === undefined ? group.description : change.description,
          extra: { ...group.extra, ...extraOf(change, KNOWN) },
        };
        await groupTable.update(transaction, changed, () => new GroupExistsError(changed.name));
        return changed;
      }),

    /** Revokes the tokens of members, if the group has roles. */
    delete: (id: string): Promise<void> =>
      database.transaction(
        async (transaction) => {
          await groupTable.require(transaction, id);
          if (await hasGrants(transaction, id))
            for (const userId of await permanentMemberIds(transaction, id))
              await revokeTokens(transaction, { userId });
          await onGroupDeleted(transaction, id);
          await groupTable.delete(transaction, id);
        },
        { changes: ["facts", "revocations"] },
      ),

    /** Deletes the groups of a domain in the transaction that deletes the domain. */
    deleteOfDomain: (transaction: Queries, domainId: string): Promise<void> =>
      deleteOfDomain(transaction, "group", domainId, onGroupDeleted),
  };
}
