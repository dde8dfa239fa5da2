/**
 * Users and groups of domains whose configuration names a directory.
 *
 * The directory is asked; what it says of a user or group that is looked up is also written into a row, if it changed, so that grants,
 * memberships, names and tokens find it as they find any other.
 */
import type { Platform } from "../area.js";
import type { DomainConfigService } from "../domain-config/domain-config-service.js";
import type { GroupQuery, ShownGroup } from "../groups/group.js";
import { permanentMemberIds, replaceMembers, replaceMemberships } from "../groups/membership-store.js";
import type { Moment } from "../platform/clock.js";
import { createRevisionCache } from "../platform/concurrency/revision-cache.js";
import type { ExactReference } from "../platform/database/domain-scoped-names.js";
import { findProject } from "../projects/project-store.js";
import { disableMirror, outdatedMirrors, type User, type UserQuery } from "../users/user-store.js";
import { ForeignMemberError, ReadOnlyDirectoryError } from "./directory-errors.js";
import { itemsOfPage, passesAll, toMirror } from "./directory-items.js";
import { createDirectoryLists } from "./directory-lists.js";
import { createDirectoryRows } from "./directory-rows.js";
import type { DomainDriver, DomainDrivers } from "./domain-drivers.js";
import type { UserEntry } from "./entries.js";
import {
  findMapping,
  isAnyMapped,
  mappedGroupsWithGrants,
  mappingOf,
  type EntityKind,
} from "./id-mapping-store.js";

export interface DirectoryServiceDeps extends Pick<Platform, "database" | "clock"> {
  readonly drivers: Pick<DomainDrivers, "read">;
  readonly domainConfigs: Pick<DomainConfigService, "listLimitOf" | "usesDirectories">;
  /** How long what the directory said of a user is used without asking again. */
  readonly recheckMs: number;
}

/** What a directory says of a reference; `item` is absent if it has no such entry. */
export interface DirectoryAnswer<Item> {
  readonly item: Item | undefined;
  /** The id or name there, for messages. */
  readonly localId: string;
}

/** A user who logs in by password. */
export interface DirectoryLogin {
  readonly domainId: string;
  readonly userId: string | undefined;
  /** Binds as the user, once; for an unknown one, as {@link refuse} does. */
  isPassword(password: string): Promise<boolean>;
  /** Takes the time of a bind: an attacker learns from it of no user, and of no lock. */
  refuse(): Promise<false>;
}

/** What a public id stands for. */
interface Mapped {
  /** `undefined` if the domain has no directory anymore: its users and groups are unknown then. */
  readonly driver: DomainDriver | undefined;
  readonly domainId: string;
  readonly localId: string;
}

export type DirectoryService = ReturnType<typeof createDirectoryService>;

export interface LookupOptions {
  /** Whether to ask the directory even if it was asked lately. */
  readonly isFresh?: boolean;
  /** Whether the memberships are needed. */
  readonly withGroups?: boolean;
}

export function createDirectoryService(deps: DirectoryServiceDeps) {
  const { database, clock, drivers, domainConfigs, recheckMs } = deps;
  const rows = createDirectoryRows({ database, clock });
  const { groupsFrom, keepGroups, keepMemberships, keepUsers, usersFrom } = rows;
  const lists = createDirectoryLists({ database, clock, rows });
  const inFlight = new Map<string, Promise<DirectoryAnswer<User>>>();
  /** When the members of groups were read, and from which directory. */
  const membersRead = new Map<string, { readonly at: Moment; readonly driver: DomainDriver | undefined }>();

  /** Whether ids are stored, which may be of domains that have no directory anymore. */
  const anyMapped = createRevisionCache<boolean>({
    revision: () => database.revision("facts"),
    maxEntries: 1,
  });
  const hasMappings = async (): Promise<boolean> =>
    domainConfigs.usesDirectories && anyMapped.get("", () => isAnyMapped(database));

  /** What a public id stands for, unless it is none of a directory's. */
  async function mappedDriver(id: string, kind: EntityKind): Promise<Mapped | undefined> {
    const all = await drivers.read();
    if (all.size === 0 && !(await hasMappings())) return undefined;
    const mapping = await findMapping(database, id);
    if (mapping?.kind !== kind) return undefined;
    const { domainId, localId } = mapping;
    return { driver: all.get(domainId), domainId, localId };
  }

  async function driverOf(domainId: string | undefined): Promise<DomainDriver | undefined> {
    return domainId === undefined ? undefined : (await drivers.read()).get(domainId);
  }

  /** The user is not in the directory (anymore): no row may count as enabled. */
  async function forget({ driver, domainId, localId }: Mapped): Promise<void> {
    const { publicId } = mappingOf(domainId, "user", localId);
    driver?.checked.delete(publicId);
    const mirrors = await outdatedMirrors(database, [{ id: publicId, name: "", domainId, enabled: false }]);
    if (mirrors.length === 0) return;
    await database.transaction(async (transaction) => {
      if (await disableMirror(transaction, publicId)) await replaceMemberships(transaction, publicId, []);
    });
  }

  async function found(
    driver: DomainDriver,
    entry: UserEntry,
    { withGroups = false }: LookupOptions,
  ): Promise<User> {
    const [user] = await usersFrom(driver, [entry]);
    if (user === undefined) throw new Error("an entry gives a user");
    await keepUsers([user]);
    const now = clock.now();
    const groupsAt = driver.checked.get(user.id)?.groupsAt ?? -Infinity;
    if (withGroups) await keepMemberships(driver, driver.reader(), user.id, entry);
    driver.checked.set({ user, at: now, groupsAt: withGroups ? now : groupsAt });
    return user;
  }

  async function lookUp(
    driver: DomainDriver,
    reference: { readonly localId: string } | { readonly name: string },
    options: LookupOptions,
  ): Promise<DirectoryAnswer<User>> {
    const reader = driver.reader();
    if ("name" in reference) {
      const entry = await reader.userByName(reference.name);
      return { item: entry && (await found(driver, entry, options)), localId: reference.name };
    }
    const { localId } = reference;
    const entry = await reader.userById(localId);
    if (entry === undefined) await forget({ driver, domainId: driver.domainId, localId });
    return { item: entry && (await found(driver, entry, options)), localId };
  }

  /** `undefined` if the reference is none of a directory's user. */
  async function findUser(
    reference: ExactReference,
    options: LookupOptions = {},
  ): Promise<DirectoryAnswer<User> | undefined> {
    if (!("id" in reference)) {
      const driver = await driverOf(reference.domainId);
      return driver && lookUp(driver, { name: reference.name }, options);
    }
    const mapped = await mappedDriver(reference.id, "user");
    if (mapped === undefined) return undefined;
    const { driver, localId } = mapped;
    if (driver === undefined) {
      await forget(mapped);
      return { item: undefined, localId };
    }
    const checked = driver.checked.get(reference.id);
    const oldest = clock.now() - recheckMs;
    const { isFresh = false, withGroups = false } = options;
    if (
      !isFresh &&
      checked !== undefined &&
      checked.at > oldest &&
      (!withGroups || checked.groupsAt > oldest)
    )
      return { item: checked.user, localId };
    // One question at a time for each user.
    const key = JSON.stringify([reference.id, withGroups]);
    const asked =
      inFlight.get(key) ?? lookUp(driver, { localId }, options).finally(() => inFlight.delete(key));
    if (!isFresh) inFlight.set(key, asked);
    return asked;
  }

  async function findGroup(reference: ExactReference): Promise<DirectoryAnswer<ShownGroup> | undefined> {
    const mapped = "id" in reference ? await mappedDriver(reference.id, "group") : undefined;
    const driver = "id" in reference ? mapped?.driver : await driverOf(reference.domainId);
    const localId = "id" in reference ? (mapped?.localId ?? "") : reference.name;
    if (driver === undefined) return mapped && { item: undefined, localId };
    const reader = driver.reader();
    const entry = await ("id" in reference ? reader.groupById(localId) : reader.groupByName(localId));
    if (entry === undefined) return { item: undefined, localId };
    const [group] = await groupsFrom(driver, [entry]);
    if (group !== undefined) await keepGroups([toMirror(group)]);
    return { item: group, localId };
  }

  /** The driver whose directory answers a list, and the conditions it leaves. */
  async function driverOfList({ filters, domainId }: Pick<UserQuery, "filters" | "domainId">) {
    const named = filters.find(
      ({ field, comparator }) => field === "domain_id" && comparator === "equals",
    )?.value;
    if (named !== undefined && domainId !== undefined && named !== domainId) return undefined;
    if (named ?? domainId) return driverOf(named ?? domainId);
    return [...(await drivers.read()).values()].find(({ isDefault }) => isDefault);
  }

  /** The ids of the members of a group, sorted; none of one that the directory does not have. */
  async function readMembers(driver: DomainDriver, localId: string): Promise<string[]> {
    const reader = driver.reader();
    const entry = await reader.groupById(localId, { withMembers: true });
    if (entry === undefined) return [];
    const members = new Set<string>();
    await reader.eachMember(entry, async (some) => {
      const users = await usersFrom(driver, some);
      await keepUsers(users);
      for (const { id } of users) members.add(id);
    });
    await keepGroups((await groupsFrom(driver, [entry])).map(toMirror));
    return [...members].toSorted();
  }

  return {
    listLimitOf: (domainId: string | undefined): Promise<number | undefined> =>
      domainConfigs.listLimitOf(domainId),

    /** Whether any domain has a directory, or had one. */
    isInUse: async (): Promise<boolean> => (await drivers.read()).size > 0 || (await hasMappings()),

    /** @throws {ReadOnlyDirectoryError} The domain's users and groups are in a directory. */
    async requireWritable(domainId: string): Promise<void> {
      if ((await driverOf(domainId)) !== undefined) throw new ReadOnlyDirectoryError();
    },

    /**
     * @param domains Those of a group and a user.
     * @throws {ForeignMemberError} One is in a directory that the other is not in.
     */
    async requireSamePlace(domains: { readonly group: string; readonly user: string }): Promise<void> {
      const [group, user] = [await driverOf(domains.group), await driverOf(domains.user)];
      if (group !== user) throw new ForeignMemberError();
    },

    findUser,
    findGroup,

    /** The users of a list; `undefined` if the database has them. */
    async listUsers(query: UserQuery): Promise<User[] | undefined> {
      const { filters, page, enabled, group, expiry, search, federated = [] } = query;
      if (expiry.length > 0 || federated.length > 0) return undefined;
      const isMarker = page.includesMarker === true && page.marker !== undefined;
      if (isMarker) {
        const answer = await findUser({ id: page.marker });
        const marker = answer && (answer.item === undefined ? [] : [answer.item]);
        if (marker !== undefined || group === undefined) return marker;
      }
      const names = filters.filter(({ field }) => field === "name");
      if (group === undefined) {
        const driver = await driverOfList(query);
        return driver && lists.users(driver, page, { names, enabled, search });
      }
      const mapped = await mappedDriver(group.id, "group");
      const { driver, localId } = mapped ?? {};
      if (driver === undefined || localId === undefined) return mapped && [];
      return lists.members({ driver, localId }, page, { names, enabled, search });
    },

    /** The groups of a list; `undefined` if the database has them. */
    async listGroups(query: GroupQuery): Promise<ShownGroup[] | undefined> {
      const { filters, page, member, search } = query;
      const isMarker = page.includesMarker === true && page.marker !== undefined;
      if (isMarker) {
        const answer = await findGroup({ id: page.marker });
        if (answer !== undefined) return answer.item === undefined ? [] : [answer.item];
      }
      const names = filters.filter(({ field }) => field === "name");
      if (member !== undefined) {
        const mapped = await mappedDriver(member.id, "user");
        if (mapped === undefined) return undefined;
        const { driver, localId } = mapped;
        const entry = await driver?.reader().userById(localId);
        const groups =
          driver === undefined || entry === undefined
            ? []
            : await keepMemberships(driver, driver.reader(), member.id, entry);
        return itemsOfPage(groups.filter(passesAll(names, { ignoresCase: true })), query);
      }
      const driver = await driverOfList(query);
      return driver && lists.groups(driver, page, { names, search });
    },

    /**
     * Brings the members of groups of directories that have roles up to date. A group without its directory has none.
     *
     * @param targetIds Roles on these projects and domains; anywhere, if left out.
     */
    async refreshGrantedGroups(targetIds?: readonly string[]): Promise<void> {
      const all = await drivers.read();
      if (all.size === 0 && !(await hasMappings())) return;
      const now = clock.now();
      for (const { publicId, domainId, localId } of await mappedGroupsWithGrants(database, targetIds)) {
        const driver = all.get(domainId);
        const last = membersRead.get(publicId);
        if (last !== undefined && last.driver === driver && last.at > now - recheckMs) continue;
        const ids = driver === undefined ? [] : await readMembers(driver, localId);
        const former = (await permanentMemberIds(database, publicId)).toSorted();
        if (JSON.stringify(ids) !== JSON.stringify(former))
          await database.transaction((transaction) => replaceMembers(transaction, publicId, ids));
        membersRead.set(publicId, { at: now, driver });
      }
    },

    /**
     * The reference of a row: by id, where the name is that of a directory's user, whose row is up to date afterwards.
     *
     * @param admit Called before the directory is asked: throws for logins that are refused anyway. Left out, if it has been called.
     */
    async toRow(reference: ExactReference, admit?: () => Promise<void>): Promise<ExactReference> {
      const isAsked =
        "id" in reference ? await mappedDriver(reference.id, "user") : await driverOf(reference.domainId);
      if (isAsked === undefined) return reference;
      await admit?.();
      const answer = await findUser(reference);
      return answer?.item === undefined ? reference : { id: answer.item.id };
    },

    /**
     * Finds the user of a login; `undefined` if the database has it.
     *
     * @param admit Called before the directory is asked: throws for logins that are refused anyway.
     */
    async findLogin(
      reference: ExactReference,
      admit: () => Promise<void>,
    ): Promise<DirectoryLogin | undefined> {
      const place =
        "id" in reference
          ? await mappedDriver(reference.id, "user")
          : { driver: await driverOf(reference.domainId), localId: "" };
      if (place?.driver === undefined) return undefined;
      const { driver, localId } = place;
      const { domainId } = driver;
      await admit();
      const domain = await findProject(database, domainId);
      if (domain?.enabled !== true)
        return { domainId, userId: undefined, isPassword: refuseAtOnce, refuse: refuseAtOnce };
      const reader = driver.reader();
      const refuse = () => reader.bindAsNoOne();
      const unknown: DirectoryLogin = { domainId, userId: undefined, isPassword: refuse, refuse };
      const entry = await ("id" in reference ? reader.userById(localId) : reader.userByName(reference.name));
      if (entry === undefined) return unknown;
      const user = await found(driver, entry, {});
      return {
        domainId,
        userId: user.id,
        refuse,
        isPassword: async (password) => (await reader.bindAs(entry.dn, password)).isAccepted,
      };
    },

    /** When the directory has to be asked for a user again; never for others. */
    async recheckAt(userId: string): Promise<Moment> {
      const mapped = await mappedDriver(userId, "user");
      if (mapped === undefined) return Infinity;
      return (mapped.driver?.checked.get(userId)?.groupsAt ?? -Infinity) + recheckMs;
    },
  };
}

async function refuseAtOnce(): Promise<false> {
  return false;
}
