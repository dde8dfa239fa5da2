/** The area of domains and projects, and their tags. */
import type { AreaWithServices, Platform } from "../area.js";
import type { RevokeTokens } from "../policy/revoke-tokens.js";
import { addDomainRoutes } from "./domain-routes.js";
import { createDomainService } from "./domain-service.js";
import { addProjectRoutes, type ProjectRoutesDeps } from "./project-routes.js";
import { createProjectService } from "./project-service.js";
import { addTagRoutes, createTagService } from "./project-tags.js";

export interface ProjectsUses extends Pick<ProjectRoutesDeps, "visibleProjectIds"> {
  readonly revokeTokens: RevokeTokens;
}

export function createProjectsArea(platform: Platform, { revokeTokens, visibleProjectIds }: ProjectsUses) {
  const { config, deletions } = platform;
  const deps = {
    ...platform,
    revokeTokens,
    onProjectDeleted: deletions.of("project"),
    emptyDomain: deletions.of("domain"),
    maxTreeDepth: config.project.maxTreeDepth,
  };
  const services = {
    projects: createProjectService(deps),
    domains: createDomainService(deps),
    tags: createTagService(deps),
  };
  return {
    ...services,
    addRoutes(server) {
      addDomainRoutes(server, { ...platform, ...services });
      addProjectRoutes(server, { ...platform, ...services, visibleProjectIds });
      addTagRoutes(server, { ...platform, ...services });
    },
  } satisfies AreaWithServices;
}
