/** The rules for limits. */
import type { Credentials } from "../policy/credentials.js";
import type { Database, Queries } from "../platform/database/database.js";
import type { NewId } from "../platform/ids.js";
import { createRevisionCache } from "../platform/concurrency/revision-cache.js";
import type { Enforcement } from "./tree/enforcement.js";
import { limitRevision } from "./limit-answers.js";
import { LimitNotFoundError, NotRegisteredError } from "./limit-errors.js";
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
  updateLimit,
  type Limit,
  type LimitQuery,
  type LimitView,
} from "./limit-store.js";
import { limitTree } from "./tree/limit-tree.js";
import {
  findRegisteredLimit,
  findRegisteredLimitOf,
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

/** Limits that are remembered, at less than a kilobyte each. */
const MAX_REMEMBERED = 20_000;

export function createLimitService({ database, newId, catalog, projects, enforcement }: LimitServiceDeps) {
  const remembered = createRevisionCache<Limit | undefined>({
    revision: limitRevision(database),
    maxEntries: MAX_REMEMBERED,
    keeps: (limit) => limit !== undefined,
  });
  const find = (id: string) => remembered.get(id, () => findLimit(database, id));

  const change = <Result>(work: (transaction: Queries) => Promise<Result>) => changeLimits(database, work);

  return {
    list: (query: LimitQuery): Promise<Limit[]> => listLimits(database, query),

    find,

    async get(id: string): Promise<Limit> {
      const limit = await find(id);
      if (limit === undefined) throw new LimitNotFoundError(id);
      return limit;
    },

    /** All of them, or none. What is above and below each is looked at when all of them are there. */
    async create(drafts: readonly NewLimit[]): Promise<Limit[]> {
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
            await registeredFor(transaction, changed),
          );
        return changed;
      }),

    /** Without its own limit a domain has the default, which may be too little for its projects. */
    delete: (id: string): Promise<void> =>
      change(async (transaction) => {
        const limit = await requireLimit(transaction, id);
        await deleteLimit(transaction, id);
        if (limit.projectId !== null) return;
        const registered = await registeredFor(transaction, limit);
        await limitTree(transaction, enforcement).checkDomain(limit.domainId, registered);
      }),
  };
}

/** Whose limits somebody may see in a list; `undefined` for nobody's. */
export function visibleTo({ roles, scope }: Credentials): LimitView | undefined {
  if (scope.kind === "domain") return { kind: "domain", domainId: scope.domainId };
  if (scope.kind === "system" || roles.includes("admin") || roles.includes("service")) return { kind: "all" };
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

async function requireLimit(queries: Queries, id: string): Promise<Limit> {
  const limit = await findLimit(queries, id);
  if (limit === undefined) throw new LimitNotFoundError(id);
  return limit;
}

async function registeredFor(queries: Queries, { registeredLimitId }: Limit): Promise<RegisteredLimit> {
  const registered = await findRegisteredLimit(queries, registeredLimitId);
  if (registered === undefined) throw new NotRegisteredError();
  return registered;
}
