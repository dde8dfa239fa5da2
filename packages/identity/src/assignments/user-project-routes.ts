/** `/v3/users/{user_id}/projects`: the projects in which a user has a role. */
import { setImmediate as nextTurn } from "node:timers/promises";

import type { FastifyRequest } from "fastify";

import { readBoolean } from "../platform/http/query.js";
import type { HttpServer } from "../platform/http/http-server.js";
import { passesFilter, type ListFilter } from "../platform/http/lists/list-filters.js";
import { listHandler, type ResourceDeps } from "../platform/http/resource.js";
import { createRoutes } from "../platform/http/route.js";
import { listOf, PAGE_PARAMETERS, queryOf } from "../platform/http/validation/schema-parts.js";
import type { PolicyTarget } from "../policy/caller.js";
import { ProjectView } from "../projects/project-schema.js";
import { projectView, type Project } from "../projects/project.js";
import type { EffectiveRoles } from "../grants/effective-roles.js";
import { ifFound } from "../platform/errors.js";
import type { UserLookup } from "../grants/grant.js";

export interface UserProjectRoutesDeps extends ResourceDeps {
  readonly roles: Pick<EffectiveRoles, "scopesOf">;
  readonly users: UserLookup;
  readonly projects: { listProjectsById(ids: readonly string[]): Promise<readonly Project[]> };
}

/** Projects of one query. */
const MAX_IDS = 500;

export function addUserProjectRoutes(server: HttpServer, deps: UserProjectRoutesDeps): void {
  const { roles, users, projects, links } = deps;

  async function userTarget({ params }: FastifyRequest): Promise<PolicyTarget> {
    const user = await ifFound(users.getUser((params as { user_id: string }).user_id));
    return user === undefined ? {} : { user };
  }

  createRoutes(server, "users")("GET", "/v3/users/:user_id/projects", {
    access: { action: "identity:list_user_projects", target: userTarget },
    home: "user_projects",
    summary: "Lists the projects in which a user has a role",
    query: queryOf("name", "domain_id", "enabled", ...PAGE_PARAMETERS),
    response: listOf("projects", ProjectView),
    handle: listHandler(deps, "projects", {
      filters: ["name", "domain_id"],
      async open({ params: { user_id: userId }, query: { enabled } }) {
        await users.getUser(userId);
        const { projectIds } = await roles.scopesOf({ userId, groupIds: [] });
        const ordered = projectIds.toSorted();
        /** Projects in the order of their ids, up to the limit. */
        return async ({ filters, page: { limit = Infinity, marker = "", includesMarker = false } }) => {
          const left = ordered.filter((id) => id > marker || (includesMarker && id === marker));
          const chosen: Project[] = [];
          for (let start = 0; start < left.length && chosen.length <= limit; start += MAX_IDS) {
            const found = await projects.listProjectsById(left.slice(start, start + MAX_IDS));
            chosen.push(...found.filter((project) => isWanted(project, filters, readBoolean(enabled))));
            // On SQLite other requests would wait until all have been read.
            await nextTurn();
          }
          return chosen.slice(0, limit + 1).map((project) => projectView(project, links));
        };
      },
    }),
  });
}

function isWanted(
  project: Project,
  filters: readonly ListFilter<"name" | "domain_id">[],
  enabled: boolean | undefined,
): boolean {
  if (enabled !== undefined && enabled !== project.enabled) return false;
  const fields = { name: project.name, domain_id: project.domainId ?? "" };
  return filters.every((filter) => passesFilter(filter, fields[filter.field]));
}
