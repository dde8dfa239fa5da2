/** `/service_providers` of the federation. */
import type { ExtensionPlace } from "../platform/http/extension-place.js";
import type { HttpServer } from "../platform/http/http-server.js";
import { createResource, type ResourceDeps } from "../platform/http/resource.js";
import { EnabledQuery, readEnabled } from "../platform/http/validation/boolean-parameter.js";
import {
  ChangedServiceProvider,
  NewServiceProvider,
  ServiceProviderView,
} from "./service-provider-schema.js";
import type { ServiceProviderService } from "./service-provider-service.js";
import type { ServiceProvider } from "./service-provider-store.js";

export interface ServiceProviderRoutesDeps extends ResourceDeps {
  readonly serviceProviders: ServiceProviderService;
}

export function addServiceProviderRoutes(
  server: HttpServer,
  place: ExtensionPlace,
  { serviceProviders, ...deps }: ServiceProviderRoutesDeps,
): void {
  const path = `${place.prefix}/service_providers`;
  const resource = createResource(server, deps, {
    path,
    id: "service_provider_id",
    name: "service_provider",
    place,
    schema: ServiceProviderView,
    view: ({ authUrl, spUrl, relayStatePrefix, ...provider }: ServiceProvider) => ({
      ...provider,
      auth_url: authUrl,
      sp_url: spUrl,
      relay_state_prefix: relayStatePrefix,
      links: { self: deps.links.self(path, provider.id) },
    }),
  });
  resource.list({
    query: EnabledQuery,
    filters: ["id"],
    read: (query, request) => serviceProviders.list({ ...query, enabled: readEnabled(request.query) }),
  });
  resource.show({ read: serviceProviders.get });
  resource.put({
    body: NewServiceProvider,
    put: (id, draft) => serviceProviders.put(id, draft, { replaces: place.putReplaces }),
  });
  resource.update({ body: ChangedServiceProvider, update: serviceProviders.update });
  resource.delete({ delete: serviceProviders.delete });
}
