/** Users and groups of directories as other features know them, and their lists. */
import type { MirroredGroup, ShownGroup } from "../groups/group.js";
import type { Moment } from "../platform/clock.js";
import type { ListQuery } from "../platform/database/table.js";
import { passesFilter, type ListFilter } from "../platform/http/lists/list-filters.js";
import type { User } from "../users/user-store.js";
import type { GroupEntry, UserEntry } from "./entries.js";

export function userOfEntry(domainId: string, id: string, entry: UserEntry, now: Moment): User {
  const { name, enabled, description, email, defaultProjectId } = entry;
  return {
    id,
    name,
    domainId,
    enabled,
    defaultProjectId: defaultProjectId ?? null,
    options: {},
    extra: { ...(description !== undefined && { description }), ...(email !== undefined && { email }) },
    createdAt: now,
    lastActiveAt: null,
    passwordExpiresAt: null,
  };
}

export function groupOfEntry(domainId: string, id: string, { name, description }: GroupEntry): ShownGroup {
  return { id, name, domainId, ...(description !== undefined && { description }), extra: {} };
}

export function toMirror({ id, name, domainId, description = null }: ShownGroup): MirroredGroup {
  return { id, name, domainId, description };
}

export function passesAll(filters: readonly ListFilter[], { ignoresCase = false } = {}) {
  return ({ name }: { readonly name: string }): boolean =>
    filters.every((filter) => passesFilter(ignoresCase ? { ...filter, ignoresCase: true } : filter, name));
}

/** A page in the order of ids, and one more item if there is another page. */
export function itemsOfPage<Item extends { readonly id: string }>(
  items: readonly Item[],
  { limit, marker }: ListQuery["page"],
): Item[] {
  const sorted = items.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const behind = marker === undefined ? sorted : sorted.filter(({ id }) => id > marker);
  return limit === undefined ? behind : behind.slice(0, limit + 1);
}
