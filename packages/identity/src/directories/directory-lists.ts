/**
 * Lists of a directory's users and groups in pages, in the order of their ids.
 *
 * A directory knows no such order. The first page reads all entries, of which only the page stays in memory, and stores the ids of new
 * ones; later pages are the next stored ids, whose entries alone are read. Of the members of a group, the ids stay in memory.
 */
import type { Platform } from "../area.js";
import type { ShownGroup } from "../groups/group.js";
import type { ListQuery } from "../platform/database/table.js";
import type { ListFilter } from "../platform/http/lists/list-filters.js";
import { passesSearch } from "../platform/http/lists/list-order.js";
import type { User } from "../users/user-store.js";
import { passesAll, textsOf } from "./directory-items.js";
import { knownGroups, type createDirectoryRows } from "./directory-rows.js";
import type { DomainDriver } from "./domain-drivers.js";
import {
  findMappings,
  MAX_MAPPINGS,
  mappingsBehind,
  type EntityKind,
  type IdMapping,
} from "./id-mapping-store.js";

export interface DirectoryListsDeps extends Pick<Platform, "database" | "clock"> {
  readonly rows: Pick<ReturnType<typeof createDirectoryRows>, "usersFrom" | "groupsFrom" | "knownUsers">;
}

/** For so long after all entries were read, later pages follow the stored ids; entries that are added meanwhile are in the next list. */
const SCAN_MS = 60_000;
/** Items in memory in addition to those of a page. */
const MAX_SPARE = 1000;

type Page = ListQuery["page"];

interface ListConditions {
  readonly names: readonly ListFilter[];
  readonly search: string | undefined;
}

interface UserConditions extends ListConditions {
  readonly enabled: boolean | undefined;
}

/** How the items of a list are read. */
interface Source<Item> {
  /** Names the list. */
  readonly key: string;
  /** Passes on all items, in parts; one may come twice. */
  readonly each: (onItems: (items: readonly Item[]) => void) => Promise<void>;
  /** The next ids of the list, after all items were read. */
  readonly behind: (after: string, limit: number, scan: Scan) => Promise<readonly IdMapping[]>;
  /** Those of these local ids that exist, in any order. */
  readonly byId: (localIds: readonly string[]) => Promise<readonly Item[]>;
  /** Whether the list has no conditions. */
  readonly isWhole: boolean;
  /** Whether the ids of all items stay in memory. */
  readonly keepsIds: boolean;
}

/** A reading of all items. */
interface Scan {
  readonly at: number;
  /** In their order, if they are kept. */
  readonly ids: readonly string[];
}

/** Lists of a domain that were read lately. */
const MAX_SCANS = 10;

export function createDirectoryLists({ database, clock, rows }: DirectoryListsDeps) {
  /** By list. A driver is another one after a change of its configuration. */
  const scansOf = new WeakMap<DomainDriver, Map<string, Scan>>();

  /** A page, and one more item if there is another page. */
  async function readPage<Item extends { readonly id: string }>(
    driver: DomainDriver,
    { limit = Infinity, marker = "" }: Page,
    source: Source<Item>,
  ): Promise<Item[]> {
    const scans = scansOf.get(driver) ?? new Map<string, Scan>();
    scansOf.set(driver, scans);
    const known = scans.get(source.key);
    if (marker !== "" && source.isWhole && known !== undefined && known.at > clock.now() - SCAN_MS)
      return pageOfIds({ limit, marker }, source, known);
    const at = clock.now();
    const least = createLeast<Item>({ count: limit + 1, marker });
    const ids = new Set<string>();
    await source.each((items) => {
      least.add(items);
      if (source.keepsIds && source.isWhole) for (const { id } of items) ids.add(id);
    });
    if (source.isWhole) {
      scans.delete(source.key);
      scans.set(source.key, { at, ids: [...ids].toSorted() });
      const [oldest] = scans.keys();
      if (scans.size > MAX_SCANS && oldest !== undefined) scans.delete(oldest);
    }
    return least.items();
  }

  async function pageOfIds<Item extends { readonly id: string }>(
    { limit, marker }: { readonly limit: number; readonly marker: string },
    { behind, byId }: Source<Item>,
    scan: Scan,
  ): Promise<Item[]> {
    const found: Item[] = [];
    for (let after = marker; found.length <= limit;) {
      const mappings = await behind(after, Math.min(limit + 1 - found.length, MAX_MAPPINGS), scan);
      const last = mappings.at(-1);
      if (last === undefined) break;
      const items = await byId(mappings.map(({ localId }) => localId));
      found.push(...items.toSorted(byIds));
      after = last.publicId;
    }
    return found;
  }

  const storedBehind =
    ({ domainId }: DomainDriver, kind: EntityKind): Source<unknown>["behind"] =>
    (after, limit) =>
      mappingsBehind(database, { domainId, kind, after, limit });

  return {
    users(driver: DomainDriver, page: Page, conditions: UserConditions): Promise<User[]> {
      const reader = driver.reader();
      return readPage(driver, page, {
        key: "users",
        isWhole: isWhole(conditions),
        keepsIds: false,
        each: (onItems) =>
          reader.eachUser(conditions.names, async (entries) =>
            onItems((await rows.usersFrom(driver, entries)).filter(acceptsUser(conditions))),
          ),
        behind: storedBehind(driver, "user"),
        byId: async (localIds) => rows.knownUsers(driver, await reader.usersById(localIds)),
      });
    },

    /** The users in a group. */
    members(
      { driver, localId }: { readonly driver: DomainDriver; readonly localId: string },
      page: Page,
      conditions: UserConditions,
    ): Promise<User[]> {
      const reader = driver.reader();
      const isNamed = passesAll(conditions.names);
      const isAccepted = acceptsUser(conditions);
      return readPage(driver, page, {
        key: `members of ${localId}`,
        isWhole: isWhole(conditions),
        keepsIds: true,
        async each(onItems) {
          const group = await reader.groupById(localId, { withMembers: true });
          if (group === undefined) return;
          await reader.eachMember(group, async (entries) =>
            onItems(
              (await rows.usersFrom(driver, entries)).filter((user) => isNamed(user) && isAccepted(user)),
            ),
          );
        },
        async behind(after, limit, { ids }) {
          const first = ids.findIndex((id) => id > after);
          const next = first === -1 ? [] : ids.slice(first, first + limit);
          const mappings = await findMappings(database, next);
          return mappings.toSorted((one, other) => (one.publicId < other.publicId ? -1 : 1));
        },
        byId: async (localIds) => rows.knownUsers(driver, await reader.usersById(localIds)),
      });
    },

    groups(driver: DomainDriver, page: Page, { names, search }: ListConditions): Promise<ShownGroup[]> {
      const reader = driver.reader();
      return readPage(driver, page, {
        key: "groups",
        isWhole: isWhole({ names, enabled: undefined, search }),
        keepsIds: false,
        each: (onItems) =>
          reader.eachGroup(names, async (entries) =>
            onItems(
              (await rows.groupsFrom(driver, entries)).filter((group) =>
                passesSearch(search, textsOf(group)),
              ),
            ),
          ),
        behind: storedBehind(driver, "group"),
        byId: async (localIds) => knownGroups(driver, await reader.groupsById(localIds)),
      });
    },
  };
}

function acceptsUser({ enabled, search }: UserConditions): (user: User) => boolean {
  return (user) => (enabled === undefined || user.enabled === enabled) && passesSearch(search, textsOf(user));
}

function isWhole({ names, enabled, search }: UserConditions): boolean {
  return names.length === 0 && enabled === undefined && search === undefined;
}

/** Keeps the items with the least ids behind a marker: the first of each id, of all that are added. */
export function createLeast<Item extends { readonly id: string }>({
  count,
  marker,
}: {
  readonly count: number;
  readonly marker: string;
}) {
  let kept = new Map<string, Item>();
  let bound: string | undefined;

  function prune(): void {
    const least = [...kept.values()].toSorted(byIds).slice(0, count);
    kept = new Map(least.map((item) => [item.id, item]));
    if (least.length === count) bound = least.at(-1)?.id;
  }

  return {
    add(items: readonly Item[]): void {
      for (const item of items) {
        const { id } = item;
        if (id > marker && (bound === undefined || id <= bound) && !kept.has(id)) kept.set(id, item);
      }
      if (kept.size > count + MAX_SPARE) prune();
    },
    items(): Item[] {
      prune();
      return [...kept.values()];
    },
  };
}

function byIds(one: { readonly id: string }, other: { readonly id: string }): number {
  return one.id < other.id ? -1 : 1;
}
