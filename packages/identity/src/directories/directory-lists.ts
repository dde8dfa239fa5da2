/**
 * Lists of a directory's users and groups in pages, in the order of their ids.
 *
 * A directory knows no such order. The first page reads all entries, of which only the page stays in memory, and stores the ids of new
 * ones; later pages are the next stored ids, whose entries alone are read.
 */
import type { Platform } from "../area.js";
import type { ShownGroup } from "../groups/group.js";
import type { ListQuery } from "../platform/database/table.js";
import { passesSearch } from "../platform/http/lists/list-order.js";
import type { User } from "../users/user-store.js";
import { textsOf } from "./directory-items.js";
import type { NameFilter } from "./directory-reader.js";
import { knownGroups, type createDirectoryRows } from "./directory-rows.js";
import type { DomainDriver } from "./domain-drivers.js";
import { MAX_MAPPINGS, mappingsBehind, type EntityKind } from "./id-mapping-store.js";

export interface DirectoryListsDeps extends Pick<Platform, "database" | "clock"> {
  readonly rows: Pick<ReturnType<typeof createDirectoryRows>, "usersFrom" | "groupsFrom" | "knownUsers">;
}

/** For so long after all entries were read, later pages follow the stored ids; entries that are added meanwhile are in the next list. */
const SCAN_MS = 60_000;
/** Items in memory in addition to those of a page. */
const MAX_SPARE = 1000;

type Page = ListQuery["page"];

interface ListConditions {
  readonly names: readonly NameFilter[];
  readonly search: string | undefined;
}

/** How entries of a kind are read. */
interface Source<Item> {
  readonly kind: EntityKind;
  /** Passes on all items, in parts; one may come twice. */
  readonly each: (onItems: (items: readonly Item[]) => void) => Promise<void>;
  /** Those of these local ids that exist, in any order. */
  readonly byId: (localIds: readonly string[]) => Promise<readonly Item[]>;
  /** Whether all stored ids are in the list. */
  readonly isWhole: boolean;
}

export function createDirectoryLists({ database, clock, rows }: DirectoryListsDeps) {
  /** When all entries were read. A driver is another one after a change of its configuration. */
  const scannedAt = new WeakMap<DomainDriver, Map<EntityKind, number>>();

  /** A page, and one more item if there is another page. */
  async function readPage<Item extends { readonly id: string }>(
    driver: DomainDriver,
    { limit = Infinity, marker = "" }: Page,
    source: Source<Item>,
  ): Promise<Item[]> {
    const scans = scannedAt.get(driver) ?? new Map<EntityKind, number>();
    const isFresh = (scans.get(source.kind) ?? -Infinity) > clock.now() - SCAN_MS;
    if (marker !== "" && source.isWhole && isFresh) return pageOfIds(driver, { limit, marker }, source);
    const startedAt = clock.now();
    const least = createLeast<Item>({ count: limit + 1, marker });
    await source.each((items) => least.add(items));
    if (source.isWhole) scannedAt.set(driver, scans.set(source.kind, startedAt));
    return least.items();
  }

  async function pageOfIds<Item extends { readonly id: string }>(
    { domainId }: DomainDriver,
    { limit, marker }: { readonly limit: number; readonly marker: string },
    { kind, byId }: Source<Item>,
  ): Promise<Item[]> {
    const found: Item[] = [];
    for (let after = marker; found.length <= limit;) {
      const wanted = Math.min(limit + 1 - found.length, MAX_MAPPINGS);
      const mappings = await mappingsBehind(database, { domainId, kind, after, limit: wanted });
      const last = mappings.at(-1);
      if (last === undefined) break;
      const items = await byId(mappings.map(({ localId }) => localId));
      found.push(...items.toSorted(byIds));
      after = last.publicId;
    }
    return found;
  }

  return {
    users(
      driver: DomainDriver,
      page: Page,
      { names, enabled, search }: ListConditions & { readonly enabled: boolean | undefined },
    ): Promise<User[]> {
      const reader = driver.reader();
      const accepts = (user: User) =>
        (enabled === undefined || user.enabled === enabled) && passesSearch(search, textsOf(user));
      return readPage(driver, page, {
        kind: "user",
        isWhole: names.length === 0 && enabled === undefined && search === undefined,
        each: (onItems) =>
          reader.eachUser(names, async (entries) =>
            onItems((await rows.usersFrom(driver, entries)).filter(accepts)),
          ),
        byId: async (localIds) => rows.knownUsers(driver, await reader.usersById(localIds)),
      });
    },

    groups(driver: DomainDriver, page: Page, { names, search }: ListConditions): Promise<ShownGroup[]> {
      const reader = driver.reader();
      return readPage(driver, page, {
        kind: "group",
        isWhole: names.length === 0 && search === undefined,
        each: (onItems) =>
          reader.eachGroup(names, async (entries) =>
            onItems(
              (await rows.groupsFrom(driver, entries)).filter((group) =>
                passesSearch(search, textsOf(group)),
              ),
            ),
          ),
        byId: async (localIds) => knownGroups(driver, await reader.groupsById(localIds)),
      });
    },
  };
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
