/** `/v3/OS-EP-FILTER`: the endpoints and the endpoint groups that projects are restricted to. */
import { EndpointView } from "../catalog/endpoint-schema.js";
import type { Endpoint } from "../catalog/endpoint-store.js";
import { endpointView } from "../catalog/endpoint-view.js";
import { extensionParameter, extensionRelation, type HomeRelation } from "../platform/discovery/json-home.js";
import {
  addAssociatedList,
  addAssociationRoutes,
  type PathParameters,
} from "../platform/http/association.js";
import type { HttpServer } from "../platform/http/http-server.js";
import type { ResourceDeps } from "../platform/http/resource.js";
import { noContent } from "../platform/http/resource-route.js";
import { pathOf } from "../platform/http/validation/schema-parts.js";
import type { Project } from "../projects/project.js";
import { ProjectView } from "../projects/project-schema.js";
import { projectView } from "../projects/project-view.js";
import type { EndpointFilterService } from "./endpoint-filter-service.js";
import { ENDPOINT_FILTER_PREFIX as PREFIX, endpointGroupView } from "./endpoint-group-routes.js";
import { EndpointGroupInProject, EndpointGroupView } from "./endpoint-group-schema.js";
import type { EndpointGroup } from "./endpoint-group-store.js";
import type { ProjectAssociation } from "./project-associations.js";

export interface EndpointFilterRoutesDeps extends ResourceDeps {
  readonly endpointFilters: EndpointFilterService;
}

const tag = "endpoint filters";

export function addEndpointFilterRoutes(server: HttpServer, deps: EndpointFilterRoutesDeps): void {
  const { endpointFilters } = deps;
  addAssociationRoutes(
    server,
    {
      url: `${PREFIX}/projects/:project_id/endpoints/:endpoint_id`,
      tag,
      home: homeOf("project_endpoint"),
      summaries: {
        check: "Checks that a project is restricted to an endpoint",
        add: "Restricts a project to an endpoint, in addition to others",
        remove: "Takes an endpoint from a project",
      },
      access: {
        check: "identity:check_endpoint_in_project",
        add: "identity:add_endpoint_to_project",
        remove: "identity:remove_endpoint_from_project",
      },
    },
    {
      check: (key) => endpointFilters.checkEndpoint(endpointKey(key)),
      add: (key) => endpointFilters.addEndpoint(endpointKey(key)),
      remove: (key) => endpointFilters.removeEndpoint(endpointKey(key)),
    },
  );
  addLists(server, deps);
  addGroupsOfProjects(server, deps);
}

function addLists(server: HttpServer, { endpointFilters, ...deps }: EndpointFilterRoutesDeps): void {
  const endpoints = {
    tag,
    key: "endpoints",
    schema: EndpointView,
    view: (endpoint: Endpoint) => endpointView(endpoint, deps.links),
  };
  const projects = {
    tag,
    key: "projects",
    schema: ProjectView,
    view: (project: Project) => projectView(project, deps.links),
  };
  const groups = {
    tag,
    key: "endpoint_groups",
    schema: EndpointGroupView,
    view: (group: EndpointGroup) => endpointGroupView(group, deps.links),
  };
  addAssociatedList(server, deps, {
    ...endpoints,
    url: `${PREFIX}/projects/:project_id/endpoints`,
    summary: "Lists the endpoints that a project is restricted to",
    access: "identity:list_endpoints_for_project",
    home: homeOf("project_endpoints"),
    read: ({ project_id: id }, page) => endpointFilters.listEndpointsOfProject(id, { filters: [], page }),
  });
  addAssociatedList(server, deps, {
    ...projects,
    url: `${PREFIX}/endpoints/:endpoint_id/projects`,
    summary: "Lists the projects that are restricted to an endpoint",
    access: "identity:list_projects_for_endpoint",
    home: homeOf("endpoint_projects"),
    read: ({ endpoint_id: id }, page) => endpointFilters.listProjectsOfEndpoint(id, page),
  });
  addAssociatedList(server, deps, {
    ...groups,
    url: `${PREFIX}/projects/:project_id/endpoint_groups`,
    summary: "Lists the endpoint groups that a project is restricted to",
    access: "identity:list_endpoint_groups_for_project",
    home: homeOf("project_endpoint_groups"),
    read: ({ project_id: id }, page) => endpointFilters.listGroupsOfProject(id, { filters: [], page }),
  });
  addAssociatedList(server, deps, {
    ...endpoints,
    url: `${PREFIX}/endpoint_groups/:endpoint_group_id/endpoints`,
    summary: "Lists the endpoints of an endpoint group",
    access: "identity:list_endpoints_associated_with_endpoint_group",
    home: homeOf("endpoints_in_endpoint_group"),
    read: ({ endpoint_group_id: id }, page) =>
      endpointFilters.listEndpointsOfGroup(id, { filters: [], page }),
  });
  addAssociatedList(server, deps, {
    ...projects,
    url: `${PREFIX}/endpoint_groups/:endpoint_group_id/projects`,
    summary: "Lists the projects that are restricted to an endpoint group",
    access: "identity:list_projects_associated_with_endpoint_group",
    home: homeOf("projects_associated_with_endpoint_group"),
    read: ({ endpoint_group_id: id }, page) => endpointFilters.listProjectsOfGroup(id, page),
  });
}

/** Unlike other associations, that of a project and a group is shown as a resource. */
function addGroupsOfProjects(server: HttpServer, { endpointFilters, links }: EndpointFilterRoutesDeps): void {
  const url = `${PREFIX}/endpoint_groups/:endpoint_group_id/projects/:project_id` as const;
  const params = pathOf("endpoint_group_id", "project_id");
  server.get(
    url,
    {
      config: {
        access: "identity:get_endpoint_group_in_project",
        home: homeOf("endpoint_group_to_project_association"),
      },
      schema: {
        tags: [tag],
        summary: "Shows that a project is restricted to an endpoint group",
        params,
        response: { 200: EndpointGroupInProject },
      },
    },
    async ({ params: key }) => {
      await endpointFilters.checkGroup(groupKey(key));
      const { endpoint_group_id, project_id } = key;
      const self = links.self(`${PREFIX}/endpoint_groups`, endpoint_group_id, "projects", project_id);
      return { project_endpoint_group: { endpoint_group_id, project_id, links: { self } } };
    },
  );
  server.put(
    url,
    {
      config: { access: "identity:add_endpoint_group_to_project" },
      schema: {
        tags: [tag],
        summary: "Restricts a project to the endpoints of a group, in addition to others",
        params,
      },
    },
    async ({ params: key }, reply) => noContent(reply, endpointFilters.addGroup(groupKey(key))),
  );
  server.delete(
    url,
    {
      config: { access: "identity:remove_endpoint_group_from_project" },
      schema: { tags: [tag], summary: "Takes an endpoint group from a project", params },
    },
    async ({ params: key }, reply) => noContent(reply, endpointFilters.removeGroup(groupKey(key))),
  );
}

/** Of the parameters of paths, only the group's id belongs to the extension. */
function homeOf(name: string): HomeRelation[] {
  const parameters = { endpoint_group_id: extensionParameter("OS-EP-FILTER", "endpoint_group_id") };
  return [{ relation: extensionRelation("OS-EP-FILTER", name), parameters }];
}

function endpointKey(key: PathParameters<"/:project_id/:endpoint_id">): ProjectAssociation {
  return { projectId: key.project_id, targetId: key.endpoint_id };
}

function groupKey(key: PathParameters<"/:project_id/:endpoint_group_id">): ProjectAssociation {
  return { projectId: key.project_id, targetId: key.endpoint_group_id };
}
