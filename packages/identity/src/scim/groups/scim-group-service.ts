/** The rules for groups that a provider pushes. */
import type { Platform } from "../../area.js";
import { groupTable, type Group } from "../../groups/group.js";
import { createKeyedQueue } from "../../platform/concurrency/keyed-queue.js";
import type { Queries, Topic, Transaction } from "../../platform/database/database.js";
import { orConflict } from "../../platform/database/table.js";
import { createTransactionBatches } from "../../platform/database/transaction-batches.js";
import { nameFault, normalizeName } from "../../platform/text/name-characters.js";
import { foldedName } from "../../users/federated/provisioned-user-store.js";
import { matchesFilter } from "../filter/filter-evaluation.js";
import type { Filter } from "../filter/filter-parser.js";
import { splitFilter, type IndexedAttribute } from "../filter/indexed-filter.js";
import { applyChanges } from "../patch/apply-changes.js";
import type { ScimChange } from "../patch/patch-operations.js";
import { readResource } from "../schema/read-values.js";
import type { ScimObject } from "../schema/scim-attribute.js";
import { GROUP_SCHEMA, GROUP_TYPE } from "../schema/scim-schemas.js";
import { changing, requireVersion, type Declare } from "../scim-changes.js";
import {
  ScimFilterError,
  ScimGroupNotFoundError,
  ScimGroupsForbiddenError,
  ScimUniquenessError,
  ScimValueError,
} from "../scim-errors.js";
import { readPageOf, slicesOf, type ScimPage, type ScimPageQuery } from "../scim-lists.js";
import type { ScimProvider } from "../scim-provider.js";
import { metaOf } from "../users/scim-user.js";
import type { ScimResourceKey } from "../users/scim-user-service.js";
import { readMemberChanges, readMembersOfGroup, type MemberChange } from "./member-changes.js";
import {
  countProvisionedGroups,
  insertProvisionedGroup,
  listProvisionedGroups,
  otherGroupWith,
  updateProvisionedGroup,
  type NamedProvisionedGroup,
  type ProvisionedGroupMatch,
  type ProvisionedGroupQuery,
} from "./provisioned-group.js";
import { changeMembers, membersInPages } from "./scim-members.js";

export interface ScimGroupServiceDeps extends Pick<Platform, "database" | "clock" | "newId"> {
  /** Called in the transaction that deletes a group, before it is deleted. */
  readonly onGroupDeleted: (transaction: Transaction, groupId: string) => Promise<void>;
  /** @throws {ForbiddenError} The groups of the domain are in a directory. */
  readonly requireWritable: (domainId: string) => Promise<void>;
}

export type ScimGroupService = ReturnType<typeof createScimGroupService>;

const MAX_CHARACTERS = 255;
/** Changes of one group that wait for others. */
const MAX_WAITING = 256;
/** Members of a change that is made together with others. */
const MAX_QUICK_MEMBERS = 50;
/** Groups that are read at a time for their deletion. */
const MAX_DELETED = 100;

const same = (value: string) => value;
const INDEXED: Readonly<Record<string, IndexedAttribute<ProvisionedGroupMatch["column"]>>> = {
  id: { column: "group_id", keyOf: same },
  externalId: { column: "external_id", keyOf: same },
  displayName: { column: "name_key", keyOf: foldedName },
  "members.value": { column: "member", keyOf: same },
};

export function createScimGroupService(deps: ScimGroupServiceDeps) {
  const { database, clock, newId, onGroupDeleted, requireWritable } = deps;
  // Concurrent changes of one group would conflict, and be made again.
  const updates = createTransactionBatches(database, { maxWaiting: MAX_WAITING });
  // One at a time of each provider: several that come at once would hold up other requests. All may wait: their responses have begun.
  const pages = createKeyedQueue({ maxWaiting: Infinity });

  async function create(provider: ScimProvider, body: ScimObject): Promise<NamedProvisionedGroup> {
    await requireWritable(provider.domainId);
    requireAuthorized(provider);
    const { name, externalId } = readDesiredGroup(readResource(body, GROUP_TYPE));
    const userIds = readMembersOfGroup(body) ?? [];
    const changes: MemberChange[] = userIds.length === 0 ? [] : [{ kind: "add", userIds }];
    const id = newId();
    const expected: readonly Topic[] = changes.length > 0 ? ["facts"] : [];
    async function apply(transaction: Transaction, declare: Declare): Promise<NamedProvisionedGroup> {
      const now = clock.now();
      const group: Group = {
        id,
        name,
        domainId: provider.domainId,
        description: "",
        // For administrators: who changes it is in the table of pushed groups.
        extra: { scim_identity_provider: provider.id },
      };
      const facts = { groupId: id, idpId: provider.id, externalId, version: 1 };
      const pushed: NamedProvisionedGroup = { ...facts, name, createdAt: now, updatedAt: now };
      await requireUniqueGroup(transaction, pushed);
      await groupTable.insert(transaction, group, () => nameTaken(name));
      await orConflict(
        () => insertProvisionedGroup(transaction, pushed),
        () => nameTaken(name),
      );
      await changeMembers(transaction, pushed, { changes, declare });
      return pushed;
    }
    return changing(database, apply, expected);
  }

  interface GroupUpdate {
    readonly change: (resource: ScimObject) => ScimObject;
    readonly members: readonly MemberChange[];
  }

  async function update(
    provider: ScimProvider,
    { id, ifMatch }: ScimResourceKey,
    { change, members }: GroupUpdate,
  ): Promise<NamedProvisionedGroup> {
    requireAuthorized(provider);
    async function apply(transaction: Transaction, declare: Declare): Promise<NamedProvisionedGroup> {
      const known = await requirePushed(transaction, provider, id);
      requireVersion(ifMatch, known.version);
      const { name, externalId } = readDesiredGroup(change(plainGroup(known)));
      const next = { ...known, name, externalId };
      const isRenamed = name !== known.name;
      if (isRenamed || externalId !== known.externalId) await requireUniqueGroup(transaction, next);
      if (isRenamed) {
        declare("facts");
        const group = await groupTable.require(transaction, id);
        await groupTable.update(transaction, { ...group, name }, () => nameTaken(name));
      }
      const hasOtherMembers = await changeMembers(transaction, known, { changes: members, declare });
      if (!isRenamed && externalId === known.externalId && !hasOtherMembers) return known;
      // Of a new name, the table of groups has published it; of members, they are.
      if (!isRenamed && !hasOtherMembers)
        transaction.publish({ resource: "group", operation: "updated", id });
      const stored = { ...next, version: known.version + 1, updatedAt: clock.now() };
      await orConflict(
        () => updateProvisionedGroup(transaction, stored),
        () => nameTaken(name),
      );
      return stored;
    }
    const expected: readonly Topic[] = members.length > 0 ? ["facts"] : [];
    const isLong = members.some(
      ({ kind, userIds }) => kind === "replace" || userIds.length > MAX_QUICK_MEMBERS,
    );
    // The id may be that of another provider's group, whose changes are not to wait.
    return changing(updates.of({ key: `${provider.id}/${id}`, isLong }), apply, expected);
  }

  return {
    create,

    /** @throws {ScimGroupNotFoundError} */
    get: (provider: ScimProvider, id: string): Promise<NamedProvisionedGroup> =>
      requirePushed(database, provider, id),

    /** The members of a group, in pages. */
    membersOf: (group: NamedProvisionedGroup) =>
      membersInPages(database, group, (read) => pages.run(group.idpId, read)),

    /** @throws {ScimFilterError} The filter compares members by something else than their ids. */
    list(
      provider: ScimProvider,
      filter: Filter | undefined,
      page: ScimPageQuery,
    ): Promise<ScimPage<NamedProvisionedGroup>> {
      const { matches, rest } =
        filter === undefined ? { matches: [], rest: undefined } : splitFilter(filter, GROUP_TYPE, INDEXED);
      if (rest !== undefined && namesMembers(rest))
        throw new ScimFilterError(
          'Groups are found by members[value eq "…"], joined with other terms by and.',
        );
      const { id } = provider;
      const read = (query: Omit<ProvisionedGroupQuery, "matches">) =>
        matches.length > 0
          ? listProvisionedGroups(database, id, { ...query, matches })
          : listProvisionedGroups(database.forLists, id, query);
      return readPageOf(page, {
        slices: filter && slicesOf(read, (group) => group.groupId),
        matches: (group) => rest === undefined || matchesFilter(rest, groupResource(group, ""), GROUP_TYPE),
        count: () => countProvisionedGroups(database.forLists, id),
        read,
      });
    },

    /** Replaces name and members: those of a body without members stay. */
    replace(provider: ScimProvider, key: ScimResourceKey, body: ScimObject): Promise<NamedProvisionedGroup> {
      const userIds = readMembersOfGroup(body);
      return update(provider, key, {
        change: ({ externalId }) => ({
          ...(externalId !== undefined && { externalId }),
          ...readResource(body, GROUP_TYPE),
        }),
        members: userIds === undefined ? [] : [{ kind: "replace", userIds }],
      });
    },

    /** Adds and removes the named members alone, however many the group has. */
    change(
      provider: ScimProvider,
      key: ScimResourceKey,
      changes: readonly ScimChange[],
    ): Promise<NamedProvisionedGroup> {
      const ofMembers = changes.filter(({ attribute }) => attribute.name === "members");
      const others = changes.filter(({ attribute }) => attribute.name !== "members");
      const members = readMemberChanges(ofMembers);
      return update(provider, key, { change: (resource) => applyChanges(resource, others), members });
    },

    /** Deletes the group with its grants and memberships. */
    delete: (provider: ScimProvider, { id, ifMatch }: ScimResourceKey): Promise<void> =>
      database.transaction(async (transaction) => {
        requireVersion(ifMatch, (await requirePushed(transaction, provider, id)).version);
        await deletePushed(transaction, id);
      }),

    /** Deletes all groups of a provider, in the transaction that deletes it. */
    async deleteOf(transaction: Transaction, idpId: string): Promise<void> {
      for (;;) {
        const groups = await listProvisionedGroups(transaction, idpId, { limit: MAX_DELETED });
        for (const { groupId } of groups) await deletePushed(transaction, groupId);
        if (groups.length < MAX_DELETED) return;
      }
    },
  };

  async function deletePushed(transaction: Transaction, id: string): Promise<void> {
    await onGroupDeleted(transaction, id);
    await groupTable.delete(transaction, id);
  }
}

/** @throws {ScimGroupsForbiddenError} */
function requireAuthorized({ authorizedDomains, domainId }: ScimProvider): void {
  if (authorizedDomains !== null && !authorizedDomains.includes(domainId))
    throw new ScimGroupsForbiddenError();
}

/** @throws {ScimGroupNotFoundError} */
async function requirePushed(
  queries: Queries,
  { id: idpId }: ScimProvider,
  id: string,
): Promise<NamedProvisionedGroup> {
  const matches = [{ column: "group_id", value: id }] as const;
  const [group] = await listProvisionedGroups(queries, idpId, { matches, limit: 1 });
  if (group === undefined) throw new ScimGroupNotFoundError(id);
  return group;
}

/** @throws {ScimUniquenessError} */
async function requireUniqueGroup(queries: Queries, group: NamedProvisionedGroup): Promise<void> {
  const { name, externalId } = group;
  const ofName = { column: "name_key", value: foldedName(name) } as const;
  if ((await otherGroupWith(queries, group, ofName)) !== undefined) throw nameTaken(name);
  if (externalId === null) return;
  if ((await otherGroupWith(queries, group, { column: "external_id", value: externalId })) !== undefined)
    throw new ScimUniquenessError(`Another group of this provider has the externalId ${externalId}.`);
}

function nameTaken(name: string): ScimUniquenessError {
  return new ScimUniquenessError(
    `The domain has a group ${name}: one that this provider has pushed, or one that it may not change.`,
  );
}

/** @throws {ScimValueError} */
function readDesiredGroup(resource: ScimObject): Pick<NamedProvisionedGroup, "name" | "externalId"> {
  const { displayName, externalId = null } = resource as {
    readonly displayName?: string;
    readonly externalId?: string;
  };
  const name = normalizeName(displayName ?? "");
  if (name === "") throw new ScimValueError("displayName is required.");
  for (const [what, text] of [
    ["displayName", name],
    ["externalId", externalId ?? ""],
  ] as const) {
    const fault =
      text.length > MAX_CHARACTERS ? `has more than ${MAX_CHARACTERS} characters` : nameFault(text);
    if (fault !== undefined) throw new ScimValueError(`${what} ${fault}.`);
  }
  return { name, externalId };
}

function plainGroup({ name, externalId }: NamedProvisionedGroup): ScimObject {
  return { displayName: name, ...(externalId !== null && { externalId }) };
}

/** A group without its members. */
export function groupResource(group: NamedProvisionedGroup, location: string): ScimObject {
  return {
    schemas: [GROUP_SCHEMA.id],
    id: group.groupId,
    ...plainGroup(group),
    meta: metaOf(GROUP_TYPE.name, group, location),
  };
}

function namesMembers(filter: Filter): boolean {
  if ("filters" in filter) return filter.filters.some(namesMembers);
  if (filter.kind === "not") return namesMembers(filter.filter);
  return /(?:^|:)members(?:\.|$)/i.test(filter.path);
}
