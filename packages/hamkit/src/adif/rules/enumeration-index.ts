/** Entries of enumerations by their code, without regard to case. */
import { ENUMERATIONS } from "../tables/generated/enumeration-table.js";
import type { AdifEnumerationEntry, AdifEnumerationName } from "../tables/table-types.js";

/** Entries by code in upper case; several if the enumeration is scoped by another field. */
export type EnumerationIndex = ReadonlyMap<string, readonly AdifEnumerationEntry[]>;

const indexes = /* @__PURE__ */ new Map<AdifEnumerationName, EnumerationIndex>();

/** The index of an enumeration, built on first use. */
export function enumerationIndex(name: AdifEnumerationName): EnumerationIndex {
  const known = indexes.get(name);
  if (known !== undefined) return known;
  const index = new Map<string, AdifEnumerationEntry[]>();
  for (const entry of ENUMERATIONS[name]) {
    const code = entry.code.toUpperCase();
    const entries = index.get(code);
    if (entries === undefined) index.set(code, [entry]);
    else entries.push(entry);
  }
  indexes.set(name, index);
  return index;
}

/** The first entry with a code. */
export function entryOf(name: AdifEnumerationName, code: string): AdifEnumerationEntry | undefined {
  return enumerationIndex(name).get(code.toUpperCase())?.[0];
}

/** Whether a name is that of an enumeration with entries. */
export function isEnumeration(name: string | undefined): name is AdifEnumerationName {
  return name !== undefined && Object.hasOwn(ENUMERATIONS, name);
}
