/** Checks the directory of a domain step by step, as an operator would: connection, account, users, groups, a login. */
import type { DirectoryConfig } from "../domain-config/domain-config-service.js";
import { messageOf } from "../platform/errors.js";
import { createDirectoryReader } from "./directory-reader.js";
import { readDirectorySettings, type EntrySettings } from "./directory-settings.js";
import type { NamedEntry } from "./entries.js";
import { isPresent } from "./ldap/filter-objects.js";
import { createLdapDirectory } from "./ldap/ldap-directory.js";

/** What a step found, and which options to look at if it failed. */
export interface DirectoryFinding {
  readonly isFailure: boolean;
  readonly text: string;
}

/** Entries whose names are shown. */
const MAX_SHOWN = 3;

/** @param login A user who logs in at the end; none, if left out. */
export async function* checkDirectory(
  config: Pick<DirectoryConfig, "ldap" | "readPassword">,
  login?: { readonly name: string; readonly password: string },
): AsyncGenerator<DirectoryFinding> {
  const { connection, users, groups } = readDirectorySettings(config);
  const directory = createLdapDirectory(connection);
  const reader = createDirectoryReader(directory, { connection, users, groups });
  const as = connection.user === undefined ? "anonymously" : `as ${connection.user}`;
  try {
    for (const [option, { base }] of [["user_tree_dn", users] as const, ["group_tree_dn", groups] as const]) {
      const search = { base, scope: "base", filter: isPresent("objectClass"), attributes: ["1.1"] } as const;
      const [found] = await directory.search(search);
      yield found === undefined
        ? failure(`${base} does not exist, or may not be read ${as}: see ${option} and suffix`)
        : success(`${base} is read ${as} at ${connection.urls.join(", ")}`);
    }
    const people = await reader.users([]);
    yield describe("user", people, users);
    const disabled = people.filter(({ enabled }) => !enabled).length;
    if (disabled > 0) {
      const text = `${disabled} of ${people.length} users are disabled`;
      yield disabled === people.length
        ? failure(
            `${text}: see user_enabled_attribute, user_enabled_mask, user_enabled_invert and user_enabled_default`,
          )
        : success(text);
    }
    yield describe("group", await reader.groups([]), groups);
    if (login !== undefined) yield await checkLogin(reader, login);
  } catch (error) {
    yield failure(`${messageOf(error)}: see url, user, password, use_tls and tls_cacertfile`);
  } finally {
    directory.close();
  }
}

function describe(
  kind: "user" | "group",
  entries: readonly NamedEntry[],
  settings: EntrySettings,
): DirectoryFinding {
  if (entries.length === 0)
    return failure(
      `no ${kind}s below ${settings.base} with objectClass ${settings.objectClass}, ${settings.id} and ${settings.name}: see ` +
        `query_scope, and ${kind}_objectclass, ${kind}_id_attribute, ${kind}_name_attribute and ${kind}_filter`,
    );
  const shown = entries.slice(0, MAX_SHOWN).map(({ name, localId }) => `${name} (id ${localId})`);
  return success(`${entries.length} ${entries.length === 1 ? kind : `${kind}s`}: ${shown.join(", ")}`);
}

async function checkLogin(
  reader: ReturnType<typeof createDirectoryReader>,
  { name, password }: { readonly name: string; readonly password: string },
): Promise<DirectoryFinding> {
  const user = await reader.userByName(name);
  if (user === undefined) return failure(`login: no user is named ${name}`);
  const outcome = await reader.bindAs(user.dn, password);
  if (!outcome.isAccepted) return failure(`login as ${user.dn} is refused: ${outcome.reason}`);
  const memberships = await reader.groupsOf(user);
  return success(
    `login as ${user.dn} is accepted; groups: ${memberships.map((group) => group.name).join(", ") || "none"}`,
  );
}

const success = (text: string): DirectoryFinding => ({ isFailure: false, text });
const failure = (text: string): DirectoryFinding => ({ isFailure: true, text });
