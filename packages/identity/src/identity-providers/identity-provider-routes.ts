/** `/identity_providers` of the federation. */
import { BODY_LIMITS } from "../platform/http/body-limits.js";
import { homeIn, type ExtensionPrefix } from "../platform/http/extension-prefix.js";
import type { HttpServer } from "../platform/http/http-server.js";
import { EnabledQuery, readEnabled } from "../platform/http/query.js";
import { createResource, type ResourceDeps } from "../platform/http/resource.js";
import { createRoutes } from "../platform/http/route.js";
import type { IdentityProviderService } from "./identity-provider-service.js";
import {
  ChangedIdentityProvider,
  IdentityProviderView,
  ListedIdentityProvider,
  NewIdentityProvider,
  providerFields,
  type IdentityProvider,
} from "./identity-provider.js";

export interface IdentityProviderRoutesDeps extends ResourceDeps {
  readonly identityProviders: IdentityProviderService;
}

export function addIdentityProviderRoutes(
  server: HttpServer,
  place: ExtensionPrefix,
  { identityProviders, ...deps }: IdentityProviderRoutesDeps,
): void {
  const path = `${place.prefix}/identity_providers`;
  const selfOf = ({ id }: IdentityProvider) => deps.links.self(path, id);
  const resource = createResource(server, deps, {
    path,
    id: "idp_id",
    name: "identity_provider",
    place,
    schema: IdentityProviderView,
    view: (provider: IdentityProvider) => ({ ...membersOf(provider), links: { self: selfOf(provider) } }),
  });
  resource.list({
    query: EnabledQuery,
    filters: ["id"],
    read: (query, request) => identityProviders.list({ ...query, enabled: readEnabled(request.query) }),
    schema: ListedIdentityProvider,
    view(provider) {
      const self = selfOf(provider);
      return { ...membersOf(provider), links: { self, protocols: `${self}/protocols` } };
    },
  });
  resource.show({ read: identityProviders.get });
  resource.put({
    body: NewIdentityProvider,
    bodyLimit: BODY_LIMITS.identityProvider,
    put: (id, draft = {}) => identityProviders.put(id, draft, { replaces: place.putReplaces }),
  });
  resource.update({
    body: ChangedIdentityProvider,
    bodyLimit: BODY_LIMITS.identityProvider,
    update: identityProviders.update,
  });

  createRoutes(server, "identity providers")("POST", `${path}/:idp_id/end_sessions`, {
    access: "identity:update_identity_provider",
    auditedAs: "identity:end_identity_provider_sessions",
    home: homeIn(place, "identity_provider_end_sessions", "idp_id"),
    summary: "Revokes all tokens issued by logins through an identity provider",
    handle: ({ params }) => identityProviders.endSessions(params.idp_id),
  });
  resource.delete({
    summary: "Deletes an identity provider, its protocols and its users",
    delete: identityProviders.delete,
  });
}

function membersOf(provider: IdentityProvider) {
  const { remoteIds, authorizedDomains, scimUniqueId } = provider;
  return {
    ...providerFields.view(provider),
    remote_ids: [...remoteIds],
    ...(authorizedDomains !== null && { authorized_domains: [...authorizedDomains] }),
    ...(scimUniqueId !== null && { scim_unique_id: scimUniqueId }),
  };
}
