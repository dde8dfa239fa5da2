/** `/v3/regions` */
import { coreRelation } from "../../platform/discovery/json-home.js";
import { InvalidError } from "../../platform/errors.js";
import type { HttpServer } from "../../platform/http/http-server.js";
import type { Links } from "../../platform/http/links.js";
import { readFilters } from "../../platform/http/lists/list-filters.js";
import { sendPages } from "../../platform/http/lists/long-list.js";
import { readPage, type Page } from "../../platform/http/lists/paging.js";
import { PAGE_PARAMETERS, pathOf, queryOf } from "../../platform/http/validation/schema-parts.js";
import { NewRegion, RegionAnswer, RegionChange, RegionList } from "./region-schema.js";
import type { RegionService } from "./region-service.js";
import { REGION_FILTERS, type Region } from "./region-store.js";

export interface RegionRoutesDeps {
  readonly regions: RegionService;
  readonly links: Links;
  readonly listLimit: number | undefined;
}

export function addRegionRoutes(server: HttpServer, { regions, links, listLimit }: RegionRoutesDeps): void {
  const tags = ["regions"];
  const params = pathOf("region_id");
  const show = (region: Region) => ({ region: viewOf(region, links) });

  server.get(
    "/v3/regions",
    {
      config: { access: "identity:list_regions", home: [{ relation: coreRelation("regions") }] },
      schema: {
        tags,
        summary: "Lists regions",
        querystring: queryOf(...REGION_FILTERS, ...PAGE_PARAMETERS),
        response: { 200: RegionList },
      },
    },
    async ({ query, url }, reply) => {
      const page = readPage(query, { listLimit });
      const readPart = async (part: Page) => {
        const found = await regions.list({ filters: readFilters(query, REGION_FILTERS), page: part });
        return found.map((region) => viewOf(region, links));
      };
      return sendPages(reply, "regions", readPart, { page, links, url });
    },
  );

  server.post(
    "/v3/regions",
    {
      config: { access: "identity:create_region" },
      schema: { tags, summary: "Creates a region", body: NewRegion, response: { 201: RegionAnswer } },
    },
    async ({ body }, reply) => reply.code(201).send(show(await regions.create(body.region))),
  );

  server.get(
    "/v3/regions/:region_id",
    {
      config: { access: "identity:get_region", home: [{ relation: coreRelation("region") }] },
      schema: { tags, summary: "Shows a region", params, response: { 200: RegionAnswer } },
    },
    async ({ params: { region_id: id } }) => show(await regions.get(id)),
  );

  server.put(
    "/v3/regions/:region_id",
    {
      config: { access: "identity:create_region" },
      schema: {
        tags,
        summary: "Creates a region of this id",
        params,
        body: NewRegion,
        response: { 201: RegionAnswer },
      },
    },
    async ({ params: { region_id: id }, body: { region } }, reply) => {
      if (region.id !== undefined && region.id !== id)
        throw new InvalidError(`Conflicting region IDs specified: "${id}" != "${region.id}"`);
      return reply.code(201).send(show(await regions.create({ ...region, id })));
    },
  );

  server.patch(
    "/v3/regions/:region_id",
    {
      config: { access: "identity:update_region" },
      schema: {
        tags,
        summary: "Changes a region",
        params,
        body: RegionChange,
        response: { 200: RegionAnswer },
      },
    },
    async ({ params: { region_id: id }, body }) => show(await regions.update(id, body.region)),
  );

  server.delete(
    "/v3/regions/:region_id",
    {
      config: { access: "identity:delete_region" },
      schema: { tags, summary: "Deletes a region and those within it", params },
    },
    async ({ params: { region_id: id } }, reply) => {
      await regions.delete(id);
      return reply.code(204).send();
    },
  );
}

function viewOf({ id, description, parentRegionId, extra }: Region, links: Links) {
  return {
    ...extra,
    id,
    description,
    parent_region_id: parentRegionId,
    links: { self: links.self("/v3/regions", id) },
  };
}
