/** `/v3/users/{user_id}/application_credentials` and `/v3/users/{user_id}/access_rules` */
import type { FastifyRequest } from "fastify";

import type { HttpServer } from "../platform/http/http-server.js";
import type { Links } from "../platform/http/links.js";
import { createResource, type ResourceDeps } from "../platform/http/resource.js";
import type { RouteRequest } from "../platform/http/route.js";
import type { PolicyTarget } from "../policy/caller.js";
import { rejectDelegated } from "../policy/delegation-rejections.js";
import type { Role } from "../roles/role.js";
import type { AccessRuleService } from "./access-rule-service.js";
import { ACCESS_RULE_FILTERS, accessRuleFields, AccessRuleView, type UserAccessRule } from "./access-rule.js";
import { type ApplicationCredentialService } from "./application-credential-service.js";
import {
  ApplicationCredentialView,
  NewApplicationCredential,
  APPLICATION_CREDENTIAL_FILTERS,
  type FullApplicationCredential,
} from "./application-credential.js";

export interface ApplicationCredentialRoutesDeps extends ResourceDeps {
  readonly applicationCredentials: ApplicationCredentialService;
  readonly accessRules: AccessRuleService;
}

export function addApplicationCredentialRoutes(
  server: HttpServer,
  { applicationCredentials, accessRules, ...deps }: ApplicationCredentialRoutesDeps,
): void {
  const credentials = createResource(server, deps, {
    path: "/v3/users/:user_id/application_credentials",
    id: "application_credential_id",
    name: "application_credential",
    schema: ApplicationCredentialView,
    view: (credential: ShownCredential) => credentialView(credential, deps.links),
  });
  /** The owner, even if the path names another user; the user in the path for a credential that does not exist. */
  const owner = async (request: FastifyRequest): Promise<PolicyTarget> => {
    rejectDelegated("applicationCredentials", request.caller);
    const { application_credential_id: id = "" } = paramsOf(request);
    const credential = await applicationCredentials.find({ id });
    return credential === undefined ? userInPath(request) : { user: { id: credential.userId } };
  };
  credentials.list({
    target: userInPath,
    filters: APPLICATION_CREDENTIAL_FILTERS,
    read: (query, request) => applicationCredentials.list({ ...query, userId: userIdIn(request) }),
  });
  credentials.create({
    target: userInPath,
    body: NewApplicationCredential,
    create: (draft, { caller }) => applicationCredentials.create(draft, caller),
  });
  credentials.show({ target: owner, read: applicationCredentials.get });
  credentials.delete({
    target: owner,
    delete: (id, { caller }) => applicationCredentials.delete(id, caller),
  });

  const rules = createResource(server, deps, {
    path: "/v3/users/:user_id/access_rules",
    id: "access_rule_id",
    name: "access_rule",
    schema: AccessRuleView,
    view: (rule: UserAccessRule) => ({
      ...accessRuleFields.view(rule),
      links: { self: deps.links.self("/v3/access_rules", rule.id) },
    }),
  });
  rules.list({
    target: userInPath,
    filters: ACCESS_RULE_FILTERS,
    read: (query, request) => accessRules.list({ ...query, userId: userIdIn(request) }),
  });
  rules.show({
    target: userInPath,
    read: (id, request) => accessRules.get({ id, userId: userIdIn(request) }),
  });
  rules.delete({
    target: userInPath,
    delete: (id, request) => accessRules.delete({ id, userId: userIdIn(request) }),
  });
}

type ShownCredential = FullApplicationCredential & { readonly secret?: string };

/** The links lead nowhere, as Keystone's. */
function credentialView(credential: ShownCredential, links: Links) {
  const { id, name, description, userId, projectId, system, expiresAt, unrestricted } = credential;
  const { roles, accessRules, secret } = credential;
  return {
    id,
    name,
    description,
    user_id: userId,
    project_id: projectId,
    system,
    expires_at: expiresAt,
    unrestricted,
    roles: roles.map(shownRole),
    ...(accessRules.length > 0 && { access_rules: accessRules.map((rule) => accessRuleFields.view(rule)) }),
    ...(secret !== undefined && { secret }),
    links: { self: links.self("/v3/application_credentials", id) },
  };
}

function shownRole({ extra, domainId, ...role }: Role) {
  return { ...extra, ...role, domain_id: domainId };
}

function paramsOf({ params }: Pick<FastifyRequest, "params">): Readonly<Record<string, string>> {
  return params as Readonly<Record<string, string>>;
}

function userIdIn({ params }: RouteRequest): string {
  return params["user_id"] ?? "";
}

function userInPath(request: FastifyRequest): PolicyTarget {
  rejectDelegated("applicationCredentials", request.caller);
  return { user: { id: paramsOf(request)["user_id"] ?? "" } };
}
