/** `/v3/projects/{project_id}/tags` */
import { coreParameter, coreRelation } from "../../platform/discovery/json-home.js";
import type { HttpServer } from "../../platform/http/http-server.js";
import type { Links } from "../../platform/http/links.js";
import { createRoutes } from "../../platform/http/route.js";
import { TagList, TagListResponse, TagName } from "../project-schema.js";
import type { ProjectService } from "../project-service.js";
import { projectTarget } from "../project-routes.js";
import type { TagService } from "./tag-service.js";

export interface TagRoutesDeps {
  readonly tags: TagService;
  readonly projects: Pick<ProjectService, "findProject">;
  readonly links: Links;
}

export function addTagRoutes(server: HttpServer, { tags, projects, links }: TagRoutesDeps): void {
  const route = createRoutes(server, "project tags");
  const target = projectTarget(projects);
  const path = "/v3/projects/:project_id/tags";
  const tagPath = "/v3/projects/:project_id/tags/:value";
  const show = (id: string, names: readonly string[]) => ({
    links: { self: links.self("/v3/projects", id, "tags") },
    tags: [...names],
  });

  route("GET", path, {
    access: { action: "identity:list_project_tags", target },
    summary: "Lists the tags of a project",
    response: TagListResponse,
    handle: async ({ params: { project_id: id } }) => show(id, await tags.list(id)),
  });
  route("PUT", path, {
    access: { action: "identity:update_project_tags", target },
    summary: "Replaces the tags of a project",
    body: TagList,
    response: TagListResponse,
    handle: async ({ params: { project_id: id }, body }) => show(id, await tags.replace(id, body.tags)),
  });
  route("DELETE", path, {
    access: { action: "identity:delete_project_tags", target },
    summary: "Removes all tags from a project",
    handle: ({ params }) => tags.replace(params.project_id, []),
  });
  route("GET", tagPath, {
    access: { action: "identity:get_project_tag", target },
    home: [{ relation: coreRelation("project_tags"), parameters: { value: coreParameter("tag_value") } }],
    summary: "Checks that a project has a tag",
    handle: ({ params }) => tags.require(params.project_id, params.value),
  });
  route("PUT", tagPath, {
    access: { action: "identity:create_project_tag", target },
    summary: "Adds a tag to a project",
    parameters: { value: TagName },
    status: 201,
    async handle({ params: { project_id: id, value } }, reply) {
      await tags.add(id, value);
      reply.header("location", links.self("/v3/projects", id, "tags", value.trim()));
    },
  });
  route("DELETE", tagPath, {
    access: { action: "identity:delete_project_tag", target },
    summary: "Removes a tag from a project",
    handle: ({ params }) => tags.remove(params.project_id, params.value),
  });
}
