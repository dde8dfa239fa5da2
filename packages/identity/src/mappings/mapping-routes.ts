/** `/mappings` of the federation. */
import type { ExtensionPrefix } from "../platform/http/extension-prefix.js";
import type { HttpServer } from "../platform/http/http-server.js";
import { createResource, type ResourceDeps } from "../platform/http/resource.js";
import { CheckedMappingView, MappingBody, MappingView, type StoredMapping } from "./mapping.js";
import type { CheckedMapping, MappingService } from "./mapping-service.js";

export interface MappingRoutesDeps extends ResourceDeps {
  readonly mappings: MappingService;
}

export function addMappingRoutes(
  server: HttpServer,
  place: ExtensionPrefix,
  { mappings, ...deps }: MappingRoutesDeps,
): void {
  const path = `${place.prefix}/mappings`;
  const view = ({ id, rules, schemaVersion }: StoredMapping & Partial<CheckedMapping>) => ({
    id,
    rules: [...rules],
    schema_version: schemaVersion,
    links: { self: deps.links.self(path, id) },
  });
  const resource = createResource(server, deps, {
    path,
    id: "mapping_id",
    name: "mapping",
    place,
    schema: MappingView,
    view,
  });
  const checked = {
    schema: CheckedMappingView,
    view: ({ warnings = [], ...mapping }: StoredMapping & Partial<CheckedMapping>) => ({
      ...view(mapping),
      ...(warnings.length > 0 && { warnings }),
    }),
  };
  resource.list({ read: mappings.list });
  resource.show({ read: mappings.get });
  resource.put({
    ...checked,
    body: MappingBody,
    put: (id, draft) => mappings.put(id, draft, { replaces: place.putReplaces }),
  });
  resource.update({
    ...checked,
    summary: "Replaces the rules of a mapping",
    body: MappingBody,
    update: mappings.update,
  });
  resource.delete({ delete: mappings.delete });
}
