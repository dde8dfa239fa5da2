/** The rows of what directories contain: public ids, and users, groups and memberships that grants, names and tokens refer to. */
import type { Platform } from "../area.js";
import { mirrorGroup, outdatedGroupMirrors, type MirroredGroup, type ShownGroup } from "../groups/group.js";
import { groupIdsOf, replaceMemberships } from "../groups/membership-store.js";
import { mirrorUsers, outdatedMirrors, type User } from "../users/user-store.js";
import { groupOfEntry, toMirror, userOfEntry } from "./directory-items.js";
import type { DirectoryReader } from "./directory-reader.js";
import type { DomainDriver } from "./domain-drivers.js";
import type { GroupEntry, NamedEntry, UserEntry } from "./entries.js";
import {
  findMappings,
  insertMappings,
  mappingOf,
  type EntityKind,
  type IdMapping,
} from "./id-mapping-store.js";

type OfDomain = Pick<DomainDriver, "domainId" | "checked">;

export function createDirectoryRows({ database, clock }: Pick<Platform, "database" | "clock">) {
  /** Stores the public ids of entries that are seen for the first time. */
  async function keepIds(
    { domainId, checked }: OfDomain,
    kind: EntityKind,
    entries: readonly NamedEntry[],
  ): Promise<IdMapping[]> {
    const mappings = entries.map(({ localId }) => mappingOf(domainId, kind, localId));
    const known = new Set(
      (
        await findMappings(
          database,
          mappings.map(({ publicId }) => publicId),
        )
      ).map(({ publicId }) => publicId),
    );
    const added = mappings.filter(({ publicId }) => !known.has(publicId));
    if (added.length > 0)
      await database.transaction((transaction) => insertMappings(transaction, added), { changes: [] });
    // Of a mapping that was purged: its rows have to be written again.
    for (const { publicId } of added) checked.delete(publicId);
    return mappings;
  }

  /** Brings the rows of groups up to date. */
  async function keepGroups(groups: readonly MirroredGroup[]): Promise<void> {
    const outdated = await outdatedGroupMirrors(database, groups);
    if (outdated.length === 0) return;
    await database.transaction(async (transaction) => {
      for (const group of outdated) await mirrorGroup(transaction, group);
    });
  }

  async function keepUsers(users: readonly User[]): Promise<void> {
    const outdated = await outdatedMirrors(database, users);
    if (outdated.length === 0) return;
    await database.transaction((transaction) => mirrorUsers(transaction, outdated, clock.now()));
  }

  async function groupsFrom(driver: OfDomain, entries: readonly GroupEntry[]): Promise<ShownGroup[]> {
    const mappings = await keepIds(driver, "group", entries);
    return entries.map((entry, index) =>
      groupOfEntry(driver.domainId, mappings[index]?.publicId ?? "", entry),
    );
  }

  async function usersFrom(driver: OfDomain, entries: readonly UserEntry[]): Promise<User[]> {
    const mappings = await keepIds(driver, "user", entries);
    return entries.map((entry, index) =>
      userOfEntry(driver.domainId, mappings[index]?.publicId ?? "", entry, clock.now()),
    );
  }

  /** Users whose ids are stored already. */
  const knownUsers = ({ domainId }: OfDomain, entries: readonly UserEntry[]): User[] =>
    entries.map((entry) =>
      userOfEntry(domainId, mappingOf(domainId, "user", entry.localId).publicId, entry, clock.now()),
    );

  /** Writes the memberships of a user, and the rows of the groups. */
  async function keepMemberships(
    driver: OfDomain,
    reader: DirectoryReader,
    userId: string,
    entry: UserEntry,
  ): Promise<ShownGroup[]> {
    const groups = await groupsFrom(driver, await reader.groupsOf(entry));
    await keepGroups(groups.map(toMirror));
    const ids = groups.map(({ id }) => id).toSorted();
    const former = (await groupIdsOf(database, userId)).toSorted();
    if (JSON.stringify(ids) !== JSON.stringify(former))
      await database.transaction((transaction) => replaceMemberships(transaction, userId, ids));
    return groups;
  }

  return { groupsFrom, keepGroups, keepIds, keepMemberships, keepUsers, knownUsers, usersFrom };
}

/** Groups whose ids are stored already. */
export function knownGroups(
  { domainId }: Pick<OfDomain, "domainId">,
  entries: readonly GroupEntry[],
): ShownGroup[] {
  return entries.map((entry) =>
    groupOfEntry(domainId, mappingOf(domainId, "group", entry.localId).publicId, entry),
  );
}
