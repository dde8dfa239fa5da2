/** What a directory is asked for: the LDAP filters of users and groups by id, by name, and by the conditions of lists. */
import type { ListFilter } from "../platform/http/lists/list-filters.js";
import type { EntrySettings } from "./directory-settings.js";
import { idValue, type NamedEntry } from "./entries.js";
import { allOf, contains, equals, isPresent, type Filter } from "./ldap/filter-objects.js";

/** All conditions on entries of a kind, with others. */
export function entryFilter(of: EntrySettings, ...more: readonly Filter[]): Filter {
  return allOf(
    ...(of.filter === undefined ? [] : [of.filter]),
    equals("objectClass", of.objectClass),
    isPresent(of.id),
    ...more,
  );
}

/** A condition on names. */
export type NameFilter = Pick<ListFilter, "comparator" | "ignoresCase" | "value">;

/** What the directory can decide of the conditions on names: it finds these and perhaps more. */
export function nameFilters(attribute: string, filters: readonly NameFilter[]): Filter[] {
  return filters.flatMap(({ comparator, value }) => {
    if (value === "") return [];
    if (comparator === "equals") return [equals(attribute, value)];
    // The directory folds blanks, which a substring may begin or end with.
    return value.trim() === "" ? [] : [contains(attribute, value, comparator)];
  });
}

/** As in Keystone, equality and comparisons without case are the directory's; others are decided here. */
export function passes(filters: readonly NameFilter[]): (entry: NamedEntry) => boolean {
  const own = filters.filter(({ comparator, ignoresCase }) => comparator !== "equals" && !ignoresCase);
  return ({ name }) => own.every(({ comparator, value }) => COMPARISONS[comparator](name, value));
}

const COMPARISONS: Readonly<Record<NameFilter["comparator"], (name: string, value: string) => boolean>> = {
  equals: (name, value) => name === value,
  contains: (name, value) => name.includes(value),
  startswith: (name, value) => name.startsWith(value),
  endswith: (name, value) => name.endsWith(value),
};

/** The entry of an id. */
export function idFilter({ id }: EntrySettings, localId: string): Filter {
  return equals(id, idValue(id, localId));
}
