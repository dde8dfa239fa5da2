/** What a reader asks of a directory, over one in memory: members in ranges, nested groups, users enabled by a group. */
import { describe, expect, it } from "vitest";

import { createDirectoryReader } from "../../src/directories/directory-reader.js";
import type { UserEntry } from "../../src/directories/entries.js";
import { readDirectorySettings } from "../../src/directories/directory-settings.js";
import type { Directory, DirectoryEntry, DirectorySearch } from "../../src/directories/directory.js";

type Attributes = Readonly<Record<string, string[]>>;

function entry(dn: string, values: Attributes): DirectoryEntry {
  const byName = new Map(Object.entries(values).map(([name, list]) => [name.toLowerCase(), list]));
  return { dn, attributes: [...byName.keys()], valuesOf: (name) => byName.get(name.toLowerCase()) ?? [] };
}

const person = (uid: string) => entry(`uid=${uid},ou=People,dc=test`, { uid: [uid] });

/** A directory that gives these entries for a search. */
function directoryOf(answer: (search: DirectorySearch) => DirectoryEntry[]) {
  const searches: DirectorySearch[] = [];
  const search = async (wanted: DirectorySearch) => {
    searches.push(wanted);
    return answer(wanted);
  };
  const directory: Directory = {
    search,
    searchPages: async (wanted, onPage) => onPage(await search(wanted)),
    bindAs: async () => ({ isAccepted: true }),
    use: () => ({ used: 0, idle: 0, waiting: 0 }),
    close: () => {},
  };
  return { directory, searches };
}

function readerOf(directory: Directory, ldap: Readonly<Record<string, unknown>> = {}) {
  const settings = readDirectorySettings({
    ldap: {
      user_tree_dn: "ou=People,dc=test",
      user_id_attribute: "uid",
      user_name_attribute: "uid",
      group_tree_dn: "ou=Groups,dc=test",
      group_name_attribute: "cn",
      ...ldap,
    },
    readPassword: () => undefined,
  });
  return createDirectoryReader(directory, settings);
}

async function membersIn(reader: ReturnType<typeof readerOf>, name: string): Promise<UserEntry[]> {
  const members: UserEntry[] = [];
  const group = await reader.groupById(name, { withMembers: true });
  if (group !== undefined) await reader.eachMember(group, async (found) => void members.push(...found));
  return members;
}

/** The values that a filter compares `uid` with. */
const uidsIn = ({ filter }: DirectorySearch) =>
  Array.from(filter.toString().matchAll(/\(uid=([a-z0-9]+)\)/g), ([, uid = ""]) => uid);

describe("the members of a group", () => {
  // As Active Directory returns more than 1,500 (MS-ADTS 3.1.1.3.1.3.3, range retrieval of attribute values).
  it("are read in ranges, as long as the server gives another one", async () => {
    const dns = ["a", "b", "c", "d", "e"].map((uid) => `uid=${uid},ou=People,dc=test`);
    const parts: Record<string, Attributes> = {
      member: { "member;range=0-1": dns.slice(0, 2) },
      "member;range=2-*": { "member;range=2-3": dns.slice(2, 4) },
      "member;range=4-*": { "member;range=4-*": dns.slice(4) },
    };
    const dn = "cn=large,ou=Groups,dc=test";
    const { directory, searches } = directoryOf((search) => {
      const part = search.attributes.find((name) => name in parts);
      if (part === undefined) return uidsIn(search).map(person);
      return [entry(dn, { cn: ["large"], ...parts[part] })];
    });
    const reader = readerOf(directory);
    const members = await membersIn(reader, "large");
    expect(members.map(({ localId }) => localId)).toEqual(["a", "b", "c", "d", "e"]);
    expect(searches.filter(({ base }) => base === dn).map(({ attributes }) => attributes)).toEqual([
      ["member;range=2-*"],
      ["member;range=4-*"],
    ]);
  });

  // One statement of SQL can't write the same row twice.
  it("are each once in a part, also if the group names one by several DNs or the directory has several of an id", async () => {
    const dns = ["uid=a,ou=People,dc=test", "UID=A, ou=People, dc=test", "uid=b,ou=People,dc=test"];
    const { directory } = directoryOf((search) =>
      search.base.startsWith("ou=Groups")
        ? [entry("cn=odd,ou=Groups,dc=test", { cn: ["odd"], member: dns })]
        : [person("a"), person("b"), entry("uid=a,ou=Staff,ou=People,dc=test", { uid: ["a"] }), person("a")],
    );
    const members = await membersIn(readerOf(directory, { query_scope: "sub" }), "odd");
    expect(members.map(({ localId }) => localId)).toEqual(["a", "b"]);
  });

  it("are those of nested groups by Active Directory's rule, in both directions", async () => {
    const { directory, searches } = directoryOf(({ base }) =>
      base.startsWith("ou=People") ? [person("a")] : [entry("cn=top,ou=Groups,dc=test", { cn: ["top"] })],
    );
    const reader = readerOf(directory, { group_ad_nesting: true });
    const [member] = await membersIn(reader, "top");
    expect(member?.localId).toBe("a");
    const groups = member === undefined ? [] : await reader.groupsOf(member);
    expect(groups.map(({ name }) => name)).toEqual(["top"]);
    const filters = searches.map(({ filter }) => filter.toString());
    expect(filters[1]).toContain("(memberOf:1.2.840.113556.1.4.1941:=cn=top,ou=Groups,dc=test)");
    expect(filters[2]).toContain("(member:1.2.840.113556.1.4.1941:=uid=a,ou=People,dc=test)");
  });
});

describe("users who are enabled by a group", () => {
  const options = { user_enabled_emulation: true, user_enabled_emulation_dn: "cn=enabled,dc=test" };

  it("are compared with its members, which are read once for a list", async () => {
    const { directory, searches } = directoryOf(({ base }) =>
      base === "cn=enabled,dc=test"
        ? [entry(base, { member: ["UID=A, ou=people,dc=test", "uid=nobody,dc=test"] })]
        : [person("a"), person("b"), person("c")],
    );
    const users = await readerOf(directory, options).users([]);
    expect(users.map(({ localId, enabled }) => [localId, enabled])).toEqual([
      ["a", true],
      ["b", false],
      ["c", false],
    ]);
    expect(searches.filter(({ base }) => base === "cn=enabled,dc=test")).toHaveLength(1);
  });

  it("are found in it one by one without reading all members", async () => {
    const { directory, searches } = directoryOf(({ base }) =>
      base === "cn=enabled,dc=test" ? [] : [person("a")],
    );
    expect(await readerOf(directory, options).userByName("a")).toMatchObject({ enabled: false });
    expect(searches.at(-1)).toMatchObject({ base: "cn=enabled,dc=test", scope: "base", attributes: ["1.1"] });
    expect(searches.at(-1)?.filter.toString()).toContain("(member=uid=a,ou=People,dc=test)");
  });
});
