/** `/v3/OS-EP-FILTER/endpoint_groups` */
import type { ExtensionPlace } from "../platform/http/extension-place.js";
import type { HttpServer } from "../platform/http/http-server.js";
import type { Links } from "../platform/http/links.js";
import { createResource, type ResourceDeps } from "../platform/http/resource.js";
import {
  EndpointGroupChange,
  EndpointGroupListQuery,
  EndpointGroupView,
  NewEndpointGroup,
} from "./endpoint-group-schema.js";
import type { EndpointGroupService } from "./endpoint-group-service.js";
import type { EndpointGroup } from "./endpoint-group-store.js";

export const ENDPOINT_FILTER_PREFIX = "/v3/OS-EP-FILTER";

const PLACE: ExtensionPlace = {
  prefix: ENDPOINT_FILTER_PREFIX,
  putReplaces: false,
  homeName: "OS-EP-FILTER",
};

export interface EndpointGroupRoutesDeps extends ResourceDeps {
  readonly endpointGroups: EndpointGroupService;
}

export function addEndpointGroupRoutes(
  server: HttpServer,
  { endpointGroups, ...deps }: EndpointGroupRoutesDeps,
): void {
  const resource = createResource(server, deps, {
    path: `${PLACE.prefix}/endpoint_groups`,
    id: "endpoint_group_id",
    name: "endpoint_group",
    place: PLACE,
    schema: EndpointGroupView,
    view: (group: EndpointGroup) => endpointGroupView(group, deps.links),
  });
  resource.list({ query: EndpointGroupListQuery, filters: ["name"], read: endpointGroups.list });
  resource.create({ body: NewEndpointGroup, create: endpointGroups.create });
  resource.show({ read: endpointGroups.get });
  resource.update({ body: EndpointGroupChange, update: endpointGroups.update });
  resource.delete({ delete: endpointGroups.delete });
}

/** An endpoint group in responses. */
export function endpointGroupView(group: EndpointGroup, links: Links) {
  return { ...group, links: { self: links.self(`${PLACE.prefix}/endpoint_groups`, group.id) } };
}
