/** The rules for registered limits. */
import type { Platform } from "../area.js";
import type { Queries } from "../platform/database/database.js";
import { createRevisionCache } from "../platform/concurrency/revision-cache.js";
import type { Enforcement } from "./tree/enforcement.js";
import { limitRevision } from "./limit-responses.js";
import { RegisteredLimitInUseError } from "./limit-errors.js";
import { checkCatalog, orNamedDuplicate, type LimitCatalog, type TakenEntry } from "./limit-references.js";
import { changeLimits } from "./limit.js";
import { limitTree } from "./tree/limit-tree.js";
import {
  findRegisteredLimitOf,
  insertRegisteredLimits,
  isRegisteredLimitInUse,
  listRegisteredLimits,
  registeredLimitFields,
  registeredLimitTable,
  updateRegisteredLimit,
  type NewRegisteredLimit,
  type RegisteredLimitChange,
  type RegisteredLimit,
  type RegisteredLimitQuery,
} from "./registered-limit.js";

export type RegisteredLimitService = ReturnType<typeof createRegisteredLimitService>;

/** Registered limits in the cache, of less than a kilobyte each. */
const MAX_CACHED = 20_000;

export function createRegisteredLimitService({
  database,
  newId,
  catalog,
  enforcement,
}: Pick<Platform, "database" | "newId"> & {
  readonly catalog: LimitCatalog;
  readonly enforcement: Enforcement;
}) {
  const cache = createRevisionCache<RegisteredLimit>({
    revision: limitRevision(database),
    maxEntries: MAX_CACHED,
  });

  const change = <Result>(work: (transaction: Queries) => Promise<Result>) => changeLimits(database, work);

  return {
    list: (query: RegisteredLimitQuery): Promise<RegisteredLimit[]> => listRegisteredLimits(database, query),

    get: async (id: string): Promise<RegisteredLimit> =>
      cache.get(id, () => registeredLimitTable.require(database, id)),

    /** All of them or none. */
    create: async (drafts: readonly NewRegisteredLimit[]): Promise<RegisteredLimit[]> => {
      await checkCatalog(catalog, drafts, { kind: "registered_limit", isList: true });
      const limits = drafts.map((draft) => fromDraft(newId(), draft));
      await orNamedDuplicate(
        change((transaction) => insertRegisteredLimits(transaction, limits)),
        { kind: "registered_limit", findTaken: () => findTaken(database, limits) },
      );
      return limits;
    },

    update: async (id: string, draft: RegisteredLimitChange): Promise<RegisteredLimit> => {
      await checkCatalog(catalog, [draft], { kind: "registered_limit", isList: false });
      return change(async (transaction) => {
        const limit = await registeredLimitTable.require(transaction, id);
        const changed: RegisteredLimit = { ...limit, ...registeredLimitFields.item(draft) };
        if (!isSameResource(limit, changed) && (await isRegisteredLimitInUse(transaction, id)))
          throw new RegisteredLimitInUseError(limit);
        await updateRegisteredLimit(transaction, changed);
        if (changed.defaultLimit !== limit.defaultLimit)
          await limitTree(transaction, enforcement).checkDefault(changed);
        return changed;
      });
    },

    delete: (id: string): Promise<void> =>
      change(async (transaction) => {
        if (await isRegisteredLimitInUse(transaction, id))
          throw new RegisteredLimitInUseError(await registeredLimitTable.require(transaction, id));
        await registeredLimitTable.delete(transaction, id);
      }),
  };
}

async function findTaken(queries: Queries, limits: readonly RegisteredLimit[]): Promise<TakenEntry[]> {
  const entries: TakenEntry[] = [];
  for (const { serviceId, regionId, resourceName } of limits) {
    const resource = { serviceId, regionId, resourceName };
    entries.push({ ...resource, isTaken: (await findRegisteredLimitOf(queries, resource)) !== undefined });
  }
  return entries;
}

/** A registered limit with defaults. */
export function fromDraft(id: string, draft: NewRegisteredLimit): RegisteredLimit {
  return { id, regionId: null, description: null, ...registeredLimitFields.item(draft) };
}

function isSameResource(one: RegisteredLimit, other: RegisteredLimit): boolean {
  return (
    one.serviceId === other.serviceId &&
    one.regionId === other.regionId &&
    one.resourceName === other.resourceName
  );
}
