/** `/service_providers` of the federation. */
import type { ExtensionPrefix } from "../platform/http/extension-prefix.js";
import type { HttpServer } from "../platform/http/http-server.js";
import { createResource, type ResourceDeps } from "../platform/http/resource.js";
import { EnabledQuery, readEnabled } from "../platform/http/query.js";
import {
  ChangedServiceProvider,
  NewServiceProvider,
  serviceProviderFields,
  ServiceProviderView,
  type ServiceProvider,
} from "./service-provider.js";
import type { ServiceProviderService } from "./service-provider-service.js";

export interface ServiceProviderRoutesDeps extends ResourceDeps {
  readonly serviceProviders: ServiceProviderService;
}

export function addServiceProviderRoutes(
  server: HttpServer,
  place: ExtensionPrefix,
  { serviceProviders, ...deps }: ServiceProviderRoutesDeps,
): void {
  const path = `${place.prefix}/service_providers`;
  const resource = createResource(server, deps, {
    path,
    id: "service_provider_id",
    name: "service_provider",
    place,
    schema: ServiceProviderView,
    view: (provider: ServiceProvider) => ({
      ...serviceProviderFields.view(provider),
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
