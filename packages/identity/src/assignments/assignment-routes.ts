/** `/v3/role_assignments` */
import type { FastifyRequest } from "fastify";

import type { HttpServer } from "../platform/http/http-server.js";
import { sendSlices } from "../platform/http/lists/long-list.js";
import { listEnd } from "../platform/http/lists/paging.js";
import type { Links } from "../platform/http/links.js";
import { createRoutes } from "../platform/http/route.js";
import type { Query } from "../platform/http/query.js";
import type { AccessCheck } from "../policy/guard.js";
import { onlyDomainOf, ownDomainTarget } from "../policy/own-domain.js";
import type { Assignment } from "./assignment.js";
import { isSet, readAssignmentQuery } from "./assignment-query.js";
import { AssignmentList, AssignmentListQuery } from "./assignment-schema.js";
import type { AssignmentNames } from "./assignment-names.js";
import type { AssignmentService } from "./assignment-service.js";
import { assignmentView } from "./assignment-view.js";
import { ifFound } from "../platform/found.js";
import type { ProjectLookup } from "../grants/lookups.js";

export interface AssignmentRoutesDeps {
  readonly assignments: AssignmentService;
  readonly projects: ProjectLookup;
  readonly links: Links;
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

/** @param onMore Called with the last assignment of the page, if others follow. */
async function* firstOf(
  slices: AsyncIterable<readonly Assignment[]>,
  limit: number | undefined,
  onMore: (last: Assignment | undefined) => void,
): AsyncGenerator<readonly Assignment[]> {
  let left = limit ?? Infinity;
  let last: Assignment | undefined;
  for await (const slice of slices) {
    const shown = slice.slice(0, left);
    last = shown.at(-1) ?? last;
    left -= shown.length;
    if (shown.length > 0) yield shown;
    if (shown.length < slice.length) {
      onMore(last);
      break;
    }
  }
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
