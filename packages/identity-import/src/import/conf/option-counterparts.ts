/** What the options of keystone.conf become: settings of this service, or an entry of the report. */
import { ALL_OPTIONS } from "@hamkit/identity/import-support/command-line";

/** An option whose setting has another name or unit. */
export interface OptionCounterpart {
  readonly group: string;
  readonly name: string;
  /** The setting. */
  readonly setting: string;
  /** The value of the setting; `undefined` if the setting is left out. The same text, if left out. */
  readonly convert?: (value: string) => string | undefined;
  /** Whether the option may be repeated: its values are joined by commas. */
  readonly isRepeated?: true;
}

/** An option that has no counterpart. */
export interface OptionWithoutCounterpart {
  readonly group: string;
  readonly name: string;
  /** Whether a value changes what Keystone does; any value, if left out. */
  readonly matters?: (value: string) => boolean;
  readonly reason: string;
}

/** A setting of this service that follows from an option. */
export interface KeystoneSetting {
  /** `[token] expiration` */
  readonly option: string;
  /** `IDENTITY_TOKEN_LIFETIME` */
  readonly setting: string;
  readonly value: string;
}

/** An option, or a file, that has no counterpart here. */
export interface UnsupportedOption {
  readonly option: string;
  readonly reason: string;
}

/** A boolean of oslo.config. */
export function isOptionTrue(value: string): boolean {
  return /^(?:true|1|on|yes)$/i.test(value.trim());
}

const onOrOff = (value: string) => (isOptionTrue(value) ? "on" : "off");
/** Keystone's limits are -1 where there is none. */
const limit = (value: string) => (Number(value) < 0 ? undefined : value);
const minutes = (value: string) => String(Number(value) * 60);
const isFalse = (value: string) => !isOptionTrue(value);
const isOther = (expected: string) => (value: string) => value.trim() !== expected;

/** The kinds of new password hashes, by Keystone's names. */
const HASH_KINDS: Readonly<Record<string, string>> = {
  bcrypt: "bcrypt",
  bcrypt_sha256: "bcrypt",
  scrypt: "scrypt",
};

/** In `[security_compliance]` under other names here. */
const SECURITY_COMPLIANCE = {
  lockout_failure_attempts: "IDENTITY_LOCKOUT_ATTEMPTS",
  lockout_duration: "IDENTITY_LOCKOUT_SECONDS",
  disable_user_account_days_inactive: "IDENTITY_INACTIVE_DAYS",
  password_expires_days: "IDENTITY_PASSWORD_EXPIRES_DAYS",
  unique_last_password_count: "IDENTITY_PASSWORD_HISTORY",
  minimum_password_age: "IDENTITY_PASSWORD_MINIMUM_AGE_DAYS",
  password_regex: "IDENTITY_PASSWORD_REGEX",
  password_regex_description: "IDENTITY_PASSWORD_REGEX_DESCRIPTION",
};

const SAML = {
  idp_entity_id: "IDENTITY_SAML_ENTITY_ID",
  assertion_expiration_time: "IDENTITY_SAML_ASSERTION_LIFETIME",
  idp_organization_name: "IDENTITY_SAML_ORGANIZATION_NAME",
  idp_organization_display_name: "IDENTITY_SAML_ORGANIZATION_DISPLAY_NAME",
  idp_organization_url: "IDENTITY_SAML_ORGANIZATION_URL",
  idp_contact_type: "IDENTITY_SAML_CONTACT_TYPE",
  idp_contact_company: "IDENTITY_SAML_CONTACT_COMPANY",
  idp_contact_name: "IDENTITY_SAML_CONTACT_NAME",
  idp_contact_surname: "IDENTITY_SAML_CONTACT_SURNAME",
  idp_contact_email: "IDENTITY_SAML_CONTACT_EMAIL",
  idp_contact_telephone: "IDENTITY_SAML_CONTACT_TELEPHONE",
};

const LDAP_PREFIX = "IDENTITY_LDAP_";
/** Settings of that prefix that are no options of Keystone's, or a secret, which no report has. */
const OTHER_LDAP_SETTINGS = new Set(["RECHECK", "PASSWORD", "PASSWORD_FILE"]);

/** The options of the default directory, which have the same names here. */
const LDAP = ALL_OPTIONS.filter(({ name }) => name.startsWith(LDAP_PREFIX))
  .map(({ name: setting }) => ({ setting, option: setting.slice(LDAP_PREFIX.length) }))
  .filter(({ option }) => !OTHER_LDAP_SETTINGS.has(option))
  .map(({ setting, option }) => ({ group: "ldap", name: option.toLowerCase(), setting }));

export const COUNTERPARTS: readonly OptionCounterpart[] = [
  {
    group: "identity",
    name: "domain_specific_drivers_enabled",
    setting: "IDENTITY_DOMAIN_SPECIFIC_DRIVERS_ENABLED",
    convert: onOrOff,
  },
  { group: "identity", name: "driver", setting: "IDENTITY_DRIVER" },
  ...LDAP,
  { group: "DEFAULT", name: "public_endpoint", setting: "IDENTITY_PUBLIC_URL" },
  {
    group: "oslo_policy",
    name: "enforce_scope",
    setting: "IDENTITY_POLICY_ENFORCE_SCOPE",
    convert: onOrOff,
  },
  {
    group: "oslo_policy",
    name: "enforce_new_defaults",
    setting: "IDENTITY_POLICY_ENFORCE_NEW_DEFAULTS",
    convert: onOrOff,
  },
  { group: "DEFAULT", name: "list_limit", setting: "IDENTITY_LIST_LIMIT", convert: limit },
  { group: "DEFAULT", name: "max_project_tree_depth", setting: "IDENTITY_MAX_PROJECT_TREE_DEPTH" },
  {
    group: "DEFAULT",
    name: "debug",
    setting: "IDENTITY_LOG_LEVEL",
    convert: (value) => (isOptionTrue(value) ? "debug" : undefined),
  },
  { group: "token", name: "expiration", setting: "IDENTITY_TOKEN_LIFETIME" },
  { group: "token", name: "allow_expired_window", setting: "IDENTITY_EXPIRED_TOKEN_WINDOW" },
  { group: "receipt", name: "expiration", setting: "IDENTITY_RECEIPT_LIFETIME" },
  { group: "credential", name: "user_limit", setting: "IDENTITY_CREDENTIAL_LIMIT", convert: limit },
  { group: "credential", name: "auth_ttl", setting: "IDENTITY_SIGNATURE_LIFETIME", convert: minutes },
  {
    group: "application_credential",
    name: "user_limit",
    setting: "IDENTITY_APPLICATION_CREDENTIAL_LIMIT",
    convert: limit,
  },
  { group: "trust", name: "allow_redelegation", setting: "IDENTITY_ALLOW_REDELEGATION", convert: onOrOff },
  { group: "trust", name: "max_redelegation_count", setting: "IDENTITY_MAX_REDELEGATION_COUNT" },
  {
    group: "endpoint_filter",
    name: "return_all_endpoints_if_no_filter",
    setting: "IDENTITY_RETURN_ALL_ENDPOINTS",
    convert: onOrOff,
  },
  { group: "oauth2", name: "oauth2_cert_dn_mapping_id", setting: "IDENTITY_CERTIFICATE_MAPPING" },
  { group: "unified_limit", name: "enforcement_model", setting: "IDENTITY_ENFORCEMENT_MODEL" },
  { group: "federation", name: "remote_id_attribute", setting: "IDENTITY_REMOTE_ID_ATTRIBUTE" },
  {
    group: "federation",
    name: "trusted_dashboard",
    setting: "IDENTITY_TRUSTED_DASHBOARDS",
    isRepeated: true,
  },
  {
    group: "security_compliance",
    name: "change_password_upon_first_use",
    setting: "IDENTITY_CHANGE_PASSWORD_UPON_FIRST_USE",
    convert: onOrOff,
  },
  ...Object.entries(SECURITY_COMPLIANCE).map(([name, setting]) => ({
    group: "security_compliance",
    name,
    setting,
  })),
  {
    group: "identity",
    name: "password_hash_algorithm",
    setting: "IDENTITY_PASSWORD_HASH",
    convert: (value) => HASH_KINDS[value.trim()],
  },
  { group: "cors", name: "allowed_origin", setting: "IDENTITY_CORS_ORIGINS" },
  { group: "oslo_middleware", name: "max_request_body_size", setting: "IDENTITY_BODY_LIMIT" },
  ...Object.entries(SAML).map(([name, setting]) => ({ group: "saml", name, setting })),
];

export const WITHOUT_COUNTERPART: readonly OptionWithoutCounterpart[] = [
  {
    group: "identity",
    name: "password_hash_algorithm",
    matters: (value) => !(value.trim() in HASH_KINDS),
    reason: "its hashes are verified, but new ones are of another kind: IDENTITY_PASSWORD_HASH",
  },
  {
    group: "token",
    name: "provider",
    matters: isOther("fernet"),
    reason: "only Fernet tokens stay valid: users and services log in again",
  },
  {
    group: "token",
    name: "allow_rescope_scoped_token",
    matters: isFalse,
    reason: "scoped tokens can always be rescoped",
  },
  {
    group: "identity",
    name: "driver",
    matters: (value) => value.trim() === "ldap",
    reason:
      "ids of the default domain's users and groups are computed as with [identity_mapping] backward_compatible_ids = false: without it, Keystone's are the directory's own, and grants have to be made again",
  },
  {
    group: "ldap",
    name: "password",
    reason: "write the password into a file, and name that in IDENTITY_LDAP_PASSWORD_FILE",
  },
  {
    group: "identity",
    name: "default_domain_id",
    matters: isOther("default"),
    reason: "the default domain has the id `default`",
  },
  {
    group: "DEFAULT",
    name: "transport_url",
    reason: "notifications are not offered: read the audit log instead",
  },
  { group: "DEFAULT", name: "notification_format", reason: "notifications are not offered" },
  {
    group: "oslo_messaging_notifications",
    name: "driver",
    matters: isOther("noop"),
    reason: "notifications are not offered: read the audit log instead",
  },
  { group: "oslo_messaging_notifications", name: "transport_url", reason: "notifications are not offered" },
  { group: "DEFAULT", name: "admin_token", reason: "a shared token is not offered" },
  {
    group: "DEFAULT",
    name: "insecure_debug",
    matters: isOptionTrue,
    reason: "responses never show why a login was refused",
  },
  { group: "trust", name: "enabled", matters: isFalse, reason: "trusts can't be turned off" },
  {
    group: "catalog",
    name: "driver",
    matters: isOther("sql"),
    reason: "only the catalog in the database is imported",
  },
  {
    group: "security_compliance",
    name: "report_invalid_password_hash",
    reason: "hashes of rejected passwords are never reported",
  },
  {
    group: "security_compliance",
    name: "allow_insecure_admin_trust_cross_project_credentials_access",
    matters: isOptionTrue,
    reason: "delegated tokens never reach credentials",
  },
  {
    group: "security_compliance",
    name: "allow_insecure_application_credential_trust_escalation",
    matters: isOptionTrue,
    reason: "application credentials never manage trusts",
  },
  {
    group: "auth",
    name: "additional_primary_auth_methods",
    matters: (value) => value.trim() !== "",
    reason: "tokens of other methods are delegated tokens",
  },
  {
    group: "federation",
    name: "assertion_prefix",
    matters: (value) => value !== "",
    reason: "an assertion has only the provider's attributes",
  },
  { group: "federation", name: "sso_callback_template", reason: "the page is built in" },
  {
    group: "federation",
    name: "default_authorization_ttl",
    matters: (value) => Number(value) !== 0,
    reason: "set `authorization_ttl` of each identity provider",
  },
  {
    group: "federation",
    name: "attribute_mapping_default_schema_version",
    matters: isOther("1.0"),
    reason: "set `schema_version` of each mapping",
  },
  { group: "saml", name: "certfile", reason: "keys are generated: exchange the metadata anew" },
  { group: "saml", name: "keyfile", reason: "keys are generated: exchange the metadata anew" },
  { group: "saml", name: "relay_state_prefix", reason: "each service provider has its own" },
];
