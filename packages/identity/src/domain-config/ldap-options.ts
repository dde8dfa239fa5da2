/** The options of the group `ldap` in a domain's configuration: Keystone's names, types and defaults. */

type OptionType =
  | { readonly kind: "text"; readonly isFilter?: boolean }
  | { readonly kind: "urls" }
  | { readonly kind: "choice"; readonly of: readonly string[] }
  | { readonly kind: "boolean" }
  | { readonly kind: "whole"; readonly from: number }
  | { readonly kind: "number" }
  | { readonly kind: "list" };

interface Option {
  readonly type: OptionType;
  readonly standard: unknown;
}

const textOption = (standard: string | null = null): Option => ({ type: { kind: "text" }, standard });
const filter = (): Option => ({ type: { kind: "text", isFilter: true }, standard: null });
const flag = (standard: boolean | null): Option => ({ type: { kind: "boolean" }, standard });
const whole = (standard: number | null, from: number): Option => ({
  type: { kind: "whole", from },
  standard,
});
const list = (...standard: string[]): Option => ({ type: { kind: "list" }, standard });
const choice = (standard: string, ...of: string[]): Option => ({ type: { kind: "choice", of }, standard });

/** In the order in which they are shown. */
export const LDAP_OPTIONS = {
  url: { type: { kind: "urls" }, standard: "ldap://localhost" },
  user: textOption(),
  suffix: textOption("cn=example,cn=com"),
  query_scope: choice("one", "one", "sub"),
  page_size: whole(0, 0),
  alias_dereferencing: choice("default", "never", "searching", "always", "finding", "default"),
  debug_level: whole(null, -1),
  chase_referrals: flag(null),
  user_tree_dn: textOption(),
  user_filter: filter(),
  user_objectclass: textOption("inetOrgPerson"),
  user_id_attribute: textOption("cn"),
  user_name_attribute: textOption("sn"),
  user_mail_attribute: textOption("mail"),
  user_description_attribute: textOption("description"),
  user_pass_attribute: textOption("userPassword"),
  user_enabled_attribute: textOption("enabled"),
  user_enabled_invert: flag(false),
  user_enabled_mask: whole(0, 0),
  user_enabled_default: textOption("True"),
  user_attribute_ignore: list("default_project_id"),
  user_default_project_id_attribute: textOption(),
  user_enabled_emulation: flag(false),
  user_enabled_emulation_dn: textOption(),
  user_enabled_emulation_use_group_config: flag(false),
  user_additional_attribute_mapping: list(),
  group_tree_dn: textOption(),
  group_filter: filter(),
  group_objectclass: textOption("groupOfNames"),
  group_id_attribute: textOption("cn"),
  group_name_attribute: textOption("ou"),
  group_members_are_ids: flag(false),
  group_member_attribute: textOption("member"),
  group_desc_attribute: textOption("description"),
  group_attribute_ignore: list(),
  group_additional_attribute_mapping: list(),
  tls_cacertfile: textOption(),
  tls_cacertdir: textOption(),
  use_tls: flag(false),
  tls_req_cert: choice("demand", "demand", "never", "allow"),
  use_pool: flag(true),
  pool_size: whole(10, 1),
  pool_retry_max: whole(3, 1),
  pool_retry_delay: { type: { kind: "number" }, standard: 0.1 },
  pool_connection_timeout: whole(-1, -1),
  pool_connection_lifetime: whole(600, 1),
  use_auth_pool: flag(true),
  auth_pool_size: whole(100, 1),
  auth_pool_connection_lifetime: whole(60, 1),
} as const satisfies Record<string, Option>;

/** Options that Keystone reads from its files alone, so that its defaults don't show them. */
export const HIDDEN_LDAP_OPTIONS = {
  group_ad_nesting: flag(false),
  connection_timeout: whole(-1, -1),
  randomize_urls: flag(false),
} as const satisfies Record<string, Option>;

const ALL: Readonly<Record<string, Option>> = { ...LDAP_OPTIONS, ...HIDDEN_LDAP_OPTIONS };

/** The values of all options: those that are set, converted to their type, and defaults. */
export type LdapOptions = {
  readonly [Name in keyof typeof LDAP_OPTIONS | keyof typeof HIDDEN_LDAP_OPTIONS]: unknown;
};

/**
 * Why a value is invalid; `undefined` if it is valid. An unset option may be `null`, if it has no default.
 *
 * @param filterFault Why the text of a filter is invalid; its brackets alone are checked, if left out.
 */
export function optionFault(
  name: string,
  value: unknown,
  filterFault: (text: string) => string | undefined = bracketFault,
): string | undefined {
  if (name === "password") return typeof value === "string" || value === null ? undefined : "expected a text";
  const option = ALL[name];
  if (option === undefined || (value === null && option.standard === null)) return undefined;
  const { type } = option;
  switch (type.kind) {
    case "text": {
      if (typeof value !== "string") return "expected a text";
      return type.isFilter === true && value !== "" ? filterFault(value) : undefined;
    }
    case "urls":
      return typeof value === "string" && urlsIn(value).length > 0 && urlsIn(value).every(isLdapUrl)
        ? undefined
        : "expected URLs such as ldaps://ldap.example.org, with ldap or ldaps, separated by commas";
    case "choice":
      return type.of.includes(String(value).toLowerCase())
        ? undefined
        : `expected one of ${type.of.join(", ")}`;
    case "boolean":
      return readBoolean(value) === undefined ? "expected true or false" : undefined;
    case "whole": {
      const number = readNumber(value);
      return number !== undefined && Number.isInteger(number) && number >= type.from
        ? undefined
        : `expected a whole number from ${type.from}`;
    }
    case "number":
      return readNumber(value) === undefined ? "expected a number" : undefined;
    case "list":
    default:
      return typeof value === "string" ||
        (Array.isArray(value) && value.every((each) => typeof each === "string"))
        ? undefined
        : "expected a list of texts";
  }
}

/** All options with their types: invalid ones count as not set. */
export function readLdapOptions(given: Readonly<Record<string, unknown>>): LdapOptions {
  const entries = Object.entries(ALL).map(([name, { type, standard }]) => {
    const value = given[name];
    const isSet = value !== undefined && value !== null && optionFault(name, value) === undefined;
    return [name, isSet ? converted(value, type) : standard];
  });
  return Object.fromEntries(entries) as LdapOptions;
}

function converted(value: unknown, { kind }: OptionType): unknown {
  if (kind === "boolean") return readBoolean(value);
  if (kind === "whole" || kind === "number") return readNumber(value);
  if (kind === "choice") return String(value).toLowerCase();
  if (kind === "list" && typeof value === "string")
    return value
      .split(",")
      .map((each) => each.trim())
      .filter((each) => each !== "");
  return value;
}

export function urlsIn(value: string): string[] {
  return value.split(/[\s,]+/).filter((url) => url !== "");
}

function isLdapUrl(url: string): boolean {
  return /^ldaps?:\/\/(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?\/?$/i.test(url);
}

function readBoolean(value: unknown): boolean | undefined {
  const given = String(value).toLowerCase();
  if (["true", "1", "yes", "on"].includes(given)) return true;
  return ["false", "0", "no", "off"].includes(given) ? false : undefined;
}

function readNumber(value: unknown): number | undefined {
  const given = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof given === "number" && Number.isFinite(given) ? given : undefined;
}

/** Whether brackets enclose a filter, and each is closed; the rest of its syntax is checked by `ldap-filter.ts`. */
export function bracketFault(text: string): string | undefined {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    if (text[index] === "(") depth++;
    else if (text[index] === ")") depth--;
    if (depth <= 0 && index < text.length - 1)
      return "expected an LDAP filter: a filter is in brackets, such as (employeeType=staff)";
  }
  return depth !== 0 || text === "" ? "expected an LDAP filter: a bracket is not closed" : undefined;
}
