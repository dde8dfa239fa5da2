/** The rules for limits. */
import type { Platform } from "../area.js";
import type { Credentials } from "../policy/caller.js";
import type { Queries } from "../platform/database/database.js";
import { required } from "../platform/errors.js";
import { createRevisionCache } from "../platform/concurrency/revision-cache.js";
import type { Enforcement } from "./tree/enforcement.js";
import { limitRevision } from "./limit-responses.js";
import { NotRegisteredError, LimitNotFoundError } from "./limit-errors.js";
import {
  checkCatalog,
  findPlaces,
  resourceOf,
  orNamedDuplicate,
  type LimitCatalog,
  type LimitPlace,
  type LimitProjects,
  type TakenEntry,
} from "./limit-references.js";
import {
  changeLimits,
  limitFields,
  newLimit,
  deleteLimit,
  findLimit,
  insertLimits,
  listLimits,
  listOwnLimits,
  requireLimit,
  updateLimit,
  type LimitChange,
  type NewLimit,
  type Limit,
  type LimitQuery,
  type LimitVisibility,
} from "./limit.js";
import { limitTree } from "./tree/limit-tree.js";
import { findRegisteredLimitOf, registeredLimitTable, type RegisteredLimit } from "./registered-limit.js";

export interface LimitServiceDeps extends Pick<Platform, "database" | "newId"> {
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
  const find = async (id: string) => cache.get(id, () => findLimit(database, id));

  const change = <Result>(work: (transaction: Queries) => Promise<Result>) => changeLimits(database, work);

  /** What the drafts are about, and which of them have a limit. */
  async function findTaken(
    drafts: readonly NewLimit[],
    places: readonly LimitPlace[],
  ): Promise<readonly TakenEntry[]> {
    const entries: TakenEntry[] = [];
    for (const [index, draft] of drafts.entries()) {
      const { projectId, domainId } = places[index] as LimitPlace;
      const resource = resourceOf(draft);
      const registered = await findRegisteredLimitOf(database, resource);
      const range = { from: registered?.id ?? "", to: registered?.id ?? "" };
      const own = await listOwnLimits(database, { place: { projectId, domainId }, ...range });
      const isTaken = own.some((limit) => limit.projectId === projectId);
      entries.push({ ...resource, ownerId: projectId ?? domainId, isTaken });
    }
    return entries;
  }

  return {
    list: (query: LimitQuery): Promise<Limit[]> => listLimits(database, query),

    find,

    get: (id: string): Promise<Limit> => required(find(id), () => new LimitNotFoundError(id)),

    /** All of them or none. The tree is checked after all are inserted. */
    create: async (drafts: readonly NewLimit[]): Promise<Limit[]> => {
      await checkCatalog(catalog, drafts, { kind: "limit", isList: true });
      const places = await findPlaces(projects, drafts);
      const work = change(async (transaction) => {
        const made = [];
        for (const [index, draft] of drafts.entries())
          made.push(
            await register(transaction, { id: newId(), draft, place: places[index] as LimitPlace, index }),
          );
        await insertLimits(
          transaction,
          made.map(({ limit }) => limit),
        );
        const tree = limitTree(transaction, enforcement);
        for (const [index, { limit, registered }] of made.entries())
          await tree.checkLimit(limit, registered, index);
        return made.map(({ limit }) => limit);
      });
      return orNamedDuplicate(work, { kind: "limit", findTaken: () => findTaken(drafts, places) });
    },

    update: (id: string, draft: LimitChange): Promise<Limit> =>
      change(async (transaction) => {
        const limit = await requireLimit(transaction, id);
        const changed: Limit = { ...limit, ...limitFields.item(draft) };
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
  {
    id,
    draft,
    place,
    index,
  }: {
    readonly id: string;
    readonly draft: NewLimit;
    readonly place: LimitPlace;
    readonly index: number;
  },
): Promise<{ readonly limit: Limit; readonly registered: RegisteredLimit }> {
  const resource = resourceOf(draft);
  const registered = await findRegisteredLimitOf(queries, resource);
  if (registered === undefined)
    throw new NotRegisteredError({
      kind: "limit",
      index,
      ...resource,
      ownerId: place.projectId ?? place.domainId,
    });
  return { limit: newLimit(draft, { id, place, registered }), registered };
}
