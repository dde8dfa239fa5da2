/** Rules of former releases of Keystone where they are others than the default permissions: for clouds whose policy files rest on them. */
import type { Action } from "../is-allowed.js";
import type { ScopeType } from "../default-permissions.js";

/** Of the year 2026, as the default permissions, and 22 (2022). */
export const POLICY_RELEASES = ["2026", "22"] as const;
export type PolicyRelease = (typeof POLICY_RELEASES)[number];

export interface ReleaseRule {
  /** That of the default permissions, if left out. */
  readonly check?: string;
  /** Those of the default permissions, if left out. */
  readonly scopes?: readonly ScopeType[];
  /** Allowed too, unless new defaults are enforced. */
  readonly former?: string;
}

type ReleaseRules = Readonly<Partial<Record<Action, ReleaseRule>>>;

const ADMINS: ReleaseRule = { check: "rule:admin_required" };

/** Changes that later releases also allow to managers of the domain. */
const CHANGES = [
  "identity:create_user",
  "identity:update_user",
  "identity:delete_user",
  "identity:create_group",
  "identity:update_group",
  "identity:delete_group",
  "identity:add_user_to_group",
  "identity:remove_user_from_group",
  "identity:create_project",
  "identity:update_project",
  "identity:delete_project",
  "identity:update_project_tags",
  "identity:create_project_tag",
  "identity:delete_project_tags",
  "identity:delete_project_tag",
] as const satisfies readonly Action[];

/** Not with tokens for a domain. */
const NOT_IN_DOMAINS: readonly ScopeType[] = ["system", "project"];
const SYSTEM_READERS = "rule:admin_required or (role:reader and system_scope:all)";
const READ_IN_CLOUD: ReleaseRule = { check: SYSTEM_READERS, scopes: NOT_IN_DOMAINS };

const GRANT_CHANGE: ReleaseRule = {
  check:
    "rule:admin_required or (role:admin " +
    "and (domain_id:%(target.user.domain_id)s or domain_id:%(target.group.domain_id)s) " +
    "and (domain_id:%(target.project.domain_id)s or domain_id:%(target.domain.id)s) " +
    "and (domain_id:%(target.role.domain_id)s or None:%(target.role.domain_id)s))",
};

/** Who reaches whose secrets is not Keystone's: `secrets-stay-in-the-domain`, `owners-list-their-ec2-keys`. */
const KEYSTONE_22_RULES: ReleaseRules = {
  ...Object.fromEntries(CHANGES.map((action) => [action, ADMINS])),
  "identity:create_grant": GRANT_CHANGE,
  "identity:revoke_grant": GRANT_CHANGE,
  "identity:get_project": {
    check:
      "(role:reader and system_scope:all) or (role:reader and domain_id:%(target.project.domain_id)s) " +
      "or project_id:%(target.project.id)s",
    former: "rule:admin_required or project_id:%(target.project.id)s",
  },
  "identity:list_domains": READ_IN_CLOUD,
  "identity:get_role": READ_IN_CLOUD,
  "identity:list_roles": READ_IN_CLOUD,
  // Its text has readers of the target's domain, too, but there its targets have no domain.
  "identity:list_role_assignments_for_tree": { check: SYSTEM_READERS },
  "identity:get_credential": { scopes: NOT_IN_DOMAINS },
  "identity:list_credentials": { scopes: NOT_IN_DOMAINS },
  "identity:create_credential": { scopes: NOT_IN_DOMAINS },
  "identity:update_credential": { scopes: NOT_IN_DOMAINS },
  "identity:delete_credential": { scopes: NOT_IN_DOMAINS },
  "identity:ec2_delete_credential": {
    check: "rule:admin_of_target_user or user_id:%(target.credential.user_id)s",
  },
};

export const RELEASE_RULES: Readonly<Record<PolicyRelease, ReleaseRules>> = {
  "2026": {},
  "22": KEYSTONE_22_RULES,
};
