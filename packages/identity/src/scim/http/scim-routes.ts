/** `/scim/v2/{idp_id}`: a SCIM client pushes the users and groups of its identity provider (RFC 7644). */
import type { FastifyReply, FastifyRequest } from "fastify";

import type { HttpServer } from "../../platform/http/http-server.js";
import { atEndOf } from "../../platform/http/request-end.js";
import { acceptJsonObjects } from "../../platform/http/body-parsing.js";
import { outcomeOf, writeAudit } from "../../policy/audit.js";
import { authenticateScim, type ScimAccessDeps } from "./scim-access.js";
import { addScimDocumentRoutes, addUnsupportedRoutes } from "./scim-document-routes.js";
import { addScimGroupRoutes, type ScimGroupRoutesDeps } from "./scim-group-routes.js";
import { sendScimErrors } from "./scim-responses.js";
import { addScimUserRoutes, type ScimUserRoutesDeps } from "./scim-user-routes.js";

export type ScimRoutesDeps = ScimAccessDeps & ScimUserRoutesDeps & ScimGroupRoutesDeps;

const MEDIA_TYPES = /^(?:application\/(?:scim\+)?json)?\s*(?:;|$)/i;

export function addScimRoutes(server: HttpServer, deps: ScimRoutesDeps): void {
  server.register(async (scope) => {
    acceptJsonObjects(scope, MEDIA_TYPES);
    sendScimErrors(scope);
    scope.decorateRequest("scimCaller");
    scope.addHook("onRequest", async (request) => {
      request.scimCaller = await authenticateScim(deps, request);
    });
    scope.addHook("onRoute", (route) => atEndOf(route, auditScim));
    const routes = scope as HttpServer;
    addScimUserRoutes(routes, deps);
    addScimGroupRoutes(routes, deps);
    addScimDocumentRoutes(routes, deps);
    addUnsupportedRoutes(scope);
  });
}

/** Changes are recorded with the secret by which they were made, or the user of the token. */
function auditScim(request: FastifyRequest, reply: FastifyReply): void {
  const { scimAction } = request.routeOptions.config;
  if (scimAction === undefined) return;
  const params = request.params as Readonly<Record<string, string>>;
  const secretId = request.scimCaller?.secretId;
  // `undefined` without a token.
  const caller = request.caller as typeof request.caller | undefined;
  const target = { ...params, ...(secretId !== undefined && { secret_id: secretId }) };
  const { statusCode: status } = reply;
  writeAudit(request, status, {
    action: scimAction,
    user: caller?.userId,
    scope: caller?.scope,
    delegation: caller?.delegation?.by,
    target,
    outcome: outcomeOf(status),
  });
}
