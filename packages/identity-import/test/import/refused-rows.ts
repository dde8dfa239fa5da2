/** Rows with a value that the API refuses. */
import type { SourceRow } from "../../src/import/source/keystone-source.js";

const APP_CREDENTIAL: SourceRow = {
  id: "ac1",
  name: "ci",
  secret_hash: "$2b$12$rpAFjb840OOD8E6MJbFDK.ubm0ZsW4T9LGTsg8dz3JM4WatBnYqpm",
  description: null,
  user_id: "u1",
  project_id: "p1",
  expires_at: null,
  system: null,
  unrestricted: null,
};

/** Table, its rows, and what the report says. */
export const REFUSED: readonly (readonly [string, SourceRow, string])[] = [
  [
    "project_tag",
    { project_id: "p1", name: "a,b" },
    "left-out project_tag.name: the API refuses it: does not match '^[^,/]*$': p1/a,b (\"a,b\")",
  ],
  [
    "role",
    { id: "r2", name: "", extra: "{}", description: null },
    'note role.name: the API refuses it: is too short; it is kept: r2 ("")',
  ],
  [
    "role",
    { id: "r2", name: "a\0b", extra: "{}", description: null },
    "left-out role.name: contains the character U+0000: r2",
  ],
  [
    "assignment",
    { type: "Nobody", actor_id: "u1", target_id: "p1", role_id: "r1", inherited: "0" },
    'left-out assignment.type: is no type of assignments: Nobody/u1/p1/r1 ("Nobody")',
  ],
  [
    "assignment",
    {
      type: "UserDomain",
      actor_id: "u1",
      target_id: "p1",
      role_id: "r1",
      inherited: "0",
      other_target: "p1",
    },
    'left-out assignment.target_id: is a project: expected a domain: UserDomain/u1/p1/r1 ("p1")',
  ],
  [
    "implied_role",
    { prior_role_id: "r1", implied_role_id: "r1", implied_name: "admin" },
    "left-out implied_role.implied_role_id: the API refuses it: no role may imply admin: r1/r1",
  ],
  [
    "implied_role",
    { prior_role_id: "r1", implied_role_id: "r1", is_wider: "r1" },
    "left-out implied_role.implied_role_id: the API refuses it: a global role may not imply one of a domain: r1/r1",
  ],
  [
    "region",
    { id: "eu", description: "", parent_region_id: "gone", extra: "{}" },
    'note region.parent_region_id: the row of region does not exist or is not imported: the reference is dropped: eu ("gone")',
  ],
  [
    "region",
    { id: "eu", description: "", parent_region_id: "eu", extra: "{}", unreached: "eu" },
    'note region.parent_region_id: is in a cycle of parents: the reference is dropped: eu ("eu")',
  ],
  [
    "endpoint_group",
    { id: "g", name: "all", description: null, filters: "{}" },
    'left-out endpoint_group.filters: the API refuses it: it is empty: g ("{}")',
  ],
  [
    "endpoint_group",
    { id: "g", name: "all", description: null, filters: '{"owner": 1}' },
    String.raw`left-out endpoint_group.filters: the API refuses it: "owner" is no attribute of endpoints to filter by: g ("{\"owner\": 1}")`,
  ],
  ["policy", { id: "pol", type: "x", blob: "{", extra: "{}" }, "left-out policy.blob: is not JSON: pol"],
  [
    "registered_limit",
    {
      id: "rl",
      service_id: null,
      region_id: null,
      resource_name: "vms",
      default_limit: "1",
      description: null,
    },
    "left-out registered_limit.service_id: is null: expected a row of service: rl",
  ],
  [
    "limit",
    {
      id: "l",
      registered_limit_id: null,
      project_id: "p1",
      domain_id: "default",
      resource_limit: "1",
      description: null,
    },
    "left-out limit.registered_limit_id: is null: expected a row of registered_limit: l",
  ],
  [
    "identity_provider",
    { id: "idp", enabled: "1", description: null, domain_id: "default", authorization_ttl: "-5" },
    "note identity_provider.authorization_ttl: the API refuses it: is less than the minimum of 0; it is dropped: idp (-5)",
  ],
  ["mapping", { id: "m", rules: "{", schema_version: "1.0" }, "left-out mapping.rules: is not JSON: m"],
  [
    "service_provider",
    {
      id: "sp",
      auth_url: "no url",
      sp_url: "https://sp",
      description: null,
      enabled: "1",
      relay_state_prefix: "",
    },
    `left-out service_provider.auth_url: the API refuses it: does not match '^[a-zA-Z0-9+.-]+:.+': sp ("no url")`,
  ],
  [
    "consumer",
    { id: "c", description: null, secret: "", extra: "{}" },
    "left-out consumer.secret: is empty: anyone could sign with it: c",
  ],
  [
    "trust",
    {
      id: "t",
      trustor_user_id: "u1",
      trustee_user_id: "u2",
      project_id: "p1",
      impersonation: "1",
      expires_at: null,
      expires_at_int: null,
      remaining_uses: "-1",
      extra: "{}",
      redelegated_trust_id: null,
      redelegation_count: "0",
    },
    "left-out trust.remaining_uses: the API refuses it: is less than the minimum of 0: t (-1)",
  ],
  [
    "trust",
    {
      id: "t",
      trustor_user_id: "u1",
      trustee_user_id: "u2",
      project_id: "p1",
      impersonation: "1",
      expires_at: "never",
      expires_at_int: null,
      remaining_uses: null,
      extra: "{}",
      redelegated_trust_id: null,
      redelegation_count: "0",
    },
    'left-out trust.expires_at: is not a date: t ("never")',
  ],
  [
    "application_credential",
    { ...APP_CREDENTIAL, rule_number: "7", rule_id: null, rule_user_id: null },
    'left-out application_credential.access_rules: one of its access rules does not exist, belongs to another user or is not imported: without it the credential could do more: ac1 ("7")',
  ],
  [
    "application_credential",
    { ...APP_CREDENTIAL, rule_number: "7", rule_id: "rule", rule_user_id: "u2" },
    'left-out application_credential.access_rules: one of its access rules does not exist, belongs to another user or is not imported: without it the credential could do more: ac1 ("7")',
  ],
  [
    "whitelisted_config",
    { domain_id: "default", group: "ldap", option: "no_such", value: "1" },
    "left-out whitelisted_config.option: Invalid domain specific configuration: Option no_such in group ldap is not supported for domain specific configurations.: default/ldap/no_such",
  ],
  [
    "whitelisted_config",
    { domain_id: "default", group: "ldap", option: "url", value: "{" },
    "left-out whitelisted_config.value: is not JSON: default/ldap/url",
  ],
];
