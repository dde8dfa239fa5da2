/**
 * The built-in rules in the language of policy files: those of actions, which the default permissions decide until a file affects them,
 * and the rules that they refer to.
 */
import { isAction, PERMISSIONS, type Action } from "../is-allowed.js";
import type { ScopeType } from "../default-permissions.js";
import type { DefaultRule } from "./effective-rules.js";
import { RELEASE_RULES, type PolicyRelease } from "./release-rules.js";

export interface BuiltInRule extends DefaultRule {
  /** `undefined` for rules that are no actions: those of tokens of any scope. */
  readonly scopes: readonly ScopeType[] | undefined;
}

/** Rules that are no actions, by Keystone's names. */
const HELPER_RULES: Readonly<Record<string, string>> = {
  admin_required: "role:admin or is_admin:1",
  service_role: "role:service",
  service_or_admin: "rule:admin_required or rule:service_role",
  owner: "user_id:%(user_id)s",
  admin_or_owner: "rule:admin_required or rule:owner",
  token_subject: "user_id:%(target.token.user_id)s",
  admin_or_token_subject: "rule:admin_required or rule:token_subject",
  service_admin_or_token_subject: "rule:service_or_admin or rule:token_subject",
  domain_managed_target_role:
    "'manager':%(target.role.name)s or 'member':%(target.role.name)s or 'reader':%(target.role.name)s",
};

/**
 * Of this service: an administrator of the system, or of the domain of the user whose secrets the request is about. `None` is the
 * domain of a user who does not exist: every administrator gets 404.
 */
const ADMIN_OF_TARGET_USER = "admin_of_target_user";
const OF_TARGET_USER = ["system_scope:all", "domain_id:%(X)s", "project_domain_id:%(X)s", "None:%(X)s"]
  .join(" or ")
  .replaceAll("X", "target.user.domain_id");

/** Where a rule was another before a release of Keystone, and allowed more than the new one. */
const FORMER_RULES: Readonly<Partial<Record<Action, string>>> = {
  "identity:get_user": "rule:admin_or_owner",
  "identity:list_user_projects": "rule:admin_or_owner",
  "identity:list_groups_for_user": "rule:admin_or_owner",
  "identity:get_application_credential": "rule:admin_or_owner",
  "identity:list_application_credentials": "rule:admin_or_owner",
  "identity:delete_application_credential": "rule:admin_or_owner",
  "identity:ec2_get_credential": "rule:owner and user_id:%(target.credential.user_id)s",
  "identity:ec2_create_credential": "rule:owner",
  "identity:ec2_delete_credential": "rule:owner and user_id:%(target.credential.user_id)s",
  "identity:check_token": "rule:admin_or_token_subject",
  "identity:validate_token": "rule:service_admin_or_token_subject",
  "identity:revoke_token": "rule:admin_or_token_subject",
};

export interface BuiltInOptions {
  /** Whether administrators of any domain or project reach secrets of all users. */
  readonly reachesAllSecrets: boolean;
  /** Whose rules hold where no file replaces them. */
  readonly release: PolicyRelease;
}

export function builtInRules({ reachesAllSecrets, release }: BuiltInOptions): BuiltInRule[] {
  const ofSecrets = reachesAllSecrets ? "rule:admin_required" : `rule:admin_required and (${OF_TARGET_USER})`;
  const helpers = { ...HELPER_RULES, [ADMIN_OF_TARGET_USER]: ofSecrets };
  return [
    ...Object.entries(helpers).map(([name, check]) => ({ name, check, scopes: undefined })),
    ...Object.entries(PERMISSIONS).map(([name, { allowed, scopes }]) => {
      const ofRelease = RELEASE_RULES[release][name as Action];
      const former = ofRelease?.former ?? FORMER_RULES[name as Action];
      return {
        name,
        check: ofRelease?.check ?? allowed.map(({ rule }) => rule).join(" or "),
        scopes: ofRelease?.scopes ?? scopes,
        deprecated: former === undefined ? undefined : { name, check: former },
      };
    }),
  ];
}

export function isBuiltInRule(name: string): boolean {
  return isAction(name) || name === ADMIN_OF_TARGET_USER || Object.hasOwn(HELPER_RULES, name);
}
