/** What requests for projects and domains are about, as far as permissions depend on it. */
import type { FastifyRequest } from "fastify";

import type { Credentials, PolicyTarget } from "../policy/credentials.js";
import type { ProjectService } from "./project-service.js";

/** The project that a path names by `project_id`. */
export function projectTarget(projects: Pick<ProjectService, "findProject">) {
  return async ({ params }: FastifyRequest): Promise<PolicyTarget> => {
    const { project_id: id } = params as { readonly project_id: string };
    const project = await projects.findProject({ id });
    if (project === undefined) return {};
    return { project: project.domainId === null ? { id } : { id, domainId: project.domainId } };
  };
}

/** The domain whose projects, or which, somebody with a token for it sees in lists: no other. */
export function listTarget({ caller }: { readonly caller: Credentials }): PolicyTarget {
  const domainId = scopeDomain(caller);
  return domainId === undefined ? {} : { domain: { id: domainId } };
}

/** The domain that a token is for. */
export function scopeDomain({ scope }: Credentials): string | undefined {
  return scope.kind === "domain" ? scope.domainId : undefined;
}
