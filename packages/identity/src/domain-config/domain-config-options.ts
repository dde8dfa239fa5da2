/** The options of a domain's configuration: those of Keystone, which this service stores and returns. */
import { UnsupportedConfigError, type ConfigPath } from "./domain-config-errors.js";

/** Values by option, by group; of any JSON type. */
export type DomainConfig = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The options that are shown, with Keystone's defaults. */
export const DEFAULTS: DomainConfig = {
  identity: { driver: "sql", list_limit: null },
  ldap: {
    url: "ldap://localhost",
    user: null,
    suffix: "cn=example,cn=com",
    query_scope: "one",
    page_size: 0,
    alias_dereferencing: "default",
    debug_level: null,
    chase_referrals: null,
    user_tree_dn: null,
    user_filter: null,
    user_objectclass: "inetOrgPerson",
    user_id_attribute: "cn",
    user_name_attribute: "sn",
    user_mail_attribute: "mail",
    user_description_attribute: "description",
    user_pass_attribute: "userPassword",
    user_enabled_attribute: "enabled",
    user_enabled_invert: false,
    user_enabled_mask: 0,
    user_enabled_default: "True",
    user_attribute_ignore: ["default_project_id"],
    user_default_project_id_attribute: null,
    user_enabled_emulation: false,
    user_enabled_emulation_dn: null,
    user_enabled_emulation_use_group_config: false,
    user_additional_attribute_mapping: [],
    group_tree_dn: null,
    group_filter: null,
    group_objectclass: "groupOfNames",
    group_id_attribute: "cn",
    group_name_attribute: "ou",
    group_members_are_ids: false,
    group_member_attribute: "member",
    group_desc_attribute: "description",
    group_attribute_ignore: [],
    group_additional_attribute_mapping: [],
    tls_cacertfile: null,
    tls_cacertdir: null,
    use_tls: false,
    tls_req_cert: "demand",
    use_pool: true,
    pool_size: 10,
    pool_retry_max: 3,
    pool_retry_delay: 0.1,
    pool_connection_timeout: -1,
    pool_connection_lifetime: 600,
    use_auth_pool: true,
    auth_pool_size: 100,
    auth_pool_connection_lifetime: 60,
  },
};

/** Sealed, and never shown. */
export function isSensitive(group: string, option: string): boolean {
  return group === "ldap" && option === "password";
}

/** @throws {UnsupportedConfigError} The group or option is unknown. */
export function checkPath({ group, option }: ConfigPath): void {
  if (!Object.hasOwn(DEFAULTS, group))
    throw new UnsupportedConfigError(`Group ${group} is not supported for domain specific configurations.`);
  if (option === undefined || isSensitive(group, option)) return;
  if (!Object.hasOwn(DEFAULTS[group] ?? {}, option))
    throw new UnsupportedConfigError(
      `Option ${option} in group ${group} is not supported for domain specific configurations.`,
    );
}

/**
 * The configuration in the body of a request.
 *
 * @throws {UnsupportedConfigError} It is empty, or has an unknown group or option.
 */
export function parseConfig(given: unknown): DomainConfig {
  if (!isRecord(given) || Object.keys(given).length === 0)
    throw new UnsupportedConfigError("No options specified.");
  for (const [group, options] of Object.entries(given)) {
    checkPath({ group });
    if (!isRecord(options) || Object.keys(options).length === 0)
      throw new UnsupportedConfigError(
        `The value of group ${group} specified in the config should be a dictionary of options.`,
      );
    for (const option of Object.keys(options)) checkPath({ group, option });
  }
  return given as DomainConfig;
}

/**
 * The configuration in a request that changes one group or one option: that, and nothing else.
 *
 * @throws {UnsupportedConfigError}
 */
export function parsePart(given: unknown, { group, option }: ConfigPath): DomainConfig {
  checkPath({ group, option });
  const config = option === undefined ? given : { [group]: given };
  const [kind, name] = option === undefined ? ["group", group] : ["option", option];
  const names = isRecord(given) ? Object.keys(given) : [];
  if (names.length !== 1 || names[0] !== name)
    throw new UnsupportedConfigError(
      `Trying to update ${kind} ${name}, so that, and only that, ${kind} must be specified in the config.`,
    );
  return parseConfig(config);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
