/** Restricts projects to endpoints: to single ones, and to those of endpoint groups. A project without either has all. */
import type { ExpressionBuilder } from "kysely";

import type { Platform } from "../area.js";
import type { CatalogFilter } from "../catalog/catalog.js";
import { endpointTable, type Endpoint } from "../catalog/endpoint.js";
import type { Database, Queries } from "../platform/database/database.js";
import { WHOLE_LIST, type ListQuery } from "../platform/database/table.js";
import type { Page } from "../platform/http/lists/paging.js";
import type { Project } from "../projects/project.js";
import { requireProject } from "../projects/project-store.js";
import {
  AlreadyInProjectError,
  EndpointNotInProjectError,
  GroupNotInProjectError,
  endpointGroupTable,
  type EndpointGroupFilters,
  type EndpointGroup,
} from "./endpoint-group.js";
import { projectEndpointGroups, projectEndpoints, type ProjectAssociation } from "./project-associations.js";

export interface EndpointFilterServiceDeps extends Pick<Platform, "database"> {
  readonly projects: { readonly listProjectsById: (ids: readonly string[]) => Promise<Project[]> };
}

export type EndpointFilterService = ReturnType<typeof createEndpointFilterService>;

export function createEndpointFilterService({ database, projects }: EndpointFilterServiceDeps) {
  return {
    async checkEndpoint(association: ProjectAssociation): Promise<void> {
      await requireEndpointParts(database, association);
      if (!(await projectEndpoints.exists(database, association)))
        throw new EndpointNotInProjectError(association.targetId, association.projectId);
    },

    addEndpoint: (association: ProjectAssociation): Promise<void> =>
      database.transaction(async (transaction) => {
        await requireEndpointParts(transaction, association);
        await projectEndpoints.insert(
          transaction,
          association,
          () => new AlreadyInProjectError("project_endpoint"),
        );
      }),

    removeEndpoint: (association: ProjectAssociation): Promise<void> =>
      database.transaction(async (transaction) => {
        if (!(await projectEndpoints.delete(transaction, association)))
          throw new EndpointNotInProjectError(association.targetId, association.projectId);
      }),

    async checkGroup(association: ProjectAssociation): Promise<void> {
      await requireGroupParts(database, association);
      if (!(await projectEndpointGroups.exists(database, association))) throw new GroupNotInProjectError();
    },

    addGroup: (association: ProjectAssociation): Promise<void> =>
      database.transaction(async (transaction) => {
        await requireGroupParts(transaction, association);
        await projectEndpointGroups.insert(
          transaction,
          association,
          () => new AlreadyInProjectError("project_endpoint_group"),
        );
      }),

    removeGroup: (association: ProjectAssociation): Promise<void> =>
      database.transaction(async (transaction) => {
        await requireGroupParts(transaction, association);
        if (!(await projectEndpointGroups.delete(transaction, association)))
          throw new GroupNotInProjectError();
      }),

    /** The endpoints that a project is restricted to; none, if it is not. */
    async listEndpointsOfProject(projectId: string, query: ListQuery<never>): Promise<Endpoint[]> {
      await requireProject(database, projectId);
      return listEndpoints(database, projectId, query);
    },

    async listEndpointsOfGroup(groupId: string, query: ListQuery<never>): Promise<Endpoint[]> {
      const { filters } = await endpointGroupTable.require(database, groupId);
      return endpointTable.list(database, query, (every) => every.where((eb) => hasAll(eb, filters)));
    },

    async listGroupsOfProject(projectId: string, query: ListQuery<never>): Promise<EndpointGroup[]> {
      await requireProject(database, projectId);
      return listGroups(database, projectId, query);
    },

    async listProjectsOfEndpoint(endpointId: string, page: Page): Promise<Project[]> {
      await endpointTable.require(database, endpointId);
      return projects.listProjectsById(await projectEndpoints.projectIds(database, endpointId, page));
    },

    async listProjectsOfGroup(groupId: string, page: Page): Promise<Project[]> {
      await endpointGroupTable.require(database, groupId);
      return projects.listProjectsById(await projectEndpointGroups.projectIds(database, groupId, page));
    },
  };
}

/** What the catalog asks of filters. */
export function createCatalogFilter({
  database,
  showsAllIfNone,
}: Pick<CatalogFilter, "showsAllIfNone"> & { readonly database: Database }): CatalogFilter {
  return {
    showsAllIfNone,

    isUsed: async () =>
      (await projectEndpoints.isUsed(database)) || (await projectEndpointGroups.isUsed(database)),

    async endpointIdsOf(projectId) {
      const isRestricted =
        (await projectEndpoints.isUsedBy(database, projectId)) ||
        (await projectEndpointGroups.isUsedBy(database, projectId));
      if (!isRestricted) return undefined;
      return new Set((await listEndpoints(database, projectId, WHOLE_LIST)).map(({ id }) => id));
    },
  };
}

/** @throws {NotFoundError} The endpoint or the project does not exist. */
async function requireEndpointParts(
  queries: Queries,
  { projectId, targetId }: ProjectAssociation,
): Promise<void> {
  await endpointTable.require(queries, targetId);
  await requireProject(queries, projectId);
}

/** @throws {NotFoundError} The project or the group does not exist. */
async function requireGroupParts(
  queries: Queries,
  { projectId, targetId }: ProjectAssociation,
): Promise<void> {
  await requireProject(queries, projectId);
  await endpointGroupTable.require(queries, targetId);
}

function listGroups(queries: Queries, projectId: string, query: ListQuery<never>): Promise<EndpointGroup[]> {
  const ids = projectEndpointGroups.targetsOf(queries, projectId);
  return endpointGroupTable.list(queries, query, (every) => every.where("id", "in", ids));
}

/** Those of the project itself, and those of its groups. */
async function listEndpoints(
  queries: Queries,
  projectId: string,
  query: ListQuery<never>,
): Promise<Endpoint[]> {
  const groups = await listGroups(queries, projectId, WHOLE_LIST);
  const ids = projectEndpoints.targetsOf(queries, projectId);
  return endpointTable.list(queries, query, (every) =>
    every.where((eb) => eb.or([eb("id", "in", ids), ...groups.map(({ filters }) => hasAll(eb, filters))])),
  );
}

interface EndpointTables {
  readonly endpoint: {
    readonly service_id: string;
    readonly region_id: string | null;
    readonly interface: string;
  };
}

/** The condition that an endpoint has all attributes of a group; true without any. */
function hasAll(eb: ExpressionBuilder<EndpointTables, "endpoint">, filters: EndpointGroupFilters) {
  return eb.and(
    Object.entries(filters).map(([name, value]) =>
      eb(name as keyof EndpointGroupFilters, value === null ? "is" : "=", value as string | null),
    ),
  );
}
