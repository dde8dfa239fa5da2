/** `/v3/users/{user_id}/projects`: the projects in which a user has a role. */
import { setImmediate as nextTurn } from "node:timers/promises";

import type { FastifyRequest } from "fastify";

import { coreRelation } from "../platform/discovery/json-home.js";
import { readBoolean } from "../platform/http/validation/boolean-parameter.js";
import type { HttpServer } from "../platform/http/http-server.js";
import { passesFilter, readFilters } from "../platform/http/lists/list-filters.js";
import { sendPages } from "../platform/http/lists/long-list.js";
import { readPage, type Page } from "../platform/http/lists/paging.js";
import type { ResourceDeps } from "../platform/http/resource.js";
import type { Query } from "../platform/http/query.js";
import { listOf, PAGE_PARAMETERS, pathOf, queryOf } from "../platform/http/validation/schema-parts.js";
import type { PolicyTarget } from "../policy/credentials.js";
import { ProjectView } from "../projects/project-schema.js";
import type { Project } from "../projects/project.js";
import { projectView } from "../projects/project-view.js";
import type { EffectiveRoles } from "../grants/effective-roles.js";
import { ifFound } from "../platform/found.js";
import type { UserLookup } from "../grants/lookups.js";

export interface UserProjectRoutesDeps extends ResourceDeps {
  readonly roles: Pick<EffectiveRoles, "scopesOf">;
  readonly users: UserLookup;
  readonly projects: { listProjectsById(ids: readonly string[]): Promise<readonly Project[]> };
}

/** Projects of one query. */
const MAX_IDS = 500;

const FILTERS = ["name", "domain_id"] as const;

export function addUserProjectRoutes(server: HttpServer, deps: UserProjectRoutesDeps): void {
  const { roles, users, projects, links, listLimit } = deps;

  async function userTarget({ params }: FastifyRequest): Promise<PolicyTarget> {
    const user = await ifFound(users.getUser((params as { user_id: string }).user_id));
    return user === undefined ? {} : { user };
  }

  server.get(
    "/v3/users/:user_id/projects",
    {
      config: {
        access: { action: "identity:list_user_projects", target: userTarget },
        home: [{ relation: coreRelation("user_projects") }],
      },
      schema: {
        tags: ["users"],
        summary: "Lists the projects in which a user has a role",
        params: pathOf("user_id"),
        querystring: queryOf(...FILTERS, "enabled", ...PAGE_PARAMETERS),
        response: { 200: listOf("projects", ProjectView) },
      },
    },
    async ({ params: { user_id: userId }, query, url }, reply) => {
      await users.getUser(userId);
      const page = readPage(query, { listLimit });
      const { projectIds } = await roles.scopesOf({ userId, groupIds: [] });
      const ordered = projectIds.toSorted();
      /** Projects in the order of their ids, up to the limit. */
      const readPart = async ({ limit = Infinity, marker = "" }: Page) => {
        const left = ordered.filter((id) => id > marker);
        const chosen: Project[] = [];
        for (let start = 0; start < left.length && chosen.length <= limit; start += MAX_IDS) {
          const found = await projects.listProjectsById(left.slice(start, start + MAX_IDS));
          chosen.push(...found.filter((project) => isWanted(project, query as Query)));
          // On SQLite other requests would wait until all have been read.
          await nextTurn();
        }
        return chosen.slice(0, limit + 1).map((project) => projectView(project, links));
      };
      return sendPages(reply, "projects", readPart, { page, links, url });
    },
  );
}

function isWanted(project: Project, query: Query): boolean {
  const enabled = readBoolean(query["enabled"]);
  if (enabled !== undefined && enabled !== project.enabled) return false;
  const fields = { name: project.name, domain_id: project.domainId ?? "" };
  return readFilters(query, FILTERS).every((filter) => passesFilter(filter, fields[filter.field]));
}
