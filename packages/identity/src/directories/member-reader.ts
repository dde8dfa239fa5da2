/** The members of a directory's groups, read in parts: a group may have more than fit into one search, or one turn of the event loop. */
import { setImmediate as nextTurn } from "node:timers/promises";

import type { Directory, DirectoryEntry } from "./directory.js";
import type { DirectorySettings } from "./directory-settings.js";
import { distinct, type GroupEntry, type UserEntry } from "./entries.js";
import { isNameWithin, nameKey, parseDn, dnKey } from "./ldap/distinguished-name.js";
import { inChain, isPresent, type Filter } from "./ldap/filter-objects.js";

export interface MemberReaderDeps extends Pick<DirectorySettings, "users" | "groups"> {
  readonly directory: Directory;
  /** Passes on the users that match, in pages. */
  readonly eachUser: (more: readonly Filter[], onUsers: OnUsers) => Promise<void>;
  readonly usersByValues: (attribute: string, values: readonly string[]) => Promise<UserEntry[]>;
  readonly userAt: (dn: string) => Promise<UserEntry[]>;
}

type OnUsers = (found: UserEntry[]) => Promise<void>;

/** Members of one search. */
export const MAX_VALUES = 50;
/** Reads of single entries at a time. */
const MAX_READS = 8;

export function createMemberReader(deps: MemberReaderDeps) {
  const { directory, users, groups, eachUser, usersByValues, userAt } = deps;
  const root = parseDn(users.base);

  /** The users with one of these DNs. Others, such as nested groups and entries elsewhere, are left out. */
  async function usersByDn(dns: readonly string[]): Promise<UserEntry[]> {
    const wanted = new Set<string>();
    const byAttribute = new Map<string, string[]>();
    const others: string[] = [];
    for (const dn of dns) {
      const name = parseDn(dn);
      const [rdn = []] = name ?? [];
      const [part] = rdn;
      if (name === undefined || part === undefined || !isNameWithin(name, root, users.scope)) continue;
      wanted.add(nameKey(name));
      if (rdn.length > 1 || part.value.startsWith("#")) others.push(dn);
      else byAttribute.set(part.type, [...(byAttribute.get(part.type) ?? []), part.value]);
    }
    const found: UserEntry[] = [];
    for (const [attribute, values] of byAttribute) {
      const isId = attribute === users.id.toLowerCase();
      found.push(...(await usersByValues(isId ? users.id : attribute, values)));
    }
    for (let at = 0; at < others.length; at += MAX_READS)
      found.push(...(await Promise.all(others.slice(at, at + MAX_READS).map(userAt))).flat());
    return found.filter(({ dn }) => wanted.has(dnKey(dn) ?? ""));
  }

  /** Passes on the members of a group, in parts; one may be in two of them. */
  async function eachMember({ dn, entry }: GroupEntry, onUsers: OnUsers): Promise<void> {
    if (groups.isNested) return eachUser([inChain("memberOf", dn)], (found) => onUsers(distinct(found)));
    const values = await readAllValues(directory, entry, groups.member);
    for (let at = 0; at < values.length; at += MAX_VALUES) {
      const some = values.slice(at, at + MAX_VALUES);
      const found = await (groups.membersAreIds ? usersByValues(users.id, some) : usersByDn(some));
      await onUsers(distinct(found));
      await nextTurn();
    }
  }

  return { eachMember };
}

/** All texts of an attribute, also where the server returns them in ranges (`member;range=0-1499`). */
export async function readAllValues(
  directory: Pick<Directory, "search">,
  entry: DirectoryEntry,
  attribute: string,
): Promise<string[]> {
  const values = textsIn(entry.valuesOf(attribute));
  let part = rangeIn(entry, attribute);
  while (part !== undefined) {
    for (const value of textsIn(part.values)) values.push(value);
    if (part.next === undefined) return values;
    const [next] = await directory.search({
      base: entry.dn,
      scope: "base",
      filter: isPresent("objectClass"),
      attributes: [`${attribute};range=${part.next}-*`],
      isList: true,
    });
    part = next && rangeIn(next, attribute);
  }
  return values;
}

interface Range {
  readonly values: readonly (string | Buffer)[];
  /** Where the next part begins; `undefined` for the last part. */
  readonly next: number | undefined;
}

function rangeIn(entry: DirectoryEntry, attribute: string): Range | undefined {
  const start = `${attribute.toLowerCase()};range=`;
  const name = entry.attributes.find((each) => each.startsWith(start));
  if (name === undefined) return undefined;
  const end = name.slice(start.length).split("-")[1] ?? "*";
  return { values: entry.valuesOf(name), next: end === "*" ? undefined : Number(end) + 1 };
}

function textsIn(values: readonly (string | Buffer)[]): string[] {
  return values.filter((value) => typeof value === "string");
}
