/** `/v3/services` */
import type { HttpServer } from "../platform/http/http-server.js";
import { createResource, type ResourceDeps } from "../platform/http/resource.js";
import { NewService, ServiceChange, ServiceView, SERVICE_FILTERS, type Service } from "./service.js";
import type { ServiceService } from "./service-service.js";

export function addServiceRoutes(
  server: HttpServer,
  { services, ...deps }: ResourceDeps & { readonly services: ServiceService },
): void {
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
