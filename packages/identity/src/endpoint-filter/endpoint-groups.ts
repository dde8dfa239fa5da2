/** The rules for endpoint groups, and their routes. */
import type { Platform } from "../area.js";
import type { ListQuery } from "../platform/database/table.js";
import { InvalidError } from "../platform/errors.js";
import type { ExtensionPrefix } from "../platform/http/extension-prefix.js";
import type { HttpServer } from "../platform/http/http-server.js";
import type { Links } from "../platform/http/links.js";
import { createResource, type ResourceDeps } from "../platform/http/resource.js";
import {
  EndpointGroupFilterError,
  endpointGroupTable,
  EndpointGroupChange,
  NewEndpointGroup,
  EndpointGroupListQuery,
  EndpointGroupView,
  type EndpointGroupFilters,
  type EndpointGroup,
} from "./endpoint-group.js";

const ATTRIBUTES = new Set(["service_id", "region_id", "interface"]);

type EndpointGroupService = ReturnType<typeof createEndpointGroupService>;

export function createEndpointGroupService({ database, newId }: Pick<Platform, "database" | "newId">) {
  return {
    list: (query: ListQuery<"name">): Promise<EndpointGroup[]> => endpointGroupTable.list(database, query),

    get: (id: string): Promise<EndpointGroup> => endpointGroupTable.require(database, id),

    create: async ({ name, filters, description = null }: NewEndpointGroup): Promise<EndpointGroup> => {
      if (Object.keys(filters).length === 0)
        throw new InvalidError("filters field is required and cannot be empty");
      checkAttributes(filters);
      const group: EndpointGroup = { id: newId(), name, description, filters };
      await database.transaction((transaction) => endpointGroupTable.insert(transaction, group));
      return group;
    },

    update: async (id: string, change: EndpointGroupChange): Promise<EndpointGroup> => {
      if (change.filters !== undefined) checkAttributes(change.filters);
      return database.transaction(async (transaction) => {
        const group = await endpointGroupTable.require(transaction, id);
        const changed = { ...group, ...change };
        await endpointGroupTable.update(transaction, changed);
        return changed;
      });
    },

    /** It is taken from its projects, too. */
    delete: (id: string): Promise<void> =>
      database.transaction((transaction) => endpointGroupTable.delete(transaction, id)),
  };
}

function checkAttributes(filters: EndpointGroupFilters): void {
  if (!Object.keys(filters).every((name) => ATTRIBUTES.has(name))) throw new EndpointGroupFilterError();
}

export const ENDPOINT_FILTER_PREFIX = "/v3/OS-EP-FILTER";

const PLACE: ExtensionPrefix = {
  prefix: ENDPOINT_FILTER_PREFIX,
  putReplaces: false,
  homeName: "OS-EP-FILTER",
};

/** `/v3/OS-EP-FILTER/endpoint_groups` */
export function addEndpointGroupRoutes(
  server: HttpServer,
  { endpointGroups, ...deps }: ResourceDeps & { readonly endpointGroups: EndpointGroupService },
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
