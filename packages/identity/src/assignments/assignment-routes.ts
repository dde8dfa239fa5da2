/** `/v3/role_assignments` */
import type { FastifyRequest } from "fastify";

import { coreRelation } from "../platform/discovery/json-home.js";
import type { HttpServer } from "../platform/http/http-server.js";
import { sendSlices } from "../platform/http/lists/long-list.js";
import { listEnd } from "../platform/http/lists/paging.js";
import type { Links } from "../platform/http/links.js";
import type { Query } from "../platform/http/query.js";
import type { Credentials } from "../policy/credentials.js";
import type { AccessCheck } from "../policy/guard.js";
import type { Assignment } from "./assignment.js";
import type { AssignmentNames } from "./assignment-names.js";
import { isSet, readAssignmentQuery } from "./assignment-query.js";
import { AssignmentList, AssignmentListQuery } from "./assignment-schema.js";
import type { AssignmentService } from "./assignment-service.js";
import { assignmentView } from "./assignment-view.js";
import { ifFound } from "../roles/if-found.js";
import type { Projects } from "../roles/neighbors.js";

export interface AssignmentRoutesDeps {
  readonly assignments: AssignmentService;
  readonly projects: Projects;
  readonly links: Links;
}

export function addAssignmentRoutes(server: HttpServer, deps: AssignmentRoutesDeps): void {
  const { assignments, links } = deps;
  server.get(
    "/v3/role_assignments",
    {
      config: {
        access: { choose: (request) => questionOf(request, deps) },
        home: [{ relation: coreRelation("role_assignments") }],
      },
      schema: {
        tags: ["grants"],
        summary: "Lists who has which role where",
        querystring: AssignmentListQuery,
        response: { 200: AssignmentList },
      },
    },
    async ({ query, url, caller }, reply) => {
      const { isEffective, withNames, page, ...wanted } = readAssignmentQuery(query);
      const asked = { ...wanted, withinDomainId: domainOf(caller) };
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
  );
}

/** @param onMore Told the last one of the page, where others come behind it. */
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

/** Whoever has a token for a domain sees what is in that domain. */
function domainOf({ scope }: Credentials): string | undefined {
  return scope.kind === "domain" ? scope.domainId : undefined;
}

async function questionOf(
  { query, caller }: FastifyRequest,
  { projects }: AssignmentRoutesDeps,
): Promise<AccessCheck> {
  const { "scope.project.id": projectId, include_subtree: subtree } = query as Query;
  if (!isSet(subtree)) {
    const domainId = domainOf(caller);
    return {
      action: "identity:list_role_assignments",
      target: domainId === undefined ? {} : { domain: { id: domainId } },
    };
  }
  const project = projectId === undefined ? undefined : await ifFound(projects.getProject(projectId));
  return {
    action: "identity:list_role_assignments_for_tree",
    target: typeof project?.domainId === "string" ? { domain: { id: project.domainId } } : {},
  };
}
