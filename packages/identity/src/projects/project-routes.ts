/** `/v3/projects` */
import type { FastifyRequest } from "fastify";

import { errorClass, InvalidError } from "../platform/errors.js";
import type { HttpServer } from "../platform/http/http-server.js";
import { readBoolean, type Query } from "../platform/http/query.js";
import { createResource, type ResourceDeps } from "../platform/http/resource.js";
import type { RouteRequest } from "../platform/http/route.js";
import { queryOf } from "../platform/http/validation/schema-parts.js";
import {
  domainForNew,
  domainInBody,
  onlyDomainOf,
  ownDomainTarget,
  type Credentials,
  type PolicyTarget,
} from "../policy/caller.js";
import { PROJECT_FILTERS, type TagFilter } from "./project-list.js";
import { NewProject, ProjectChange, ProjectInTree, ProjectListQuery, ProjectView } from "./project-schema.js";
import type { ProjectService } from "./project-service.js";
import { projectMembers, projectView, type Project } from "./project.js";

export interface ProjectRoutesDeps extends ResourceDeps {
  readonly projects: ProjectService;
  /** The projects on which the caller has a role; of a project's ancestors and descendants only these are listed. */
  readonly visibleProjectIds: (caller: Credentials) => Promise<ReadonlySet<string>>;
}

export function addProjectRoutes(server: HttpServer, deps: ProjectRoutesDeps): void {
  const { projects, visibleProjectIds, links } = deps;
  const view = (project: Project) => projectView(project, links);
  const target = projectTarget(projects);
  const resource = createResource(server, deps, {
    path: "/v3/projects",
    id: "project_id",
    name: "project",
    schema: ProjectView,
    view,
  });
  resource.list({
    target: ownDomainTarget,
    query: ProjectListQuery,
    filters: PROJECT_FILTERS,
    sortKeys: ["name", "description", "enabled"],
    read: (query, request) => projects.list({ ...query, ...conditionsOf(request) }),
    count: (query, request) => projects.count({ ...query, ...conditionsOf(request) }),
  });
  resource.create({
    target(request) {
      const domainId = domainInBody(request, "project");
      return { project: domainId === undefined ? {} : { domainId } };
    },
    body: NewProject,
    create: (draft, { caller }) => projects.create(draft, { domainId: domainForNew(caller) }),
  });

  async function relativesOf(project: Project, query: Query, caller: Credentials) {
    const wanted = readTreeRequest(query);
    const ancestors = wanted.parents && (await projects.listAncestors(project));
    const descendants = wanted.subtree && (await projects.listDescendants(project.id));
    const isListed = wanted.parents === "list" || wanted.subtree === "list";
    const visible = isListed ? await visibleProjectIds(caller) : new Set<string>();
    const listed = (some: readonly Project[]) =>
      some.filter(({ id }) => visible.has(id)).map((each) => ({ project: view(each) }));
    return {
      ...(ancestors && { parents: wanted.parents === "ids" ? idsAbove(ancestors) : listed(ancestors) }),
      ...(descendants && {
        subtree: wanted.subtree === "ids" ? idsBelow(project.id, descendants) : listed(descendants),
      }),
    };
  }

  resource.show({
    target,
    query: queryOf("parents_as_list", "parents_as_ids", "subtree_as_list", "subtree_as_ids"),
    schema: ProjectInTree,
    read: projects.getProject,
    view: async (project, { query, caller }) => ({
      ...view(project),
      ...(await relativesOf(project, query, caller)),
    }),
  });
  resource.update({
    target,
    body: ProjectChange,
    update: projects.update,
    // As in Keystone, the response to a change has the client's attributes twice.
    view: (project) => ({ ...view(project), extra: project.extra }),
  });
  resource.delete({
    summary: "Deletes a project, or a domain that is disabled",
    target,
    delete: projects.delete,
  });
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

/** The policy target of a path with `project_id`. */
export function projectTarget(projects: Pick<ProjectService, "findProject">) {
  return async ({ params }: FastifyRequest): Promise<PolicyTarget> => {
    const { project_id: id } = params as { readonly project_id: string };
    const project = await projects.findProject({ id });
    if (project === undefined) return {};
    const members = () => projectMembers(project);
    return { project: { id, ...(project.domainId !== null && { domainId: project.domainId }), members } };
  };
}

/** What a list of projects has besides its filters. */
function conditionsOf({ query, caller }: Pick<RouteRequest, "query" | "caller">) {
  return {
    enabled: readBoolean(query["enabled"]),
    isDomain: readBoolean(query["is_domain"]) ?? false,
    domainId: onlyDomainOf(caller),
    tags: readTags(query),
  };
}

type Form = "list" | "ids" | undefined;

/** The requested forms. */
export interface TreeRequest {
  readonly parents: Form;
  readonly subtree: Form;
}

/** A request for both forms. */
export class TreeFormsError extends errorClass(
  InvalidError,
  "project/tree-forms",
  (direction: "parents" | "subtree") =>
    `Cannot use ${direction}_as_list and ${direction}_as_ids query params at the same time.`,
) {}

/** @throws {TreeFormsError} */
function readTreeRequest(query: Query): TreeRequest {
  return { parents: formOf(query, "parents"), subtree: formOf(query, "subtree") };
}

function formOf(query: Query, direction: "parents" | "subtree"): Form {
  // Any value but 0 counts, also an empty one.
  const [list, ids] = [query[`${direction}_as_list`], query[`${direction}_as_ids`]].map(
    (value) => value !== undefined && value !== "0",
  );
  if (list && ids) throw new TreeFormsError(direction);
  if (list) return "list";
  return ids ? "ids" : undefined;
}

/** Nested ids; `null` for none. */
export type IdTree = { readonly [id: string]: IdTree } | null;

/** @param ancestors From the parent to the domain. */
function idsAbove(ancestors: readonly Project[]): IdTree {
  return ancestors.reduceRight<IdTree>((tree, { id }) => ({ [id]: tree }), null);
}

/** @param descendants All of the project's, in any order. */
function idsBelow(id: string, descendants: readonly Project[]): IdTree {
  const children = new Map<string | null, string[]>();
  for (const { id: childId, parentId } of descendants) {
    const siblings = children.get(parentId);
    if (siblings === undefined) children.set(parentId, [childId]);
    else siblings.push(childId);
  }
  const below = (parentId: string): IdTree => {
    const found = children.get(parentId);
    return found === undefined ? null : Object.fromEntries(found.map((child) => [child, below(child)]));
  };
  return below(id);
}
