/** Policy targets of requests for projects. */
import type { FastifyRequest } from "fastify";

import type { PolicyTarget } from "../policy/credentials.js";
import type { ProjectService } from "./project-service.js";

/** The project in a path, by `project_id`. */
export function projectTarget(projects: Pick<ProjectService, "findProject">) {
  return async ({ params }: FastifyRequest): Promise<PolicyTarget> => {
    const { project_id: id } = params as { readonly project_id: string };
    const project = await projects.findProject({ id });
    if (project === undefined) return {};
    return { project: project.domainId === null ? { id } : { id, domainId: project.domainId } };
  };
}
