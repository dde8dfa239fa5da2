/** Checks a change of limits against those of the domain and its projects, before it is committed. */
import type { Kysely } from "kysely";

import type { Queries } from "../../platform/database/database.js";
import { findProject } from "../../projects/project-store.js";
import { LimitTreeError, type LimitEntry, type ResourceEntry, type LimitOwnerName } from "../limit-errors.js";
import { ownerKey, type Limit, type LimitTables } from "../limit.js";
import type { RegisteredLimit } from "../registered-limit.js";
import type { TreeLimit } from "./commitment.js";
import { domainLimit, UNLIMITED, type Enforcement } from "./enforcement.js";

export interface LimitTree {
  /**
   * A limit was created or changed.
   *
   * @param index In the list of the request, for the message.
   * @throws {LimitTreeError}
   */
  checkLimit(limit: Limit, registered: RegisteredLimit, index?: number): Promise<void>;
  /**
   * The limit of a domain was deleted.
   *
   * @throws {LimitTreeError}
   */
  checkDomain(domainId: string, registered: RegisteredLimit): Promise<void>;
  /**
   * The default was changed.
   *
   * @throws {LimitTreeError}
   */
  checkDefault(registered: RegisteredLimit): Promise<void>;
}

/** Reads limits in the transaction that changes them. */
export function limitTree(queries: Queries, { isBreach }: Pick<Enforcement, "isBreach">): LimitTree {
  if (isBreach === undefined) return NO_TREE;
  const mayNotBe = isBreach;
  const ownOf = (domainId: string, { id }: RegisteredLimit) =>
    findDomainLimit(queries, { registeredLimitId: id, domainId });

  async function compare(
    project: ProjectLimit | undefined,
    registered: RegisteredLimit,
    { domain, entry }: { readonly domain: number | undefined; readonly entry: LimitEntry & OwnedEntry },
  ): Promise<void> {
    if (project === undefined) return;
    const bound = domainLimit({ domain, registered: registered.defaultLimit });
    if (!mayNotBe(project.limit, bound)) return;
    throw new LimitTreeError({
      resourceName: registered.resourceName,
      project: { ...(await nameOf(queries, project.projectId)), limit: project.limit },
      domain: {
        ...(await nameOf(queries, project.domainId)),
        limit: bound,
        hasDefault: domain === undefined,
      },
      entry: { ...resourceIn(registered), ...entry },
    });
  }

  async function checkDomain(domainId: string, registered: RegisteredLimit, index?: number): Promise<void> {
    const place = { registeredLimitId: registered.id, domainId };
    const entry = { kind: "limit", index, ownerId: domainId } as const;
    const domain = await ownOf(domainId, registered);
    await compare(await findHighestProject(queries, place), registered, { domain, entry });
  }

  return {
    checkDomain: (domainId, registered) => checkDomain(domainId, registered),
    async checkLimit({ projectId, domainId, resourceLimit: limit }, registered, index) {
      if (projectId === null) return checkDomain(domainId, registered, index);
      const entry = { kind: "limit", index, ownerId: projectId } as const;
      const domain = await ownOf(domainId, registered);
      return compare({ projectId, domainId, limit }, registered, { domain, entry });
    },
    async checkDefault(registered) {
      const entry = { kind: "registered_limit" } as const;
      const project = await findHighestUnderDefault(queries, registered.id);
      await compare(project, registered, { domain: undefined, entry });
    },
  };
}

type OwnedEntry = Pick<ResourceEntry, "ownerId">;

function resourceIn({ serviceId, regionId, resourceName }: RegisteredLimit) {
  return { serviceId, regionId, resourceName };
}

async function nameOf(queries: Queries, id: string): Promise<LimitOwnerName> {
  const project = await findProject(queries, id);
  return { id, name: project?.name ?? id };
}

const NO_TREE: LimitTree = {
  checkLimit: async () => {},
  checkDomain: async () => {},
  checkDefault: async () => {},
};

/** A resource in a domain. */
export interface TreePlace {
  readonly registeredLimitId: string;
  readonly domainId: string;
}

/** The domain's own limit; `undefined` for none. */
async function findDomainLimit(
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
interface ProjectLimit {
  readonly projectId: string;
  readonly domainId: string;
  readonly limit: number;
}

/** The project of the domain with the highest limit; `undefined` if no project has one. */
function findHighestProject(queries: Queries, place: TreePlace): Promise<ProjectLimit | undefined> {
  return highest(queries, place);
}

/** As {@link findHighestProject}, among all domains without a limit of their own. */
function findHighestUnderDefault(
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
