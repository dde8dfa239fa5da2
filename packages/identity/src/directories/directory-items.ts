/** Users and groups of directories as other features know them, and their lists. */
import type { MirroredGroup, ShownGroup } from "../groups/group.js";
import type { Moment } from "../platform/clock.js";
import type { ListQuery } from "../platform/database/table.js";
import { passesSearch } from "../platform/http/lists/list-order.js";
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
    isOfDirectory: true,
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

/** What the list's search looks into. */
export function textsOf({ id, name, extra }: Pick<User, "id" | "name" | "extra">): readonly unknown[] {
  return [id, name, extra["email"]];
}

/** A page of those that pass the search, in the order of ids, and one more item if there is another page. */
export function itemsOfPage<Item extends Pick<User, "id" | "name" | "extra">>(
  items: readonly Item[],
  { page: { limit, marker = "" }, search }: Pick<ListQuery, "page" | "search">,
): Item[] {
  const behind = items
    .filter((item) => item.id > marker && passesSearch(search, textsOf(item)))
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
  return limit === undefined ? behind : behind.slice(0, limit + 1);
}
