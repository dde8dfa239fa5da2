/** `/v3/services` */
import type { HttpServer } from "../platform/http/http-server.js";
import { createResource, type ResourceDeps } from "../platform/http/resource.js";
import { NewService, ServiceChange, ServiceView } from "./service-schema.js";
import type { ServiceService } from "./service-service.js";
import { SERVICE_FILTERS, type Service } from "./service-store.js";

export interface ServiceRoutesDeps extends ResourceDeps {
  readonly services: ServiceService;
}

export function addServiceRoutes(server: HttpServer, { services, ...deps }: ServiceRoutesDeps): void {
  const resource = createResource(server, deps, {
    path: "/v3/services",
    id: "service_id",
    name: "service",
    schema: ServiceView,
    view: ({ extra, ...service }: Service) => ({
      ...extra,
      ...service,
      links: { self: deps.links.self("/v3/services", service.id) },
    }),
  });
  resource.list({ filters: SERVICE_FILTERS, read: services.list });
  resource.create({ body: NewService, create: services.create });
  resource.show({ read: services.get });
  resource.update({ body: ServiceChange, update: services.update });
  resource.delete({ summary: "Deletes a service and its endpoints", delete: services.delete });
}
