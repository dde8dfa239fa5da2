/** A server with the routes of domains, projects and tags, and a record of its notifications to other features. */
import { createDomainService } from "../../src/projects/domain-service.js";
import { addDomainRoutes } from "../../src/projects/domain-routes.js";
import { addProjectRoutes } from "../../src/projects/project-routes.js";
import { createProjectService, type ProjectService } from "../../src/projects/project-service.js";
import { addTagRoutes, createTagService } from "../../src/projects/project-tags.js";
import type { TokenSelection } from "../../src/policy/revoke-tokens.js";
import type { TestDatabases } from "../databases.js";
import { featureServer, type FeatureResponse, type FeatureServer } from "../feature-server.js";

export interface ProjectServer extends FeatureServer {
  readonly projects: ProjectService;
  /** What ended tokens. */
  readonly ends: TokenSelection[];
  /** Ids of projects that went. */
  readonly gone: string[];
  /** Ids of projects on which the caller has a role. */
  readonly visible: Set<string>;
  /** Ids that are given before others are made up. */
  readonly nextIds: string[];
  /** Creates a domain, and has its id. */
  domain(attributes: object): Promise<string>;
  /** Creates a project, and has its id. */
  project(attributes: object): Promise<string>;
}

export async function projectServer(databases: TestDatabases): Promise<ProjectServer> {
  const told = {
    ends: [] as TokenSelection[],
    gone: [] as string[],
    visible: new Set<string>(),
    nextIds: [] as string[],
  };
  const made: { projects?: ProjectService } = {};
  const server = await featureServer(databases, (http, { database, links, defaultPageSize, newId }) => {
    const deps = {
      database,
      newId: () => told.nextIds.shift() ?? newId(),
      revokeTokens: async (_transaction: unknown, selection: TokenSelection) =>
        void told.ends.push(selection),
      onProjectDeleted: async (_transaction: unknown, id: string) => void told.gone.push(id),
      emptyDomain: async () => {},
    };
    const projects = createProjectService(deps);
    made.projects = projects;
    const visibleProjectIds = async () => told.visible;
    addDomainRoutes(http, { domains: createDomainService(deps), links, defaultPageSize });
    addProjectRoutes(http, { projects, visibleProjectIds, links, defaultPageSize });
    addTagRoutes(http, { tags: createTagService(deps), projects, links });
  });
  if (made.projects === undefined) throw new TypeError("no service was made");
  await made.projects.ensureDomain({ name: "Default", description: "The default domain" });
  const create = async (kind: "domain" | "project", attributes: object) => {
    const { status, body } = await server.ask("POST", `/v3/${kind}s`, { body: { [kind]: attributes } });
    if (status !== 201) throw new Error(JSON.stringify(body));
    return body[kind].id as string;
  };
  return {
    ...server,
    ...told,
    projects: made.projects,
    domain: (attributes) => create("domain", attributes),
    project: (attributes) => create("project", attributes),
  };
}

/** Status and message of a refusal. */
export function refusal({ status, body }: FeatureResponse): readonly [number, string] {
  return [status, body.error.message as string];
}

/** The names in a list, in any order. */
export function namesIn(items: readonly { readonly name: string }[]): string[] {
  return items.map(({ name }) => name).toSorted();
}
