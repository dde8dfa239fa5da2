/** The directory of the default domain, by settings: Keystone's `[identity] driver = ldap` with the options of its group `[ldap]`. */
import { oneOf, text, type Option, type Options, type ValuesOf } from "../platform/option-parsers.js";
import { readFileOfSetting } from "../platform/readable-file.js";
import { HIDDEN_LDAP_OPTIONS, LDAP_OPTIONS, optionFault, type LdapOptions } from "./ldap-options.js";

/** What each option means. Others have no effect, or are for files that Keystone writes. */
const MEANINGS = {
  url: "servers of the directory, separated by commas, in the order in which they are tried",
  randomize_urls: "try the servers in an order of each process's own",
  user: "DN of the account that searches; anonymous, if left out",
  suffix: "DN below which the trees are that no other option names",
  query_scope: "whether entries are directly below their tree (one) or at any depth (sub)",
  page_size: "entries of a page (RFC 2696); 0 for pages only where the server limits searches",
  alias_dereferencing: "when aliases are followed",
  user_tree_dn: "DN below which users are; ou=Users below the suffix by default",
  user_filter: "filter that users have to match, in brackets",
  user_objectclass: "object class of users",
  user_id_attribute: "attribute of which the id is made: its values may never change or be used again",
  user_name_attribute: "attribute with the name of a user",
  user_description_attribute: "attribute with the description of a user",
  user_mail_attribute: "attribute with the email address of a user",
  user_enabled_attribute: "attribute that says whether a user is enabled",
  user_enabled_invert: "the attribute says that a user is disabled",
  user_enabled_mask:
    "bit of the attribute that says that a user is disabled, such as 2 of userAccountControl; 0 for none",
  user_enabled_default: "value of users without the attribute",
  user_attribute_ignore: "members of users that are left out",
  user_default_project_id_attribute: "attribute with the id of a user's default project",
  user_enabled_emulation: "users are enabled who are members of a group",
  user_enabled_emulation_dn: "that group; cn=enabled_users below the tree of users by default",
  user_enabled_emulation_use_group_config: "that group has the object class and members of other groups",
  group_tree_dn: "DN below which groups are; ou=UserGroups below the suffix by default",
  group_filter: "filter that groups have to match, in brackets",
  group_objectclass: "object class of groups",
  group_id_attribute: "attribute of which the id of a group is made",
  group_name_attribute: "attribute with the name of a group",
  group_member_attribute: "attribute with the members of a group",
  group_members_are_ids: "members are ids, as in posixGroup, and no DNs",
  group_desc_attribute: "attribute with the description of a group",
  group_attribute_ignore: "members of groups that are left out",
  group_ad_nesting: "members of nested groups count, by Active Directory's rule",
  tls_cacertfile: "file of trusted certificates, in PEM; those of the system by default",
  tls_cacertdir: "folder of trusted certificates, in PEM",
  use_tls: "use STARTTLS with ldap:// URLs",
  tls_req_cert: "whether the server's certificate is verified (demand)",
  connection_timeout: "seconds to connect without a pool; 2 at most",
  use_pool: "keep connections of the account that searches",
  pool_size: "maximum of these connections, per process",
  pool_connection_timeout: "seconds to connect with a pool; 2 at most",
  pool_connection_lifetime: "seconds after which such a connection is replaced",
} as const satisfies Partial<Record<keyof LdapOptions, string>>;

type Name = keyof typeof MEANINGS;

const DECLARED = { ...LDAP_OPTIONS, ...HIDDEN_LDAP_OPTIONS };

/** By the names of Keystone's options. */
type LdapSettings = Readonly<Record<Name, Option<string>>>;

export const DEFAULT_DIRECTORY_OPTIONS = {
  driver: {
    name: "IDENTITY_DRIVER",
    parser: oneOf("sql", "ldap"),
    help: "where users and groups of the default domain are, unless it has a configuration: in the database (sql), or in the directory of the settings IDENTITY_LDAP_... (ldap)",
    standard: "sql",
  },
  password: {
    name: "IDENTITY_LDAP_PASSWORD",
    parser: text("a text"),
    help: "password of the account that searches",
    isSecret: true,
  },
  passwordFile: {
    name: "IDENTITY_LDAP_PASSWORD_FILE",
    parser: text("the path of a file"),
    help: "file with that password",
  },
  ...(Object.fromEntries(
    Object.entries(MEANINGS).map(([name, help]) => [name, settingOf(name as Name, help)]),
  ) as LdapSettings),
} satisfies Options;

export type DefaultDirectorySettings = ValuesOf<typeof DEFAULT_DIRECTORY_OPTIONS>;

/** The options of the default directory, as those of a domain's configuration. */
export interface DefaultDirectory {
  readonly ldap: Readonly<Record<string, unknown>>;
  /** @throws {Error} The file can't be read. */
  readonly readPassword: () => string | undefined;
}

/** `undefined` if the users of the default domain are in the database. */
export function defaultDirectoryOf(settings: DefaultDirectorySettings): DefaultDirectory | undefined {
  if (settings.driver !== "ldap") return undefined;
  const set = Object.keys(MEANINGS).map((name) => [name, settings[name as Name]] as const);
  const { password, passwordFile: file } = settings;
  return {
    ldap: Object.fromEntries(set.filter(([, value]) => value !== undefined)),
    readPassword: () => password ?? (file === undefined ? undefined : passwordIn(file)),
  };
}

function passwordIn(file: string): string {
  try {
    return readFileOfSetting(file).replace(/\r?\n$/, "");
  } catch (cause) {
    throw new Error(`${file} (IDENTITY_LDAP_PASSWORD_FILE) ${(cause as Error).message}`, { cause });
  }
}

function settingOf(name: Name, help: string): Option<string> {
  const { type, standard } = DECLARED[name];
  const fault = (given: string) => optionFault(name, given);
  return {
    name: `IDENTITY_LDAP_${name.toUpperCase()}`,
    parser: {
      expected: expectedOf(type),
      parse: (given) => (fault(given) === undefined ? given : undefined),
    },
    help,
    ...(standard !== null && { standard: standardText(standard) }),
  };
}

function standardText(standard: unknown): string {
  if (typeof standard === "boolean") return standard ? "on" : "off";
  return Array.isArray(standard) ? standard.join(",") : String(standard);
}

function expectedOf(type: (typeof DECLARED)[Name]["type"]): string {
  switch (type.kind) {
    case "text":
      return "isFilter" in type && type.isFilter ? "an LDAP filter in brackets" : "a text";
    case "urls":
      return "a list of URLs such as ldaps://ldap.example.org";
    case "choice":
      return `one of ${type.of.join(", ")}`;
    case "boolean":
      return "on or off";
    case "whole":
      return `a whole number from ${type.from}`;
    default:
      return "a list of texts, separated by commas";
  }
}
