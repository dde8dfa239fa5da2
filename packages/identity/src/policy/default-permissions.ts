/**
 * The default permissions: for every action, by its name in Keystone, the allowed scopes and personas.
 *
 * These are Keystone's defaults of 2026 with enforce_scope and the secure default roles.
 *
 * @see https://docs.openstack.org/keystone/latest/configuration/policy.html
 */
import type { CredentialScope } from "./caller.js";
import {
  admin,
  adminOfUser,
  authenticated,
  both,
  credentialOwner,
  domainItself,
  domainManager,
  domainOfLimit,
  domainOfList,
  domainReader,
  groupDomain,
  managedRole,
  manager,
  managerOfSomeDomain,
  outsideSystem,
  owner,
  member,
  projectDomain,
  projectDomainOfLimit,
  roleWithinReach,
  scopedToDomain,
  scopedToProject,
  scopedToProjectOfDomain,
  scopedToProjectOfLimit,
  self,
  service,
  systemAdmin,
  systemReader,
  tokenSubject,
  trustee,
  trustor,
  userDomain,
  withinDomain,
  type Persona,
} from "./personas.js";

/** The kinds of scopes that actions are for. Unscoped tokens count as tokens of projects: without roles. */
export type ScopeType = Exclude<CredentialScope["kind"], "unscoped">;

export interface Permission {
  /** Whether domain-scoped tokens are rejected whatever their roles: the action concerns the whole cloud. */
  readonly isForCloud: boolean;
  /** Tokens of other scopes are rejected, also where a policy file has another rule. */
  readonly scopes: readonly ScopeType[];
  /** Any of these. */
  readonly allowed: readonly Persona[];
}

function cloud(...allowed: Persona[]): Permission {
  return { isForCloud: true, scopes: ["system", "project"], allowed };
}

/** Actions that domain-scoped tokens may also perform. */
function inDomains(...allowed: Persona[]): Permission {
  return { isForCloud: false, scopes: ["system", "domain", "project"], allowed };
}

/** Actions with a token for a project, or an unscoped one. */
function inProjects(persona: Persona): Permission {
  return { isForCloud: true, scopes: ["project"], allowed: [both(outsideSystem, persona)] };
}

const ADMINS = cloud(admin);
const ADMINS_AND_READERS = cloud(admin, systemReader);
const AUTHENTICATED = inDomains(authenticated);

const DOMAIN_LIST = inDomains(admin, systemReader, domainReader(domainOfList));
const USER_CHANGE = inDomains(admin, domainManager(userDomain));
const PROJECT_READ = inDomains(admin, systemReader, domainReader(projectDomain), scopedToProject);
const PROJECT_CHANGE = inDomains(admin, domainManager(projectDomain));
const GROUP_READ = inDomains(admin, systemReader, domainReader(groupDomain));
const GROUP_CHANGE = inDomains(admin, domainManager(groupDomain));
const MEMBERSHIP_CHANGE = inDomains(admin, both(domainManager(groupDomain), domainManager(userDomain)));
const TRUST_READ = cloud(admin, systemReader, trustor, trustee);
const managerOfGrant = both(withinDomain("manager"), managedRole);
const CREDENTIAL_CHANGE = inDomains(adminOfUser, credentialOwner);
/** Administrators with a token for a project. */
const PROJECT_ADMINS = inProjects(admin);
const EC2_KEY_CHANGE = cloud(adminOfUser, both(member, credentialOwner));

export const DEFAULT_PERMISSIONS = {
  "identity:get_user": inDomains(admin, systemReader, domainReader(userDomain), self),
  "identity:list_users": DOMAIN_LIST,
  "identity:create_user": USER_CHANGE,
  "identity:update_user": USER_CHANGE,
  "identity:delete_user": USER_CHANGE,
  "identity:list_user_projects": inDomains(admin, systemReader, domainReader(userDomain), self),
  "identity:list_projects_for_user": AUTHENTICATED,
  "identity:list_domains_for_user": AUTHENTICATED,

  "identity:get_application_credential": cloud(admin, systemReader, owner),
  "identity:list_application_credentials": cloud(admin, systemReader, owner),
  "identity:create_application_credential": inProjects(owner),
  "identity:delete_application_credential": cloud(admin, owner),
  "identity:get_access_rule": cloud(systemReader, self),
  "identity:list_access_rules": cloud(systemReader, self),
  "identity:delete_access_rule": cloud(systemAdmin, self),

  "identity:list_trusts": ADMINS_AND_READERS,
  "identity:list_trusts_for_trustor": cloud(admin, systemReader, trustor),
  "identity:list_trusts_for_trustee": cloud(admin, systemReader, trustee),
  "identity:get_trust": TRUST_READ,
  "identity:list_roles_for_trust": TRUST_READ,
  "identity:get_role_for_trust": TRUST_READ,
  "identity:create_trust": inProjects(trustor),
  "identity:delete_trust": cloud(admin, trustor),

  "identity:get_group": GROUP_READ,
  "identity:list_groups": GROUP_READ,
  "identity:create_group": GROUP_CHANGE,
  "identity:update_group": GROUP_CHANGE,
  "identity:delete_group": GROUP_CHANGE,
  "identity:list_groups_for_user": inDomains(admin, systemReader, domainReader(userDomain), owner),
  "identity:list_users_in_group": GROUP_READ,
  "identity:check_user_in_group": inDomains(
    admin,
    systemReader,
    both(domainReader(groupDomain), domainReader(userDomain)),
  ),
  "identity:add_user_to_group": MEMBERSHIP_CHANGE,
  "identity:remove_user_from_group": MEMBERSHIP_CHANGE,

  "identity:get_domain": inDomains(
    admin,
    systemReader,
    scopedToDomain(domainItself),
    scopedToProjectOfDomain,
  ),
  "identity:list_domains": inDomains(admin, systemReader, domainReader(domainItself)),
  "identity:create_domain": ADMINS,
  "identity:update_domain": ADMINS,
  "identity:delete_domain": ADMINS,
  "identity:get_domain_config": ADMINS_AND_READERS,
  "identity:get_domain_config_default": ADMINS_AND_READERS,
  "identity:get_security_compliance_domain_config": AUTHENTICATED,
  "identity:create_domain_config": ADMINS,
  "identity:update_domain_config": ADMINS,
  "identity:delete_domain_config": ADMINS,

  "identity:get_project": PROJECT_READ,
  "identity:list_projects": DOMAIN_LIST,
  "identity:create_project": PROJECT_CHANGE,
  "identity:update_project": PROJECT_CHANGE,
  "identity:delete_project": PROJECT_CHANGE,
  "identity:list_project_tags": PROJECT_READ,
  "identity:get_project_tag": PROJECT_READ,
  "identity:update_project_tags": PROJECT_CHANGE,
  "identity:create_project_tag": PROJECT_CHANGE,
  "identity:delete_project_tags": PROJECT_CHANGE,
  "identity:delete_project_tag": PROJECT_CHANGE,

  "identity:get_role": inDomains(admin, systemReader, both(manager, managedRole)),
  "identity:list_roles": inDomains(admin, systemReader, managerOfSomeDomain),
  "identity:create_role": ADMINS,
  "identity:update_role": ADMINS,
  "identity:delete_role": ADMINS,
  "identity:get_domain_role": ADMINS_AND_READERS,
  "identity:list_domain_roles": ADMINS_AND_READERS,
  "identity:create_domain_role": ADMINS,
  "identity:update_domain_role": ADMINS,
  "identity:delete_domain_role": ADMINS,
  "identity:get_implied_role": ADMINS_AND_READERS,
  "identity:list_implied_roles": ADMINS_AND_READERS,
  "identity:check_implied_role": ADMINS_AND_READERS,
  "identity:create_implied_role": ADMINS,
  "identity:delete_implied_role": ADMINS,
  "identity:list_role_inference_rules": ADMINS_AND_READERS,

  "identity:check_grant": inDomains(admin, systemReader, both(withinDomain("reader"), roleWithinReach)),
  "identity:list_grants": inDomains(admin, systemReader, withinDomain("reader")),
  // Keystone lets a manager assign roles of other domains too, with the roles they imply.
  "identity:create_grant": inDomains(admin, both(managerOfGrant, roleWithinReach)),
  "identity:revoke_grant": inDomains(admin, managerOfGrant),
  "identity:list_system_grants_for_user": ADMINS_AND_READERS,
  "identity:check_system_grant_for_user": ADMINS_AND_READERS,
  "identity:create_system_grant_for_user": ADMINS,
  "identity:revoke_system_grant_for_user": ADMINS,
  "identity:list_system_grants_for_group": ADMINS_AND_READERS,
  "identity:check_system_grant_for_group": ADMINS_AND_READERS,
  "identity:create_system_grant_for_group": ADMINS,
  "identity:revoke_system_grant_for_group": ADMINS,
  "identity:list_role_assignments": DOMAIN_LIST,
  "identity:list_role_assignments_for_tree": DOMAIN_LIST,

  "identity:get_region": AUTHENTICATED,
  "identity:list_regions": AUTHENTICATED,
  "identity:create_region": ADMINS,
  "identity:update_region": ADMINS,
  "identity:delete_region": ADMINS,
  "identity:get_service": ADMINS_AND_READERS,
  "identity:list_services": ADMINS_AND_READERS,
  "identity:create_service": ADMINS,
  "identity:update_service": ADMINS,
  "identity:delete_service": ADMINS,
  "identity:get_endpoint": ADMINS_AND_READERS,
  "identity:list_endpoints": ADMINS_AND_READERS,
  "identity:create_endpoint": ADMINS,
  "identity:update_endpoint": ADMINS,
  "identity:delete_endpoint": ADMINS,

  "identity:list_endpoint_groups": ADMINS_AND_READERS,
  "identity:get_endpoint_group": ADMINS_AND_READERS,
  "identity:create_endpoint_group": ADMINS,
  "identity:update_endpoint_group": ADMINS,
  "identity:delete_endpoint_group": ADMINS,
  "identity:list_endpoints_for_project": ADMINS_AND_READERS,
  "identity:list_projects_for_endpoint": ADMINS_AND_READERS,
  "identity:check_endpoint_in_project": ADMINS_AND_READERS,
  "identity:add_endpoint_to_project": ADMINS,
  "identity:remove_endpoint_from_project": ADMINS,
  "identity:list_endpoint_groups_for_project": ADMINS_AND_READERS,
  "identity:list_endpoints_associated_with_endpoint_group": ADMINS_AND_READERS,
  "identity:list_projects_associated_with_endpoint_group": ADMINS_AND_READERS,
  "identity:get_endpoint_group_in_project": ADMINS_AND_READERS,
  "identity:add_endpoint_group_to_project": ADMINS,
  "identity:remove_endpoint_group_from_project": ADMINS,

  "identity:list_policies": ADMINS_AND_READERS,
  "identity:get_policy": ADMINS_AND_READERS,
  "identity:create_policy": ADMINS,
  "identity:update_policy": ADMINS,
  "identity:delete_policy": ADMINS,
  "identity:check_policy_association_for_endpoint": ADMINS_AND_READERS,
  "identity:create_policy_association_for_endpoint": ADMINS,
  "identity:delete_policy_association_for_endpoint": ADMINS,
  "identity:check_policy_association_for_service": ADMINS_AND_READERS,
  "identity:create_policy_association_for_service": ADMINS,
  "identity:delete_policy_association_for_service": ADMINS,
  "identity:check_policy_association_for_region_and_service": ADMINS_AND_READERS,
  "identity:create_policy_association_for_region_and_service": ADMINS,
  "identity:delete_policy_association_for_region_and_service": ADMINS,
  "identity:get_policy_for_endpoint": ADMINS_AND_READERS,
  "identity:list_endpoints_for_policy": ADMINS_AND_READERS,

  "identity:get_auth_catalog": AUTHENTICATED,
  "identity:get_auth_projects": AUTHENTICATED,
  "identity:get_auth_domains": AUTHENTICATED,
  "identity:get_auth_system": AUTHENTICATED,
  "identity:check_token": inDomains(admin, systemReader, tokenSubject),
  "identity:validate_token": inDomains(admin, systemReader, service, tokenSubject),
  "identity:revoke_token": inDomains(admin, tokenSubject),
  "identity:list_revoke_events": cloud(admin, service),
  "identity:revocation_list": cloud(admin, service),

  "identity:get_identity_provider": ADMINS_AND_READERS,
  "identity:list_identity_providers": ADMINS_AND_READERS,
  "identity:create_identity_provider": ADMINS,
  "identity:update_identity_provider": ADMINS,
  "identity:delete_identity_provider": ADMINS,
  "identity:get_protocol": ADMINS_AND_READERS,
  "identity:list_protocols": ADMINS_AND_READERS,
  "identity:create_protocol": ADMINS,
  "identity:update_protocol": ADMINS,
  "identity:delete_protocol": ADMINS,
  "identity:get_mapping": ADMINS_AND_READERS,
  "identity:list_mappings": ADMINS_AND_READERS,
  "identity:create_mapping": ADMINS,
  "identity:update_mapping": ADMINS,
  "identity:delete_mapping": ADMINS,
  "identity:get_service_provider": ADMINS_AND_READERS,
  "identity:list_service_providers": ADMINS_AND_READERS,
  "identity:create_service_provider": ADMINS,
  "identity:update_service_provider": ADMINS,
  "identity:delete_service_provider": ADMINS,

  "identity:list_consumers": ADMINS_AND_READERS,
  "identity:get_consumer": ADMINS_AND_READERS,
  "identity:create_consumer": ADMINS,
  "identity:update_consumer": ADMINS,
  "identity:delete_consumer": ADMINS,
  "identity:authorize_request_token": PROJECT_ADMINS,
  "identity:list_access_tokens": PROJECT_ADMINS,
  "identity:get_access_token": PROJECT_ADMINS,
  "identity:list_access_token_roles": PROJECT_ADMINS,
  "identity:get_access_token_role": PROJECT_ADMINS,
  // As Keystone checks it: its own rule of this name is not asked.
  "identity:delete_access_token": cloud(admin, both(member, owner)),

  // Keystone lets every administrator see and change the secrets of all users.
  "identity:get_credential": inDomains(adminOfUser, systemReader, credentialOwner),
  "identity:list_credentials": AUTHENTICATED,
  "identity:create_credential": CREDENTIAL_CHANGE,
  "identity:update_credential": CREDENTIAL_CHANGE,
  "identity:delete_credential": CREDENTIAL_CHANGE,
  "identity:ec2_get_credential": cloud(adminOfUser, systemReader, credentialOwner),
  "identity:ec2_list_credentials": cloud(adminOfUser, systemReader, owner),
  "identity:ec2_create_credential": EC2_KEY_CHANGE,
  "identity:ec2_delete_credential": EC2_KEY_CHANGE,
  "identity:ec2tokens_validate": inDomains(admin, service),
  "identity:s3tokens_validate": inDomains(admin, service),

  "identity:get_registered_limit": AUTHENTICATED,
  "identity:list_registered_limits": AUTHENTICATED,
  "identity:create_registered_limits": ADMINS,
  "identity:update_registered_limit": ADMINS,
  "identity:delete_registered_limit": ADMINS,
  "identity:get_limit_model": AUTHENTICATED,
  "identity:get_limit": inDomains(
    admin,
    systemReader,
    scopedToDomain(domainOfLimit),
    scopedToDomain(projectDomainOfLimit),
    scopedToProjectOfLimit,
  ),
  "identity:list_limits": AUTHENTICATED,
  "identity:create_limits": ADMINS,
  "identity:update_limit": ADMINS,
  "identity:delete_limit": ADMINS,
} as const satisfies Readonly<Record<`identity:${string}`, Permission>>;

/** Actions that Keystone does not have. */
export const OWN_PERMISSIONS = {
  "identity:list_passkeys": inDomains(adminOfUser, systemReader, domainManager(userDomain), self),
  // No administrator can log in as a user by a passkey of their own.
  "identity:create_passkey": inDomains(self),
  "identity:update_passkey": inDomains(self),
  "identity:delete_passkey": inDomains(adminOfUser, domainManager(userDomain), self),
  "identity:reset_passkeys": inDomains(adminOfUser, domainManager(userDomain)),
  "identity:reset_one_time_codes": inDomains(adminOfUser, domainManager(userDomain)),
  "identity:reset_password": USER_CHANGE,
  "identity:list_sessions": inDomains(adminOfUser, systemReader, domainManager(userDomain), self),
  "identity:end_session": inDomains(adminOfUser, domainManager(userDomain), self),
  "identity:end_sessions": inDomains(adminOfUser, domainManager(userDomain), self),
  "identity:get_overview": ADMINS_AND_READERS,
  "identity:list_audit_events": ADMINS_AND_READERS,
  "identity:list_policy_rules": ADMINS_AND_READERS,
  "identity:push_scim": USER_CHANGE,
  "identity:get_scim_secret": ADMINS_AND_READERS,
  "identity:list_scim_secrets": ADMINS_AND_READERS,
  "identity:create_scim_secret": ADMINS,
  "identity:delete_scim_secret": ADMINS,
} as const satisfies Readonly<Record<`identity:${string}`, Permission>>;
