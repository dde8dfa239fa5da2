/** The rules for groups. Who is in them is known to the users. */
import { extraOf, type Attributes } from "../platform/attributes.js";
import type { Database, Queries } from "../platform/database/database.js";
import type { NamedPlace } from "../platform/database/named-places.js";
import { InvalidError } from "../platform/errors.js";
import type { NewId } from "../platform/ids.js";
import type { EndTokens } from "../policy/token-ends.js";
import { GroupExistsError, GroupNotFoundError } from "./group-errors.js";
import type { GroupChange, NewGroup } from "./group-schema.js";
import {
  deleteGroup,
  findGroup,
  findGroupByName,
  findGroupsById,
  findGroupsByName,
  insertGroup,
  listGroups,
  updateGroup,
  usersWithRolesThrough,
  type Group,
  type GroupQuery,
} from "./group-store.js";

const KNOWN = ["id", "name", "domain_id", "description", "links"];

export interface GroupServiceDeps {
  readonly database: Database;
  readonly newId: NewId;
  readonly projects: {
    /** @throws {NotFoundError} */
    getDomain(id: string): Promise<unknown>;
  };
  readonly endTokens: EndTokens;
  /** Called in the transaction that deletes a group, before it is deleted. */
  readonly onGroupDeleted: (transaction: Queries, groupId: string) => Promise<void>;
}

/** A group by its id, or by its name in a domain. */
export type GroupReference = { readonly id: string } | { readonly name: string; readonly domainId: string };

export type GroupService = ReturnType<typeof createGroupService>;

export function createGroupService(deps: GroupServiceDeps) {
  const { database, newId, projects, endTokens, onGroupDeleted } = deps;

  return {
    list: (query: GroupQuery): Promise<Group[]> => listGroups(database, query),

    /** @throws {GroupNotFoundError} */
    getGroup: (id: string): Promise<Group> => requireGroup(database, id),

    findGroup: (reference: GroupReference): Promise<Group | undefined> =>
      "id" in reference ? findGroup(database, reference.id) : findGroupByName(database, reference),

    /** Those that exist, in any order: one query for all. */
    findGroupsById: (ids: readonly string[]): Promise<Group[]> => findGroupsById(database, ids),

    /** Those that exist, in any order: one query for all. */
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
          if (!(await insertGroup(transaction, group))) throw new GroupExistsError(group.name, group);
          return group;
        },
        { changes: [] },
      );
    },

    update: (id: string, change: GroupChange): Promise<Group> =>
      database.transaction(async (transaction) => {
        const group = await requireGroup(transaction, id);
        checkPlace(group, change);
        const changed: Group = {
          ...group,
          name: change.name?.trim() ?? group.name,
          description: change.description === undefined ? group.description : change.description,
          extra: { ...group.extra, ...extraOf(change, KNOWN) },
        };
        if (!(await updateGroup(transaction, changed))) throw new GroupExistsError(changed.name);
        return changed;
      }),

    /** Ends the tokens of those who had roles through it. */
    delete: (id: string): Promise<void> =>
      database.transaction(
        async (transaction) => {
          await requireGroup(transaction, id);
          for (const userId of await usersWithRolesThrough(transaction, id))
            await endTokens(transaction, { userId });
          await onGroupDeleted(transaction, id);
          await deleteGroup(transaction, id);
        },
        { changes: ["facts", "revocations"] },
      ),
  };
}

/** @throws {InvalidError} The change would give it another id or domain. */
function checkPlace({ id, domainId }: Group, change: Attributes): void {
  if ("id" in change && change["id"] !== id) throw new InvalidError("Cannot change ID");
  if ("domain_id" in change && change["domain_id"] !== domainId)
    throw new InvalidError("Cannot change Domain ID");
}

async function requireGroup(queries: Queries, id: string): Promise<Group> {
  const group = await findGroup(queries, id);
  if (group === undefined) throw new GroupNotFoundError(id);
  return group;
}
