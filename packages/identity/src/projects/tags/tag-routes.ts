/** `/v3/projects/{project_id}/tags` */
import { Type } from "typebox";

import { coreParameter, coreRelation } from "../../platform/discovery/json-home.js";
import type { HttpServer } from "../../platform/http/http-server.js";
import type { Links } from "../../platform/http/links.js";
import { noContent } from "../../platform/http/resource-route.js";
import { pathOf } from "../../platform/http/validation/schema-parts.js";
import { TagList, TagListResponse, TagName } from "../project-schema.js";
import type { ProjectService } from "../project-service.js";
import { projectTarget } from "../project-routes.js";
import type { TagService } from "./tag-service.js";

export interface TagRoutesDeps {
  readonly tags: TagService;
  readonly projects: Pick<ProjectService, "findProject">;
  readonly links: Links;
}

export function addTagRoutes(server: HttpServer, { tags: service, projects, links }: TagRoutesDeps): void {
  const tags = ["project tags"];
  const params = pathOf("project_id");
  const tagParams = pathOf("project_id", "value");
  const target = projectTarget(projects);
  const show = (id: string, names: readonly string[]) => ({
    links: { self: links.self("/v3/projects", id, "tags") },
    tags: [...names],
  });

  server.get(
    "/v3/projects/:project_id/tags",
    {
      config: { access: { action: "identity:list_project_tags", target } },
      schema: { tags, summary: "Lists the tags of a project", params, response: { 200: TagListResponse } },
    },
    async ({ params: { project_id: id } }) => show(id, await service.list(id)),
  );

  server.put(
    "/v3/projects/:project_id/tags",
    {
      config: { access: { action: "identity:update_project_tags", target } },
      schema: {
        tags,
        summary: "Replaces the tags of a project",
        params,
        body: TagList,
        response: { 200: TagListResponse },
      },
    },
    async ({ params: { project_id: id }, body }) => show(id, await service.replace(id, body.tags)),
  );

  server.delete(
    "/v3/projects/:project_id/tags",
    {
      config: { access: { action: "identity:delete_project_tags", target } },
      schema: { tags, summary: "Removes all tags from a project", params },
    },
    async (request, reply) => noContent(reply, service.replace(request.params.project_id, [])),
  );

  server.get(
    "/v3/projects/:project_id/tags/:value",
    {
      config: {
        access: { action: "identity:get_project_tag", target },
        home: [{ relation: coreRelation("project_tags"), parameters: { value: coreParameter("tag_value") } }],
      },
      schema: { tags, summary: "Checks that a project has a tag", params: tagParams },
    },
    async (request, reply) =>
      noContent(reply, service.require(request.params.project_id, request.params.value)),
  );

  server.put(
    "/v3/projects/:project_id/tags/:value",
    {
      config: { access: { action: "identity:create_project_tag", target } },
      schema: {
        tags,
        summary: "Adds a tag to a project",
        params: Type.Object({ ...tagParams.properties, value: TagName }),
      },
    },
    async ({ params: { project_id: id, value } }, reply) => {
      await service.add(id, value);
      const place = links.self("/v3/projects", id, "tags", value.trim());
      return reply.code(201).header("location", place).send();
    },
  );

  server.delete(
    "/v3/projects/:project_id/tags/:value",
    {
      config: { access: { action: "identity:delete_project_tag", target } },
      schema: { tags, summary: "Removes a tag from a project", params: tagParams },
    },
    async (request, reply) =>
      noContent(reply, service.remove(request.params.project_id, request.params.value)),
  );
}
