/** Which limits stand above and below each other. */
import type { Kysely } from "kysely";

import type { Queries } from "../../platform/database/database.js";
import { UNLIMITED } from "./enforcement.js";
import type { LimitedThing } from "../limit-errors.js";
import type { LimitTables } from "../limit-store.js";
import { ownerKey } from "../resource-conditions.js";

interface Tables extends LimitTables {
  readonly project: { id: string; name: string };
}

/** One resource in one domain. */
export interface TreePlace {
  readonly registeredLimitId: string;
  readonly domainId: string;
}

/** The domain's own limit; `undefined` where it has none. */
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

/** A project and its limit. */
export interface ProjectLimit {
  readonly projectId: string;
  readonly domainId: string;
  readonly limit: number;
}

/** The project of the domain that may have the most; `undefined` where none has a limit of its own. */
export function findHighestProject(queries: Queries, place: TreePlace): Promise<ProjectLimit | undefined> {
  return highest(queries, place);
}

/** The same among all domains that have no limit of their own, so that the default holds. */
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
  // Both are the end of an index: no limit at all is the lowest number, and the most that there can be.
  const unlimited = await projects.where("child.resource_limit", "=", UNLIMITED).executeTakeFirst();
  const found = unlimited ?? (await projects.orderBy("child.resource_limit", "desc").executeTakeFirst());
  return found as ProjectLimit | undefined;
}

/** A project or domain, for a message. */
export async function findLimitedThing(queries: Queries, id: string): Promise<LimitedThing> {
  const row = await tables(queries)
    .selectFrom("project")
    .select(["id", "name"])
    .where("id", "=", id)
    .executeTakeFirst();
  return row ?? { id, name: id };
}

function tables(queries: Queries): Kysely<Tables> {
  return queries.tables<Tables>();
}
