/** `/v3/regions` */
import { InvalidError } from "../../platform/errors.js";
import type { HttpServer } from "../../platform/http/http-server.js";
import { createResource, type ResourceDeps } from "../../platform/http/resource.js";
import { createRoutes } from "../../platform/http/route.js";
import { bodyOf } from "../../platform/http/validation/schema-parts.js";
import { NewRegion, RegionChange, regionFields, RegionView, REGION_FILTERS, type Region } from "./region.js";
import type { RegionService } from "./region-service.js";

export function addRegionRoutes(
  server: HttpServer,
  { regions, ...deps }: ResourceDeps & { readonly regions: RegionService },
): void {
  const view = (region: Region) => ({
    ...region.extra,
    ...regionFields.view(region),
    links: { self: deps.links.self("/v3/regions", region.id) },
  });
  const resource = createResource(server, deps, {
    path: "/v3/regions",
    id: "region_id",
    name: "region",
    schema: RegionView,
    view,
  });
  resource.list({ filters: REGION_FILTERS, read: regions.list });
  resource.create({ body: NewRegion, create: regions.create });
  resource.show({ read: regions.get });

  createRoutes(server, "regions")("PUT", "/v3/regions/:region_id", {
    access: "identity:create_region",
    summary: "Creates a region of this id",
    body: NewRegion,
    status: 201,
    response: bodyOf("region", RegionView),
    async handle({ params: { region_id: id }, body: { region } }) {
      if (region.id !== undefined && region.id !== id)
        throw new InvalidError(`Conflicting region IDs specified: "${id}" != "${region.id}"`);
      return { region: view(await regions.create({ ...region, id })) };
    },
  });
  resource.update({ body: RegionChange, update: regions.update });
  resource.delete({ summary: "Deletes a region and those within it", delete: regions.delete });
}
