/** The endpoints and the endpoint groups that projects are restricted to, in the database. */
import { sql, type Kysely } from "kysely";

import type { Queries } from "../platform/database/database.js";
import { orConflict, pageOf, type ConflictOf } from "../platform/database/table.js";
import type { Page } from "../platform/http/lists/paging.js";

/** A project, and an endpoint or a group. */
export interface ProjectAssociation {
  readonly projectId: string;
  readonly targetId: string;
}

interface AnyTables {
  readonly association: { readonly project_id: string };
}

export const projectEndpoints = associationTable("project_endpoint", "endpoint_id");
export const projectEndpointGroups = associationTable("project_endpoint_group", "endpoint_group_id");

/** @param column The column of the endpoint or group. */
function associationTable(table: string, column: string) {
  // Kysely's types don't follow a name that is a parameter: inside, every table is called `association`.
  const here = table as "association";
  const target = sql.ref<string>(column);

  const select = (queries: Queries, { projectId, targetId }: ProjectAssociation) =>
    tables(queries)
      .selectFrom(here)
      .select("project_id")
      .where("project_id", "=", projectId)
      .where(target, "=", targetId);

  return {
    /** The endpoints or groups of a project, as a subquery. */
    targetsOf: (queries: Queries, projectId: string) =>
      tables(queries).selectFrom(here).select(target.as("id")).where("project_id", "=", projectId),

    async isUsed(queries: Queries): Promise<boolean> {
      const row = await tables(queries).selectFrom(here).select("project_id").limit(1).executeTakeFirst();
      return row !== undefined;
    },

    /** Whether a project has any. */
    async isUsedBy(queries: Queries, projectId: string): Promise<boolean> {
      const row = await this.targetsOf(queries, projectId).limit(1).executeTakeFirst();
      return row !== undefined;
    },

    exists: async (queries: Queries, association: ProjectAssociation): Promise<boolean> =>
      (await select(queries, association).executeTakeFirst()) !== undefined,

    /** A page of the ids of an endpoint's or group's projects, and one more if there is another page. */
    async projectIds(queries: Queries, targetId: string, page: Page): Promise<string[]> {
      const projects = tables(queries).selectFrom(here).select("project_id").where(target, "=", targetId);
      const rows = await pageOf(projects, "project_id", { page }).execute();
      return rows.map(({ project_id }) => project_id);
    },

    insert: (
      queries: Queries,
      { projectId, targetId }: ProjectAssociation,
      conflict: ConflictOf,
    ): Promise<void> =>
      orConflict(
        () =>
          tables(queries)
            .insertInto(here)
            .values({ project_id: projectId, [column]: targetId })
            .execute(),
        conflict,
      ),

    /** @returns Whether it existed. */
    async delete(queries: Queries, { projectId, targetId }: ProjectAssociation): Promise<boolean> {
      const { numDeletedRows } = await tables(queries)
        .deleteFrom(here)
        .where("project_id", "=", projectId)
        .where(target, "=", targetId)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}

function tables(queries: Queries): Kysely<AnyTables> {
  return queries.tables<AnyTables>();
}
