/** Reads the limits of a domain and its projects. */
import type { Kysely } from "kysely";

import type { Queries } from "../../platform/database/database.js";
import type { TreeLimit } from "./commitment.js";
import { UNLIMITED } from "./enforcement.js";
import { ownerKey, type LimitTables } from "../limit-store.js";

/** A resource in a domain. */
export interface TreePlace {
  readonly registeredLimitId: string;
  readonly domainId: string;
}

/** The domain's own limit; `undefined` for none. */
export async function findDomainLimit(
  queries: Queries,
  { registeredLimitId, domainId }: TreePlace,
): Promise<number | undefined> {
  const row = await tables(queries)
    .selectFrom("limit")
    .select("resource_limit")
    .where("domain_id", "=", domainId)
    .where((eb) => eb(ownerKey(eb.ref("project_id")), "=", ""))
    .where("registered_limit_id", "=", registeredLimitId)
    .executeTakeFirst();
  return row?.resource_limit;
}

/** The limits of the domain and its projects, by the id of either. */
export async function listTreeLimits(
  queries: Queries,
  { registeredLimitId, domainId }: TreePlace,
): Promise<Map<string, TreeLimit>> {
  const rows = await tables(queries)
    .selectFrom("limit")
    .select(["id", "project_id", "resource_limit"])
    .where("domain_id", "=", domainId)
    .where("registered_limit_id", "=", registeredLimitId)
    .execute();
  return new Map(rows.map((row) => [row.project_id ?? domainId, { id: row.id, limit: row.resource_limit }]));
}

/** A project and its limit. */
export interface ProjectLimit {
  readonly projectId: string;
  readonly domainId: string;
  readonly limit: number;
}

/** The project of the domain with the highest limit; `undefined` if no project has one. */
export function findHighestProject(queries: Queries, place: TreePlace): Promise<ProjectLimit | undefined> {
  return highest(queries, place);
}

/** As {@link findHighestProject}, among all domains without a limit of their own. */
export function findHighestUnderDefault(
  queries: Queries,
  registeredLimitId: string,
): Promise<ProjectLimit | undefined> {
  return highest(queries, { registeredLimitId });
}

async function highest(
  queries: Queries,
  { registeredLimitId, domainId }: Partial<TreePlace>,
): Promise<ProjectLimit | undefined> {
  const projects = tables(queries)
    .selectFrom("limit as child")
    .select(["child.project_id as projectId", "child.domain_id as domainId", "child.resource_limit as limit"])
    .where("child.registered_limit_id", "=", registeredLimitId ?? "")
    .where("child.project_id", "is not", null)
    .$if(domainId !== undefined, (query) => query.where("child.domain_id", "=", domainId ?? ""))
    .$if(domainId === undefined, (query) =>
      query.where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom("limit as own")
              .select("own.id")
              .whereRef("own.registered_limit_id", "=", "child.registered_limit_id")
              .whereRef("own.domain_id", "=", "child.domain_id")
              .where("own.project_id", "is", null),
          ),
        ),
      ),
    )
    .limit(1);
  // Both queries read one end of an index: unlimited is the lowest number and the highest limit.
  const unlimited = await projects.where("child.resource_limit", "=", UNLIMITED).executeTakeFirst();
  const found = unlimited ?? (await projects.orderBy("child.resource_limit", "desc").executeTakeFirst());
  return found as ProjectLimit | undefined;
}

function tables(queries: Queries): Kysely<LimitTables> {
  return queries.tables<LimitTables>();
}
