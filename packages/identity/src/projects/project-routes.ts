/** `/v3/projects` */
import type { FastifyRequest } from "fastify";

import { coreRelation } from "../platform/discovery/json-home.js";
import { readBoolean } from "../platform/http/validation/boolean-parameter.js";
import type { HttpServer } from "../platform/http/http-server.js";
import type { Links } from "../platform/http/links.js";
import { readFilters } from "../platform/http/lists/list-filters.js";
import { sendPages } from "../platform/http/lists/long-list.js";
import { readPage, type Page } from "../platform/http/lists/paging.js";
import type { Query } from "../platform/http/query.js";
import { pathOf, queryOf } from "../platform/http/validation/schema-parts.js";
import type { Credentials, PolicyTarget } from "../policy/credentials.js";
import { DEFAULT_DOMAIN_ID, type Project } from "./project.js";
import { PROJECT_FILTERS, type TagFilter } from "./project-list.js";
import {
  NewProject,
  ProjectAnswer,
  ProjectChange,
  ProjectInTreeAnswer,
  ProjectList,
  ProjectListQuery,
} from "./project-schema.js";
import type { ProjectService } from "./project-service.js";
import { listTarget, projectTarget, scopeDomain } from "./project-targets.js";
import { projectView } from "./project-view.js";
import { idsAbove, idsBelow, readTreeRequest } from "./project-tree.js";

export interface ProjectRoutesDeps {
  readonly projects: ProjectService;
  /** The projects that somebody has a role on: of those above and below a project they see no others. */
  readonly visibleProjectIds: (caller: Credentials) => Promise<ReadonlySet<string>>;
  readonly links: Links;
  readonly listLimit: number | undefined;
}

export function addProjectRoutes(server: HttpServer, deps: ProjectRoutesDeps): void {
  const { projects, visibleProjectIds, links, listLimit } = deps;
  const tags = ["projects"];
  const params = pathOf("project_id");
  const show = (project: Project) => ({ project: projectView(project, links) });
  const target = projectTarget(projects);

  server.get(
    "/v3/projects",
    {
      config: {
        access: { action: "identity:list_projects", target: listTarget },
        home: [{ relation: coreRelation("projects") }],
      },
      schema: {
        tags,
        summary: "Lists projects",
        querystring: ProjectListQuery,
        response: { 200: ProjectList },
      },
    },
    async ({ query, url, caller }, reply) => {
      const page = readPage(query, { listLimit });
      const readPart = async (part: Page) => {
        const found = await projects.list({
          filters: readFilters(query, PROJECT_FILTERS),
          enabled: readBoolean(query.enabled),
          isDomain: readBoolean(query.is_domain) ?? false,
          domainId: scopeDomain(caller),
          tags: readTags(query),
          page: part,
        });
        return found.map((project) => projectView(project, links));
      };
      return sendPages(reply, "projects", readPart, { page, links, url });
    },
  );

  server.post(
    "/v3/projects",
    {
      config: { access: { action: "identity:create_project", target: newProjectTarget } },
      schema: { tags, summary: "Creates a project", body: NewProject, response: { 201: ProjectAnswer } },
    },
    async ({ body, caller }, reply) => {
      const domainId = scopeDomain(caller) ?? DEFAULT_DOMAIN_ID;
      return reply.code(201).send(show(await projects.create(body.project, { domainId })));
    },
  );

  async function relativesOf(project: Project, query: Query, caller: Credentials) {
    const wanted = readTreeRequest(query);
    const ancestors = wanted.parents && (await projects.listAncestors(project));
    const descendants = wanted.subtree && (await projects.listDescendants(project.id));
    const isListed = wanted.parents === "list" || wanted.subtree === "list";
    const visible = isListed ? await visibleProjectIds(caller) : new Set<string>();
    const listed = (some: readonly Project[]) => some.filter(({ id }) => visible.has(id)).map(show);
    return {
      ...(ancestors && { parents: wanted.parents === "ids" ? idsAbove(ancestors) : listed(ancestors) }),
      ...(descendants && {
        subtree: wanted.subtree === "ids" ? idsBelow(project.id, descendants) : listed(descendants),
      }),
    };
  }

  server.get(
    "/v3/projects/:project_id",
    {
      config: {
        access: { action: "identity:get_project", target },
        home: [{ relation: coreRelation("project") }],
      },
      schema: {
        tags,
        summary: "Shows a project",
        params,
        querystring: queryOf("parents_as_list", "parents_as_ids", "subtree_as_list", "subtree_as_ids"),
        response: { 200: ProjectInTreeAnswer },
      },
    },
    async ({ params: { project_id: id }, query, caller }) => {
      const project = await projects.getProject(id);
      return { project: { ...projectView(project, links), ...(await relativesOf(project, query, caller)) } };
    },
  );

  server.patch(
    "/v3/projects/:project_id",
    {
      config: { access: { action: "identity:update_project", target } },
      schema: {
        tags,
        summary: "Changes a project",
        params,
        body: ProjectChange,
        response: { 200: ProjectAnswer },
      },
    },
    async ({ params: { project_id: id }, body }) => {
      const project = await projects.update(id, body.project);
      // Keystone has the client's attributes twice here, and here alone.
      return { project: { ...projectView(project, links), extra: project.extra } };
    },
  );

  server.delete(
    "/v3/projects/:project_id",
    {
      config: { access: { action: "identity:delete_project", target } },
      schema: { tags, summary: "Deletes a project, or a domain that is disabled", params },
    },
    async ({ params: { project_id: id } }, reply) => {
      await projects.delete(id);
      return reply.code(204).send();
    },
  );
}

function newProjectTarget({ body }: FastifyRequest): PolicyTarget {
  const { project } = (body ?? {}) as { readonly project?: { readonly domain_id?: unknown } | null };
  const domainId = project?.domain_id;
  return { project: typeof domainId === "string" ? { domainId } : {} };
}

function readTags(query: Query): TagFilter {
  const read = (parameter: string) => query[parameter]?.split(",");
  return {
    all: read("tags"),
    any: read("tags-any"),
    notAll: read("not-tags"),
    notAny: read("not-tags-any"),
  };
}
