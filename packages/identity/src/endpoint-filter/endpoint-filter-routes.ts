/** `/v3/OS-EP-FILTER`: the endpoints and the endpoint groups that projects are restricted to. */
import { EndpointView, endpointView } from "../catalog/endpoint.js";
import { extensionParameter, extensionRelation, type HomeRelation } from "../platform/discovery/json-home.js";
import type { HttpServer } from "../platform/http/http-server.js";
import { listHandler, type ResourceDeps } from "../platform/http/resource.js";
import { createRoutes } from "../platform/http/route.js";
import { listOf, PAGE_PARAMETERS, queryOf } from "../platform/http/validation/schema-parts.js";
import { ProjectList } from "../projects/project-schema.js";
import { projectView } from "../projects/project.js";
import type { EndpointFilterService } from "./endpoint-filter-service.js";
import { ENDPOINT_FILTER_PREFIX as PREFIX, endpointGroupView } from "./endpoint-groups.js";
import { EndpointGroupInProject, EndpointGroupView } from "./endpoint-group.js";
import type { ProjectAssociation } from "./project-associations.js";

export interface EndpointFilterRoutesDeps extends ResourceDeps {
  readonly endpointFilters: EndpointFilterService;
}

const TAG = "endpoint filters";

export function addEndpointFilterRoutes(server: HttpServer, deps: EndpointFilterRoutesDeps): void {
  addEndpointsOfProjects(server, deps);
  addGroupsOfProjects(server, deps);
  addEndpointLists(server, deps);
  addProjectLists(server, deps);
}

function addEndpointsOfProjects(server: HttpServer, { endpointFilters }: EndpointFilterRoutesDeps): void {
  const route = createRoutes(server, TAG);
  const path = `${PREFIX}/projects/:project_id/endpoints/:endpoint_id` as const;

  route("GET", path, {
    access: "identity:check_endpoint_in_project",
    home: homeOf("project_endpoint"),
    summary: "Checks that a project is restricted to an endpoint",
    handle: ({ params }) => endpointFilters.checkEndpoint(endpointKey(params)),
  });
  route("PUT", path, {
    access: "identity:add_endpoint_to_project",
    summary: "Restricts a project to an endpoint, in addition to others",
    handle: ({ params }) => endpointFilters.addEndpoint(endpointKey(params)),
  });
  route("DELETE", path, {
    access: "identity:remove_endpoint_from_project",
    summary: "Takes an endpoint from a project",
    handle: ({ params }) => endpointFilters.removeEndpoint(endpointKey(params)),
  });
}

function addGroupsOfProjects(
  server: HttpServer,
  { endpointFilters, ...deps }: EndpointFilterRoutesDeps,
): void {
  const route = createRoutes(server, TAG);
  const path = `${PREFIX}/endpoint_groups/:endpoint_group_id/projects/:project_id` as const;

  route("GET", path, {
    access: "identity:get_endpoint_group_in_project",
    home: homeOf("endpoint_group_to_project_association"),
    summary: "Shows that a project is restricted to an endpoint group",
    response: EndpointGroupInProject,
    async handle({ params }) {
      await endpointFilters.checkGroup(groupKey(params));
      const { endpoint_group_id, project_id } = params;
      const url = deps.links.self(`${PREFIX}/endpoint_groups`, endpoint_group_id, "projects", project_id);
      // As Keystone's: a path behind /v3.
      const self = url.slice(`${deps.links.publicUrl}/v3`.length);
      return { project_endpoint_group: { endpoint_group_id, project_id, links: { self } } };
    },
  });
  route("PUT", path, {
    access: "identity:add_endpoint_group_to_project",
    summary: "Restricts a project to the endpoints of a group, in addition to others",
    handle: ({ params }) => endpointFilters.addGroup(groupKey(params)),
  });
  route("DELETE", path, {
    access: "identity:remove_endpoint_group_from_project",
    summary: "Takes an endpoint group from a project",
    handle: ({ params }) => endpointFilters.removeGroup(groupKey(params)),
  });
  route("GET", `${PREFIX}/projects/:project_id/endpoint_groups`, {
    access: "identity:list_endpoint_groups_for_project",
    home: homeOf("project_endpoint_groups"),
    summary: "Lists the endpoint groups that a project is restricted to",
    query: queryOf(...PAGE_PARAMETERS),
    response: listOf("endpoint_groups", EndpointGroupView),
    handle: listHandler(deps, "endpoint_groups", {
      open:
        ({ params: { project_id: id } }) =>
        async (query) =>
          (await endpointFilters.listGroupsOfProject(id, query)).map((group) =>
            endpointGroupView(group, deps.links),
          ),
    }),
  });
}

function addEndpointLists(server: HttpServer, { endpointFilters, ...deps }: EndpointFilterRoutesDeps): void {
  const route = createRoutes(server, TAG);
  const query = queryOf(...PAGE_PARAMETERS);
  const response = listOf("endpoints", EndpointView);

  route("GET", `${PREFIX}/projects/:project_id/endpoints`, {
    access: "identity:list_endpoints_for_project",
    home: homeOf("project_endpoints"),
    summary: "Lists the endpoints that a project is restricted to",
    query,
    response,
    handle: listHandler(deps, "endpoints", {
      open:
        ({ params: { project_id: id } }) =>
        async (page) =>
          (await endpointFilters.listEndpointsOfProject(id, page)).map((endpoint) =>
            endpointView(endpoint, deps.links),
          ),
    }),
  });
  route("GET", `${PREFIX}/endpoint_groups/:endpoint_group_id/endpoints`, {
    access: "identity:list_endpoints_associated_with_endpoint_group",
    home: homeOf("endpoints_in_endpoint_group"),
    summary: "Lists the endpoints of an endpoint group",
    query,
    response,
    handle: listHandler(deps, "endpoints", {
      open:
        ({ params: { endpoint_group_id: id } }) =>
        async (page) =>
          (await endpointFilters.listEndpointsOfGroup(id, page)).map((endpoint) =>
            endpointView(endpoint, deps.links),
          ),
    }),
  });
}

function addProjectLists(server: HttpServer, { endpointFilters, ...deps }: EndpointFilterRoutesDeps): void {
  const route = createRoutes(server, TAG);
  const query = queryOf(...PAGE_PARAMETERS);

  route("GET", `${PREFIX}/endpoints/:endpoint_id/projects`, {
    access: "identity:list_projects_for_endpoint",
    home: homeOf("endpoint_projects"),
    summary: "Lists the projects that are restricted to an endpoint",
    query,
    response: ProjectList,
    handle: listHandler(deps, "projects", {
      open:
        ({ params: { endpoint_id: id } }) =>
        async ({ page }) =>
          (await endpointFilters.listProjectsOfEndpoint(id, page)).map((project) =>
            projectView(project, deps.links),
          ),
    }),
  });
  route("GET", `${PREFIX}/endpoint_groups/:endpoint_group_id/projects`, {
    access: "identity:list_projects_associated_with_endpoint_group",
    home: homeOf("projects_associated_with_endpoint_group"),
    summary: "Lists the projects that are restricted to an endpoint group",
    query,
    response: ProjectList,
    handle: listHandler(deps, "projects", {
      open:
        ({ params: { endpoint_group_id: id } }) =>
        async ({ page }) =>
          (await endpointFilters.listProjectsOfGroup(id, page)).map((project) =>
            projectView(project, deps.links),
          ),
    }),
  });
}

/** Of the parameters of paths, only the group's id belongs to the extension. */
function homeOf(name: string): HomeRelation[] {
  const parameters = { endpoint_group_id: extensionParameter("OS-EP-FILTER", "endpoint_group_id") };
  return [{ relation: extensionRelation("OS-EP-FILTER", name), parameters }];
}

function endpointKey(params: {
  readonly project_id: string;
  readonly endpoint_id: string;
}): ProjectAssociation {
  return { projectId: params.project_id, targetId: params.endpoint_id };
}

function groupKey(params: {
  readonly project_id: string;
  readonly endpoint_group_id: string;
}): ProjectAssociation {
  return { projectId: params.project_id, targetId: params.endpoint_group_id };
}
