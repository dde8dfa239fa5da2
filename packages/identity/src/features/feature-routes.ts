/** Adds the routes of all features, behind the guard. */
import { addApplicationCredentialRoutes } from "../application-credentials/application-credential-routes.js";
import { addEndpointRoutes } from "../catalog/endpoint-routes.js";
import { addRegionRoutes } from "../catalog/regions/region-routes.js";
import { addServiceRoutes } from "../catalog/service-routes.js";
import { addConsoleNotice } from "../console/console-files.js";
import { guardConsole } from "../console/console-guard.js";
import { addConsoleRoutes, type ConsoleRoutesOptions } from "../console/console-routes.js";
import { addCredentialRoutes } from "../credentials/credential-routes.js";
import { addEc2KeyRoutes } from "../credentials/ec2-key-routes.js";
import type { Features } from "./features.js";
import { addFederationRoutes } from "../federation/federation-routes.js";
import { addFederationResources } from "../federation/federation-resources.js";
import { addK2kRoutes } from "../k2k/k2k-routes.js";
import { addGroupRoutes } from "../groups/group-routes.js";
import { addEffectiveLimitRoutes } from "../limits/effective-limit-routes.js";
import { addLimitRoutes } from "../limits/limit-routes.js";
import { addTransferRoutes } from "../limits/transfer/transfer-routes.js";
import { addLimitTreeRoutes } from "../limits/tree/limit-tree-routes.js";
import { addRegisteredLimitRoutes } from "../limits/registered-limit-routes.js";
import type { Clock } from "../platform/clock.js";
import type { Database } from "../platform/database/database.js";
import type { HttpServer } from "../platform/http/http-server.js";
import type { Links } from "../platform/http/links.js";
import type { NewId } from "../platform/ids.js";
import type { Credentials } from "../policy/credentials.js";
import { guardRoutes } from "../policy/guard.js";
import { addDomainRoutes } from "../projects/domain-routes.js";
import { toDomain } from "../projects/project.js";
import { addOAuth2Routes } from "../oauth2/oauth2-routes.js";
import { addAccessTokenRoutes } from "../oauth1/access-token-routes.js";
import { addOAuth1Routes } from "../oauth1/oauth1-routes.js";
import { addProjectRoutes } from "../projects/project-routes.js";
import { DomainView, ProjectView } from "../projects/project-schema.js";
import { domainView, projectView } from "../projects/project-view.js";
import { addTagRoutes } from "../projects/tags/tag-routes.js";
import { addAssignmentRoutes } from "../assignments/assignment-routes.js";
import { addGrantRoutes } from "../grants/grant-routes.js";
import { addImpliedRoleRoutes } from "../roles/implied-role-routes.js";
import { addRoleRoutes } from "../roles/role-routes.js";
import { addUserProjectRoutes } from "../assignments/user-project-routes.js";
import { addAuthRoutes } from "../auth/auth-routes.js";
import { addSignedRequestRoutes } from "../auth/signed-request-routes.js";
import { addScopeRoutes } from "../auth/scope-routes.js";
import { addTrustRoutes } from "../trusts/trust-routes.js";
import { addDomainConfigRoutes } from "../domain-config/domain-config-routes.js";
import { addEndpointFilterRoutes } from "../endpoint-filter/endpoint-filter-routes.js";
import { addEndpointGroupRoutes } from "../endpoint-filter/endpoint-group-routes.js";
import { addEndpointPolicyRoutes } from "../policies/endpoint-policy-routes.js";
import { addPolicyRoutes } from "../policies/policy-routes.js";
import { addPkiRoutes } from "../auth/pki-routes.js";
import { addRevocationEventRoutes } from "../tokens/revocation-event-routes.js";
import { addUserRoutes } from "../users/user-routes.js";

export interface FeatureRoutesOptions {
  readonly links: Links;
  readonly listLimit: number | undefined;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly database: Database;
  readonly consoleOptions: ConsoleRoutesOptions;
}

export function addFeatureRoutes(
  server: HttpServer,
  features: Features,
  { links, listLimit, clock, newId, database, consoleOptions }: FeatureRoutesOptions,
): void {
  const { webConsole } = features;
  // The session's token first, which the guard checks.
  if (webConsole !== undefined && "sessions" in webConsole) guardConsole(server, webConsole);
  guardRoutes(server, features.tokens);
  const deps = { ...features, links, listLimit, clock, newId };

  addAuthRoutes(server, deps);
  addPkiRoutes(server);
  addRevocationEventRoutes(server, deps);
  addScopeRoutes(server, { ...deps, ...accessibleScopes(features, links) });
  addRegionRoutes(server, deps);
  addServiceRoutes(server, deps);
  addEndpointRoutes(server, deps);
  addEndpointGroupRoutes(server, deps);
  addEndpointFilterRoutes(server, deps);
  addPolicyRoutes(server, deps);
  addEndpointPolicyRoutes(server, deps);
  addDomainRoutes(server, deps);
  addDomainConfigRoutes(server, deps);
  addProjectRoutes(server, { ...deps, visibleProjectIds: visibleProjects(features) });
  addTagRoutes(server, deps);
  addRegisteredLimitRoutes(server, deps);
  addLimitRoutes(server, deps);
  addEffectiveLimitRoutes(server, deps);
  addLimitTreeRoutes(server, deps);
  addTransferRoutes(server, deps);
  addGroupRoutes(server, deps);
  addUserRoutes(server, deps);
  addRoleRoutes(server, deps);
  addImpliedRoleRoutes(server, deps);
  addGrantRoutes(server, deps);
  addAssignmentRoutes(server, deps);
  addUserProjectRoutes(server, deps);
  addApplicationCredentialRoutes(server, deps);
  addTrustRoutes(server, deps);
  addCredentialRoutes(server, deps);
  addEc2KeyRoutes(server, deps);
  addSignedRequestRoutes(server, deps);
  addFederationResources(server, deps);
  addFederationRoutes(server, deps);
  addK2kRoutes(server, deps);
  addOAuth2Routes(server, deps);
  addOAuth1Routes(server, deps);
  addAccessTokenRoutes(server, deps);
  if (webConsole === undefined) return;
  if ("sessions" in webConsole) addConsoleRoutes(server, { ...deps, webConsole, database, consoleOptions });
  else addConsoleNotice(server, webConsole.fault);
}

/** The projects and domains that a user can get a token for. */
function accessibleScopes({ roles, projects }: Features, links: Links) {
  const enabledDomains = async (ids: readonly string[]) =>
    (await projects.listProjectsById(ids)).filter(({ isDomain, enabled }) => isDomain && enabled);
  return {
    scopesOf: (actor: Parameters<typeof roles.scopesOf>[0]) => roles.scopesOf(actor),
    schemas: { project: ProjectView, domain: DomainView },
    async showProjects(ids: readonly string[]) {
      const found = (await projects.listProjectsById(ids)).filter(({ enabled }) => enabled);
      const domainIds = [...new Set(found.map(({ id, domainId }) => domainId ?? id))];
      const domains = new Set((await enabledDomains(domainIds)).map(({ id }) => id));
      return found
        .filter(({ id, domainId }) => domains.has(domainId ?? id))
        .map((project) => projectView(project, links));
    },
    showDomains: async (ids: readonly string[]) =>
      (await enabledDomains(ids)).map((project) => domainView(toDomain(project), links)),
  };
}

function visibleProjects({ roles }: Features) {
  return async ({ userId }: Credentials): Promise<ReadonlySet<string>> =>
    new Set((await roles.scopesOf({ userId, groupIds: [] })).projectIds);
}
