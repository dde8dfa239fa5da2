/** `/v3/role_assignments` */
import type { FastifyRequest } from "fastify";

import type { Platform } from "../area.js";
import type { ProjectLookup, RoleTarget } from "../grants/grant.js";
import { ifFound, InvalidError } from "../platform/errors.js";
import type { HttpServer } from "../platform/http/http-server.js";
import { firstOf, sendSlices } from "../platform/http/lists/long-list.js";
import { listEnd, readPage, type Page } from "../platform/http/lists/paging.js";
import type { Query } from "../platform/http/query.js";
import { createRoutes } from "../platform/http/route.js";
import type { AccessCheck } from "../policy/is-allowed.js";
import { onlyDomainOf, ownDomainTarget } from "../policy/caller.js";
import {
  AssignmentList,
  AssignmentListQuery,
  assignmentView,
  type AssignmentNames,
} from "./assignment-view.js";
import type { AssignmentService, AssignmentQuery } from "./assignment-service.js";

export interface AssignmentRoutesDeps extends Pick<Platform, "links"> {
  readonly assignments: AssignmentService;
  readonly projects: ProjectLookup;
}

export function addAssignmentRoutes(server: HttpServer, deps: AssignmentRoutesDeps): void {
  const { assignments, links } = deps;
  createRoutes(server, "grants")("GET", "/v3/role_assignments", {
    access: { choose: (request) => questionOf(request, deps) },
    home: "role_assignments",
    summary: "Lists role assignments",
    query: AssignmentListQuery,
    response: AssignmentList,
    async handle({ query, url, caller }, reply) {
      const { isEffective, withNames, page, ...wanted } = readAssignmentQuery(query);
      const asked = { ...wanted, withinDomainId: onlyDomainOf(caller) };
      const found = isEffective ? assignments.listEffective(asked) : assignments.listGranted(asked);
      let more: { readonly after: string | undefined } | undefined;
      async function* views() {
        for await (const slice of firstOf(found, page.limit, (last) => {
          more = { after: last && assignments.markerOf(last, { isEffective }) };
        })) {
          const names: AssignmentNames | undefined = withNames ? await assignments.namesOf(slice) : undefined;
          yield slice.map((assignment) => assignmentView(assignment, { links, names }));
        }
      }
      return sendSlices(reply, "role_assignments", {
        slices: views(),
        end: () => listEnd({ page, links, url }, more),
      });
    },
  });
}

async function questionOf(
  { query, caller }: FastifyRequest,
  { projects }: AssignmentRoutesDeps,
): Promise<AccessCheck> {
  const { "scope.project.id": projectId, include_subtree: subtree } = query as Query;
  if (!isSet(subtree))
    return { action: "identity:list_role_assignments", target: ownDomainTarget({ caller }) };
  const project = projectId === undefined ? undefined : await ifFound(projects.getProject(projectId));
  return {
    action: "identity:list_role_assignments_for_tree",
    target: typeof project?.domainId === "string" ? { domain: { id: project.domainId } } : {},
  };
}

export interface AssignmentListing extends AssignmentQuery {
  readonly isEffective: boolean;
  readonly withNames: boolean;
  readonly page: Page;
}

/** @throws {InvalidError} Parameters contradict each other. */
function readAssignmentQuery(query: AssignmentListQuery): AssignmentListing {
  const inheritedTo = query["scope.OS-INHERIT:inherited_to"];
  const listing: AssignmentListing = {
    // Empty counts as left out.
    userId: query["user.id"] || undefined,
    groupId: query["group.id"] || undefined,
    roleId: query["role.id"] || undefined,
    target: targetOf(query),
    isInherited: inheritedTo === undefined ? undefined : inheritedTo === "projects",
    withSubtree: isSet(query.include_subtree),
    isEffective: isSet(query.effective),
    withNames: isSet(query.include_names),
    marker: query.marker,
    // No default limit: Keystone has no pages here, and clients do not follow links.
    page: readPage(query, { defaultPageSize: undefined }),
  };
  checkListing(query, listing);
  return listing;
}

/** Whether a flag is given, with any value but 0. */
function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "0";
}

function targetOf(query: AssignmentListQuery): RoleTarget | undefined {
  const { "scope.project.id": projectId, "scope.domain.id": domainId, "scope.system": system } = query;
  if (projectId !== undefined) return { kind: "project", projectId };
  if (domainId !== undefined) return { kind: "domain", domainId };
  return system === "all" ? { kind: "system" } : undefined;
}

function checkListing(query: AssignmentListQuery, listing: AssignmentListing): void {
  const { "scope.project.id": projectId, "scope.domain.id": domainId, "scope.system": system } = query;
  const contradictions: readonly (readonly [boolean, string])[] = [
    [
      listing.withSubtree === true && projectId === undefined,
      "'scope.project.id' is a dependency of 'include_subtree'",
    ],
    [domainId !== undefined && projectId !== undefined, "Specify a domain or project, not both"],
    [domainId !== undefined && Boolean(system), "Specify system or domain, not both"],
    [projectId !== undefined && Boolean(system), "Specify system or project, not both"],
    [listing.userId !== undefined && listing.groupId !== undefined, "Specify a user or group, not both"],
    [
      listing.isEffective && listing.groupId !== undefined,
      "Combining effective and group filter will always result in an empty list.",
    ],
    [
      listing.isEffective && listing.isInherited === true && domainId !== undefined,
      "Combining effective, domain and inherited filters will always result in an empty list.",
    ],
  ];
  const found = contradictions.find(([isContradiction]) => isContradiction);
  if (found !== undefined) throw new InvalidError(found[1]);
}
