/** Tags of projects: rules and routes. */
import type { Platform } from "../area.js";
import { coreParameter, coreRelation } from "../platform/discovery/json-home.js";
import type { HttpServer } from "../platform/http/http-server.js";
import { createRoutes } from "../platform/http/route.js";
import { schemaFault, type Schema } from "../platform/http/validation/schema-fault.js";
import { SchemaError } from "../platform/http/validation/validation.js";
import { isImmutable } from "../platform/attributes.js";
import { SHOWN_BY_NO_TOKEN } from "./project-changes.js";
import { ImmutableTagsError, TagNotFoundError } from "./project-errors.js";
import { projectTarget } from "./project-routes.js";
import { Tags, TagList, TagListResponse, TagName } from "./project-schema.js";
import type { ProjectService } from "./project-service.js";
import { replaceTags, requireProject } from "./project-store.js";

type TagService = ReturnType<typeof createTagService>;

export function createTagService({ database }: Pick<Platform, "database">) {
  /** Replaces the tags of a project by a function of them. */
  const change = (
    id: string,
    verb: "create" | "update" | "delete",
    make: (tags: readonly string[]) => readonly string[],
    event?: { readonly operation: "created" | "deleted"; readonly id: string },
  ): Promise<readonly string[]> =>
    database.transaction(async (transaction) => {
      const project = await requireProject(transaction, id);
      if (isImmutable(project)) throw new ImmutableTagsError(verb, id);
      const tags = make(project.tags);
      checkTags(tags);
      await replaceTags(transaction, { id, tags });
      transaction.publish({ resource: "project", operation: "updated", id });
      if (event !== undefined) transaction.publish({ resource: "project tag", ...event });
      return tags;
    }, SHOWN_BY_NO_TOKEN);

  return {
    async list(projectId: string): Promise<readonly string[]> {
      return (await requireProject(database, projectId)).tags;
    },

    /** @throws {TagNotFoundError} */
    async require(projectId: string, tag: string): Promise<void> {
      requireTag((await requireProject(database, projectId)).tags, tag);
    },

    /** @returns The new tags, without surrounding blanks. */
    replace: (projectId: string, tags: readonly string[]): Promise<readonly string[]> =>
      change(projectId, "update", () => [...new Set(tags.map((tag) => tag.trim()))]),

    /** @throws {SchemaError} The project has the tag, or the maximum of tags. */
    add: (projectId: string, tag: string): Promise<readonly string[]> =>
      change(projectId, "create", (tags) => [...tags, tag.trim()], {
        operation: "created",
        id: tag.trim(),
      }),

    remove: (projectId: string, tag: string): Promise<readonly string[]> =>
      change(
        projectId,
        "delete",
        (tags) => {
          requireTag(tags, tag);
          return tags.filter((each) => each !== tag);
        },
        { operation: "deleted", id: tag },
      ),
  };
}

function requireTag(tags: readonly string[], tag: string): void {
  if (!tags.includes(tag)) throw new TagNotFoundError(tag);
}

/** Validates again: a trimmed tag may be empty, and an added one may be too many. */
function checkTags(tags: readonly string[]): void {
  const fault = schemaFault(Tags as unknown as Schema, tags);
  if (fault !== undefined) throw new SchemaError(fault);
}

/** `/v3/projects/{project_id}/tags` */
export function addTagRoutes(
  server: HttpServer,
  {
    tags,
    projects,
    links,
  }: Pick<Platform, "links"> & {
    readonly tags: TagService;
    readonly projects: Pick<ProjectService, "findProject">;
  },
): void {
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
