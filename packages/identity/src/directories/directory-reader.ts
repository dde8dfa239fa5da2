/** Finds users, groups and memberships in one directory, by the settings of its domain. */
import { randomUUID } from "node:crypto";

import type { BindOutcome, Directory, DirectoryEntry } from "./directory.js";
import type { DirectorySettings } from "./directory-settings.js";
import {
  attributesOf,
  attributesOfUser,
  binaryAttributes,
  distinct,
  readEntryName,
  readUser,
  type GroupEntry,
  type NamedEntry,
  type UserEntry,
} from "./entries.js";
import { dnKey, isWithin } from "./ldap/distinguished-name.js";
import { allOf, anyOf, equals, inChain, type Filter } from "./ldap/filter-objects.js";
import { createMemberReader, MAX_VALUES, readAllValues } from "./member-reader.js";
import { entryFilter, idFilter, nameFilters, passes, type NameFilter } from "./entry-filters.js";

export type DirectoryReader = ReturnType<typeof createDirectoryReader>;

export function createDirectoryReader(directory: Directory, { users, groups }: DirectorySettings) {
  async function searchUsers(
    more: readonly Filter[],
    { isList = false, at }: { isList?: boolean; at?: string } = {},
  ): Promise<UserEntry[]> {
    if (at !== undefined && !isWithin(at, users)) return [];
    const entries = await directory.search({
      ...(at === undefined ? users : { base: at, scope: "base" }),
      filter: entryFilter(users, ...more),
      attributes: attributesOfUser(users),
      binary: binaryAttributes(users),
      isList,
    });
    const isEnabledMember = await enabledMembers(entries);
    const found = entries.map((entry) => readUser(entry, users, isEnabledMember));
    return found.filter((user) => user !== undefined);
  }

  /** Passes on all users that match, in pages; one may come twice. */
  async function eachUserWith(
    more: readonly Filter[],
    onUsers: (found: UserEntry[]) => Promise<void>,
  ): Promise<void> {
    let isEnabledMember: Promise<(user: NamedEntry) => boolean> | undefined;
    const search = {
      base: users.base,
      scope: users.scope,
      filter: entryFilter(users, ...more),
      attributes: attributesOfUser(users),
      binary: binaryAttributes(users),
    };
    await directory.searchPages(search, async (entries) => {
      isEnabledMember ??= allEnabledMembers();
      const isMember = await isEnabledMember;
      await onUsers(entries.flatMap((entry) => readUser(entry, users, isMember) ?? []));
    });
  }

  const eachUser = (
    filters: readonly NameFilter[],
    onUsers: (found: UserEntry[]) => Promise<void>,
  ): Promise<void> =>
    eachUserWith(nameFilters(users.name, filters), (found) => onUsers(found.filter(passes(filters))));

  /** As {@link eachUser}. */
  async function eachGroup(
    filters: readonly NameFilter[],
    onGroups: (found: GroupEntry[]) => Promise<void>,
  ): Promise<void> {
    const search = {
      base: groups.base,
      scope: groups.scope,
      filter: entryFilter(groups, ...nameFilters(groups.name, filters)),
      attributes: attributesOf(groups),
      binary: binaryAttributes(groups),
    };
    await directory.searchPages(search, async (entries) =>
      onGroups(entries.flatMap(toGroup).filter(passes(filters))),
    );
  }

  const toGroup = (entry: DirectoryEntry): GroupEntry[] => {
    const named = readEntryName(entry, groups);
    return named === undefined ? [] : [{ ...named, entry }];
  };

  async function searchGroups(
    more: readonly Filter[],
    { isList = false, withMembers = false }: { isList?: boolean; withMembers?: boolean } = {},
  ): Promise<GroupEntry[]> {
    const entries = await directory.search({
      base: groups.base,
      scope: groups.scope,
      filter: entryFilter(groups, ...more),
      attributes: [...attributesOf(groups), ...(withMembers ? [groups.member] : [])],
      binary: binaryAttributes(groups),
      isList,
    });
    return entries.flatMap(toGroup);
  }

  /** Of these entries, those in the group of enabled users. */
  async function enabledMembers(entries: readonly DirectoryEntry[]): Promise<(user: NamedEntry) => boolean> {
    const { enabled } = users;
    if (enabled.kind !== "group" || entries.length === 0) return () => true;
    const { dn, objectClass, member, membersAreIds } = enabled;
    const place = { base: dn, scope: "base" } as const;
    const [only, ...others] = entries;
    if (others.length === 0 && only !== undefined) {
      const named = readEntryName(only, users);
      const filter = allOf(
        equals("objectClass", objectClass),
        equals(member, membersAreIds ? (named?.localId ?? "") : only.dn),
      );
      const [found] = await directory.search({ ...place, filter, attributes: ["1.1"] });
      return () => found !== undefined;
    }
    return allEnabledMembers();
  }

  /** The whole group of enabled users. */
  async function allEnabledMembers(): Promise<(user: NamedEntry) => boolean> {
    const { enabled } = users;
    if (enabled.kind !== "group") return () => true;
    const { dn, objectClass, member, membersAreIds } = enabled;
    const place = { base: dn, scope: "base" } as const;
    const filter = equals("objectClass", objectClass);
    const [group] = await directory.search({ ...place, filter, attributes: [member], isList: true });
    const values = (group && (await readAllValues(directory, group, member))) ?? [];
    if (membersAreIds) {
      const ids = new Set(values);
      return ({ localId }) => ids.has(localId);
    }
    const keys = new Set(values.map((value) => dnKey(value)));
    return (user) => keys.has(dnKey(user.dn));
  }

  /** The users with one of these values in an attribute. */
  async function usersByValues(attribute: string, values: readonly string[]): Promise<UserEntry[]> {
    const found: UserEntry[] = [];
    for (let at = 0; at < values.length; at += MAX_VALUES) {
      const some = values
        .slice(at, at + MAX_VALUES)
        .map((value) => (attribute === users.id ? idFilter(users, value) : equals(attribute, value)));
      found.push(...(await searchUsers([anyOf(some)], { isList: true })));
    }
    return found;
  }

  const { eachMember } = createMemberReader({
    directory,
    users,
    groups,
    eachUser: (more, onUsers) => eachUserWith(more, onUsers),
    usersByValues,
    userAt: (dn) => searchUsers([], { at: dn }),
  });

  return {
    eachUser,
    eachGroup,

    users: (filters: readonly NameFilter[]): Promise<UserEntry[]> =>
      collected((onPage) => eachUser(filters, onPage)),

    groups: (filters: readonly NameFilter[]): Promise<GroupEntry[]> =>
      collected((onPage) => eachGroup(filters, onPage)),

    /** The users of these ids that exist, in any order. */
    usersById: async (localIds: readonly string[]): Promise<UserEntry[]> =>
      ofIds(await usersByValues(users.id, localIds), localIds),

    /** The groups of these ids that exist, in any order. */
    groupsById: async (localIds: readonly string[]): Promise<GroupEntry[]> => {
      const found: GroupEntry[] = [];
      for (let at = 0; at < localIds.length; at += MAX_VALUES) {
        const some = localIds.slice(at, at + MAX_VALUES).map((value) => idFilter(groups, value));
        found.push(...(await searchGroups([anyOf(some)], { isList: true })));
      }
      return ofIds(found, localIds);
    },

    /** Ids differ in case, as in Keystone: the directory may find more. */
    userById: async (localId: string): Promise<UserEntry | undefined> =>
      (await searchUsers([idFilter(users, localId)])).find((user) => user.localId === localId),

    /** The first user whose name matches by the rules of the directory. */
    userByName: async (name: string): Promise<UserEntry | undefined> =>
      name === "" ? undefined : (await searchUsers([equals(users.name, name)]))[0],

    groupById: async (
      localId: string,
      { withMembers = false }: { readonly withMembers?: boolean } = {},
    ): Promise<GroupEntry | undefined> =>
      (await searchGroups([idFilter(groups, localId)], { withMembers })).find(
        (group) => group.localId === localId,
      ),

    groupByName: async (name: string): Promise<GroupEntry | undefined> =>
      name === "" ? undefined : (await searchGroups([equals(groups.name, name)]))[0],

    groupsOf: async ({ dn, localId }: UserEntry): Promise<GroupEntry[]> => {
      const { member, membersAreIds, isNested } = groups;
      if (membersAreIds) return distinct(await searchGroups([equals(member, localId)], { isList: true }));
      return distinct(
        await searchGroups([isNested ? inChain(member, dn) : equals(member, dn)], { isList: true }),
      );
    },

    eachMember,

    /** One bind, as an entry that does not exist. */
    bindAsNoOne: async (): Promise<false> => {
      await directory.bindAs(`cn=${randomUUID()},${users.base}`, randomUUID());
      return false;
    },

    bindAs: (dn: string, password: string): Promise<BindOutcome> => directory.bindAs(dn, password),
  };
}

/** All entries that a search passes on in pages. */
async function collected<Item extends NamedEntry>(
  read: (onPage: (found: Item[]) => Promise<void>) => Promise<void>,
): Promise<Item[]> {
  const known = new Map<string, Item>();
  await read(async (found) => {
    for (const entry of found) if (!known.has(entry.localId)) known.set(entry.localId, entry);
  });
  return [...known.values()];
}

/** The first entry of each of these ids: they differ in case, though the directory may find more. */
function ofIds<Item extends NamedEntry>(entries: readonly Item[], localIds: readonly string[]): Item[] {
  const wanted = new Set(localIds);
  return distinct(entries).filter(({ localId }) => wanted.has(localId));
}
