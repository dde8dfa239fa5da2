/** `/v3/endpoints` */
import type { HttpServer } from "../platform/http/http-server.js";
import { createResource, type ResourceDeps } from "../platform/http/resource.js";
import {
  EndpointChange,
  EndpointFilters,
  EndpointView,
  NewEndpoint,
  ENDPOINT_FILTERS,
  endpointView,
  type Endpoint,
} from "./endpoint.js";
import type { EndpointService } from "./endpoint-service.js";

export function addEndpointRoutes(
  server: HttpServer,
  { endpoints, ...deps }: ResourceDeps & { readonly endpoints: EndpointService },
): void {
  const resource = createResource(server, deps, {
    path: "/v3/endpoints",
    id: "endpoint_id",
    name: "endpoint",
    schema: EndpointView,
    view: (endpoint: Endpoint) => endpointView(endpoint, deps.links),
  });
  resource.list({ query: EndpointFilters, filters: ENDPOINT_FILTERS, read: endpoints.list });
  resource.create({ body: NewEndpoint, create: endpoints.create });
  resource.show({ read: endpoints.get });
  resource.update({ body: EndpointChange, update: endpoints.update });
  resource.delete({ delete: endpoints.delete });
}
