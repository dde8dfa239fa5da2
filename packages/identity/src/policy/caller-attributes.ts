/** What rules of policy files see of a caller, by Keystone's names. */
import type { Credentials } from "./caller.js";
import type { RuleAttributes } from "./rules/percent-format.js";

/** The first parts of their names. `is_admin` is never set, as in Keystone, where it belongs to a token that this service does not have. */
export const CALLER_ATTRIBUTES: ReadonlySet<string> = new Set([
  "user_id",
  "user_domain_id",
  "project_id",
  "project_domain_id",
  "domain_id",
  "system_scope",
  "roles",
  "is_admin",
  "is_admin_project",
  "service_user_id",
  "service_user_domain_id",
  "service_project_id",
  "service_project_domain_id",
  "service_roles",
  "token",
]);

/** The attribute that has the whole token, as a response shows it. */
export const TOKEN_ATTRIBUTE = "token";

/** Those that are `None` for some callers. */
export const NULLABLE_CALLER_ATTRIBUTES: ReadonlySet<string> = new Set([
  "project_id",
  "project_domain_id",
  "domain_id",
  "system_scope",
  "service_user_id",
  "service_user_domain_id",
  "service_project_id",
  "service_project_domain_id",
]);

/** Credentials of tokens are kept as long as facts don't change, and so are these. */
const known = new WeakMap<Credentials, RuleAttributes>();
const knownWithToken = new WeakMap<
  Credentials,
  { readonly token: object; readonly attributes: RuleAttributes }
>();

/** @param token Left out where no rule names it. */
export function callerAttributes(caller: Credentials, token?: object): RuleAttributes {
  let attributes = known.get(caller);
  if (attributes === undefined) known.set(caller, (attributes = attributesOf(caller)));
  if (token === undefined) return attributes;
  const last = knownWithToken.get(caller);
  if (last?.token === token) return last.attributes;
  const withToken = { ...attributes, [TOKEN_ATTRIBUTE]: token };
  knownWithToken.set(caller, { token, attributes: withToken });
  return withToken;
}

function attributesOf({ userId, userDomainId, roles, scope }: Credentials): RuleAttributes {
  const isProject = scope.kind === "project";
  return {
    user_id: userId,
    user_domain_id: userDomainId ?? null,
    project_id: isProject ? scope.projectId : null,
    project_domain_id: isProject ? scope.projectDomainId : null,
    domain_id: scope.kind === "domain" ? scope.domainId : null,
    system_scope: scope.kind === "system" ? "all" : null,
    roles,
    is_admin_project: scope.kind !== "domain",
    // This service does not read X-Service-Token.
    service_user_id: null,
    service_user_domain_id: null,
    service_project_id: null,
    service_project_domain_id: null,
    service_roles: [],
  };
}
