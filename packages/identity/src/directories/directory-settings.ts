/** The options of a domain's configuration as settings of its directory. */
import type { DirectoryConfig } from "../domain-config/domain-config-service.js";
import { parseFilter } from "../domain-config/ldap-filter.js";
import { readLdapOptions, urlsIn, type LdapOptions } from "../domain-config/ldap-options.js";
import type { Filter } from "./ldap/filter-objects.js";
import type { LdapConnectionSettings } from "./ldap/ldap-directory.js";

/** Where entries of one kind are, and which of their attributes mean what. */
export interface EntrySettings {
  readonly base: string;
  readonly scope: "one" | "sub";
  readonly filter: Filter | undefined;
  readonly objectClass: string;
  readonly id: string;
  readonly name: string;
  /** `undefined` for attributes that are ignored. */
  readonly description: string | undefined;
}

export interface UserSettings extends EntrySettings {
  readonly mail: string | undefined;
  readonly defaultProject: string | undefined;
  readonly enabled: EnabledSettings;
}

/** How the directory says that a user is enabled. */
export type EnabledSettings =
  | { readonly kind: "always" }
  | {
      readonly kind: "boolean";
      readonly attribute: string;
      readonly isInverted: boolean;
      readonly standard: string;
    }
  | { readonly kind: "mask"; readonly attribute: string; readonly mask: number; readonly standard: number }
  | {
      readonly kind: "group";
      /** The group whose members are enabled. */
      readonly dn: string;
      readonly objectClass: string;
      readonly member: string;
      readonly membersAreIds: boolean;
    };

export interface GroupSettings extends EntrySettings {
  readonly member: string;
  readonly membersAreIds: boolean;
  /** Whether members of nested groups count, by Active Directory's rule. */
  readonly isNested: boolean;
}

export interface DirectorySettings {
  readonly connection: LdapConnectionSettings;
  readonly users: UserSettings;
  readonly groups: GroupSettings;
}

/** Connecting to a server, where the configuration sets no time. */
const CONNECT_MS = 2000;

const ALIASES = {
  never: "never",
  always: "always",
  searching: "search",
  finding: "find",
  default: undefined,
} as const;

export function readDirectorySettings(
  config: Pick<DirectoryConfig, "ldap" | "readPassword">,
): DirectorySettings {
  const password = config.readPassword();
  const options = readLdapOptions(withPassword(config.ldap, password));
  return { connection: connectionOf(options, password), users: usersOf(options), groups: groupsOf(options) };
}

/** As in Keystone, `%(password)s` in an option stands for the password. */
function withPassword(ldap: DirectoryConfig["ldap"], password: string | undefined): DirectoryConfig["ldap"] {
  if (password === undefined) return ldap;
  return Object.fromEntries(
    Object.entries(ldap).map(([name, value]) => [
      name,
      typeof value === "string" ? value.replaceAll("%(password)s", () => password) : value,
    ]),
  );
}

function connectionOf(options: LdapOptions, password: string | undefined): LdapConnectionSettings {
  const usesPool = options.use_pool === true;
  const seconds = Number(usesPool ? options.pool_connection_timeout : options.connection_timeout);
  return {
    urls: urlsIn(String(options.url)).map((url) => url.replace(/\/$/, "")),
    isShuffled: options.randomize_urls === true,
    user: textOf(options.user),
    password,
    usesStartTls: options.use_tls === true,
    caFile: textOf(options.tls_cacertfile),
    caFolder: textOf(options.tls_cacertdir),
    verifiesCertificate: options.tls_req_cert === "demand",
    pageSize: Number(options.page_size),
    aliases: ALIASES[options.alias_dereferencing as keyof typeof ALIASES],
    poolSize: Number(options.pool_size),
    poolLifetimeMs: usesPool ? Number(options.pool_connection_lifetime) * 1000 : 60_000,
    connectTimeoutMs: seconds > 0 ? Math.min(seconds * 1000, CONNECT_MS) : CONNECT_MS,
  };
}

function usersOf(options: LdapOptions): UserSettings {
  const ignored = listOf(options.user_attribute_ignore);
  const unless = (name: string, attribute: unknown) => (ignored.has(name) ? undefined : textOf(attribute));
  return {
    base: textOf(options.user_tree_dn) ?? below("ou=Users", options),
    scope: options.query_scope === "sub" ? "sub" : "one",
    filter: filterOf(options.user_filter),
    objectClass: String(options.user_objectclass),
    id: String(options.user_id_attribute),
    name: String(options.user_name_attribute),
    description: unless("description", options.user_description_attribute),
    mail: unless("email", options.user_mail_attribute),
    defaultProject: unless("default_project_id", options.user_default_project_id_attribute),
    enabled: ignored.has("enabled") ? { kind: "always" } : enabledOf(options),
  };
}

function enabledOf(options: LdapOptions): EnabledSettings {
  const attribute = String(options.user_enabled_attribute);
  const standard = String(options.user_enabled_default);
  if (options.user_enabled_emulation === true) {
    const usesGroups = options.user_enabled_emulation_use_group_config === true;
    return {
      kind: "group",
      dn:
        textOf(options.user_enabled_emulation_dn) ??
        `cn=enabled_users,${textOf(options.user_tree_dn) ?? below("ou=Users", options)}`,
      objectClass: usesGroups ? String(options.group_objectclass) : "groupOfNames",
      member: usesGroups ? String(options.group_member_attribute) : "member",
      membersAreIds: usesGroups && options.group_members_are_ids === true,
    };
  }
  const mask = Number(options.user_enabled_mask);
  if (mask > 0) {
    // `True` is the default of the option, and no number.
    const number = Number.parseInt(standard, 10);
    return { kind: "mask", attribute, mask, standard: Number.isNaN(number) ? 0 : number };
  }
  return { kind: "boolean", attribute, isInverted: options.user_enabled_invert === true, standard };
}

function groupsOf(options: LdapOptions): GroupSettings {
  const ignored = listOf(options.group_attribute_ignore);
  return {
    base: textOf(options.group_tree_dn) ?? below("ou=UserGroups", options),
    scope: options.query_scope === "sub" ? "sub" : "one",
    filter: filterOf(options.group_filter),
    objectClass: String(options.group_objectclass),
    id: String(options.group_id_attribute),
    name: String(options.group_name_attribute),
    description: ignored.has("description") ? undefined : textOf(options.group_desc_attribute),
    member: String(options.group_member_attribute),
    membersAreIds: options.group_members_are_ids === true,
    isNested: options.group_ad_nesting === true,
  };
}

function below(name: string, { suffix }: LdapOptions): string {
  return `${name},${String(suffix)}`;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function listOf(value: unknown): ReadonlySet<string> {
  return new Set(Array.isArray(value) ? value.map(String) : []);
}

/** Checked when it was stored. */
function filterOf(value: unknown): Filter | undefined {
  const text = textOf(value);
  return text === undefined ? undefined : parseFilter(text);
}
