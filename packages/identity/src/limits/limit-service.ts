/** The rules for limits. */
import type { Credentials } from "../policy/credentials.js";
import type { Database, Queries } from "../platform/database/database.js";
import { required } from "../platform/found.js";
import type { NewId } from "../platform/ids.js";
import { createRevisionCache } from "../platform/concurrency/revision-cache.js";
import type { Enforcement } from "./tree/enforcement.js";
import { limitRevision } from "./limit-responses.js";
import { NotRegisteredError, LimitNotFoundError } from "./limit-errors.js";
import {
  checkCatalog,
  findPlaces,
  type LimitCatalog,
  type LimitPlace,
  type LimitProjects,
} from "./limit-references.js";
import type { LimitChange, NewLimit } from "./limit-schema.js";
import {
  changeLimits,
  deleteLimit,
  findLimit,
  insertLimits,
  listLimits,
  requireLimit,
  updateLimit,
  type Limit,
  type LimitQuery,
  type LimitVisibility,
} from "./limit-store.js";
import { limitTree } from "./tree/limit-tree.js";
import {
  findRegisteredLimitOf,
  registeredLimitTable,
  type RegisteredLimit,
} from "./registered-limit-store.js";

export interface LimitServiceDeps {
  readonly database: Database;
  readonly newId: NewId;
  readonly catalog: LimitCatalog;
  readonly projects: LimitProjects;
  readonly enforcement: Enforcement;
}

export type LimitService = ReturnType<typeof createLimitService>;

/** Limits in the cache, of less than a kilobyte each. */
const MAX_CACHED = 20_000;

export function createLimitService({ database, newId, catalog, projects, enforcement }: LimitServiceDeps) {
  const cache = createRevisionCache<Limit | undefined>({
    revision: limitRevision(database),
    maxEntries: MAX_CACHED,
    keeps: (limit) => limit !== undefined,
  });
  const find = (id: string) => cache.get(id, () => findLimit(database, id));

  const change = <Result>(work: (transaction: Queries) => Promise<Result>) => changeLimits(database, work);

  return {
    list: (query: LimitQuery): Promise<Limit[]> => listLimits(database, query),

    find,

    get: (id: string): Promise<Limit> => required(find(id), () => new LimitNotFoundError(id)),

    /** All of them or none. The tree is checked after all are inserted. */
    create: async (drafts: readonly NewLimit[]): Promise<Limit[]> => {
      await checkCatalog(catalog, drafts, "limit");
      const places = await findPlaces(projects, drafts);
      return change(async (transaction) => {
        const made = [];
        for (const [index, draft] of drafts.entries())
          made.push(await register(transaction, { id: newId(), draft, place: places[index] as LimitPlace }));
        await insertLimits(
          transaction,
          made.map(({ limit }) => limit),
        );
        const tree = limitTree(transaction, enforcement);
        for (const { limit, registered } of made) await tree.checkLimit(limit, registered);
        return made.map(({ limit }) => limit);
      });
    },

    update: (id: string, draft: LimitChange): Promise<Limit> =>
      change(async (transaction) => {
        const limit = await requireLimit(transaction, id);
        const changed: Limit = {
          ...limit,
          resourceLimit: draft.resource_limit ?? limit.resourceLimit,
          description: draft.description === undefined ? limit.description : draft.description,
        };
        await updateLimit(transaction, changed);
        if (changed.resourceLimit !== limit.resourceLimit)
          await limitTree(transaction, enforcement).checkLimit(
            changed,
            await registeredLimitTable.require(transaction, changed.registeredLimitId),
          );
        return changed;
      }),

    /** A domain then has the default, which may be below limits of its projects. */
    delete: (id: string): Promise<void> =>
      change(async (transaction) => {
        const limit = await requireLimit(transaction, id);
        await deleteLimit(transaction, id);
        if (limit.projectId !== null) return;
        const registered = await registeredLimitTable.require(transaction, limit.registeredLimitId);
        await limitTree(transaction, enforcement).checkDomain(limit.domainId, registered);
      }),
  };
}

/** The limits that a caller may list; `undefined` for none. */
export function visibleTo({ roles, scope }: Credentials): LimitVisibility | undefined {
  if (scope.kind === "system" || roles.includes("admin")) return { kind: "all" };
  if (scope.kind === "domain") return { kind: "domain", domainId: scope.domainId };
  if (roles.includes("service")) return { kind: "all" };
  return scope.kind === "project" ? { kind: "project", projectId: scope.projectId } : undefined;
}

async function register(
  queries: Queries,
  { id, draft, place }: { readonly id: string; readonly draft: NewLimit; readonly place: LimitPlace },
): Promise<{ readonly limit: Limit; readonly registered: RegisteredLimit }> {
  const registered = await findRegisteredLimitOf(queries, {
    serviceId: draft.service_id,
    regionId: draft.region_id ?? null,
    resourceName: draft.resource_name,
  });
  if (registered === undefined) throw new NotRegisteredError();
  const { serviceId, regionId, resourceName } = registered;
  const limit: Limit = {
    id,
    registeredLimitId: registered.id,
    ...place,
    resourceLimit: draft.resource_limit,
    description: draft.description ?? null,
    serviceId,
    regionId,
    resourceName,
  };
  return { limit, registered };
}
