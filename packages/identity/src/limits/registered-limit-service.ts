/** The rules for registered limits. */
import type { Database, Queries } from "../platform/database/database.js";
import type { NewId } from "../platform/ids.js";
import { createRevisionCache } from "../platform/concurrency/revision-cache.js";
import type { Enforcement } from "./tree/enforcement.js";
import { limitRevision } from "./limit-responses.js";
import { RegisteredLimitInUseError } from "./limit-errors.js";
import { checkCatalog, type LimitCatalog } from "./limit-references.js";
import { changeLimits } from "./limit-store.js";
import { limitTree } from "./tree/limit-tree.js";
import type { NewRegisteredLimit, RegisteredLimitChange } from "./registered-limit-schema.js";
import {
  insertRegisteredLimits,
  isRegisteredLimitInUse,
  listRegisteredLimits,
  registeredLimitTable,
  updateRegisteredLimit,
  type RegisteredLimit,
  type RegisteredLimitQuery,
} from "./registered-limit-store.js";

export interface RegisteredLimitServiceDeps {
  readonly database: Database;
  readonly newId: NewId;
  readonly catalog: LimitCatalog;
  readonly enforcement: Enforcement;
}

export type RegisteredLimitService = ReturnType<typeof createRegisteredLimitService>;

/** Registered limits in the cache, of less than a kilobyte each. */
const MAX_CACHED = 20_000;

export function createRegisteredLimitService({
  database,
  newId,
  catalog,
  enforcement,
}: RegisteredLimitServiceDeps) {
  const cache = createRevisionCache<RegisteredLimit>({
    revision: limitRevision(database),
    maxEntries: MAX_CACHED,
  });

  const change = <Result>(work: (transaction: Queries) => Promise<Result>) => changeLimits(database, work);

  return {
    list: (query: RegisteredLimitQuery): Promise<RegisteredLimit[]> => listRegisteredLimits(database, query),

    get: (id: string): Promise<RegisteredLimit> =>
      cache.get(id, () => registeredLimitTable.require(database, id)),

    /** All of them or none. */
    create: async (drafts: readonly NewRegisteredLimit[]): Promise<RegisteredLimit[]> => {
      await checkCatalog(catalog, drafts, "registered_limit");
      const limits = drafts.map((draft) => fromDraft(newId(), draft));
      await change((transaction) => insertRegisteredLimits(transaction, limits));
      return limits;
    },

    update: async (id: string, draft: RegisteredLimitChange): Promise<RegisteredLimit> => {
      await checkCatalog(catalog, [draft], "registered_limit");
      return change(async (transaction) => {
        const limit = await registeredLimitTable.require(transaction, id);
        const changed = changedBy(limit, draft);
        if (!isSameResource(limit, changed) && (await isRegisteredLimitInUse(transaction, id)))
          throw new RegisteredLimitInUseError(id);
        await updateRegisteredLimit(transaction, changed);
        if (changed.defaultLimit !== limit.defaultLimit)
          await limitTree(transaction, enforcement).checkDefault(changed);
        return changed;
      });
    },

    delete: (id: string): Promise<void> =>
      change(async (transaction) => {
        if (await isRegisteredLimitInUse(transaction, id)) throw new RegisteredLimitInUseError(id);
        await registeredLimitTable.delete(transaction, id);
      }),
  };
}

/** A registered limit with defaults. */
export function fromDraft(id: string, draft: NewRegisteredLimit): RegisteredLimit {
  return {
    id,
    serviceId: draft.service_id,
    regionId: draft.region_id ?? null,
    resourceName: draft.resource_name,
    defaultLimit: draft.default_limit,
    description: draft.description ?? null,
  };
}

function changedBy(limit: RegisteredLimit, change: RegisteredLimitChange): RegisteredLimit {
  return {
    id: limit.id,
    serviceId: change.service_id ?? limit.serviceId,
    regionId: change.region_id === undefined ? limit.regionId : change.region_id,
    resourceName: change.resource_name ?? limit.resourceName,
    defaultLimit: change.default_limit ?? limit.defaultLimit,
    description: change.description === undefined ? limit.description : change.description,
  };
}

function isSameResource(one: RegisteredLimit, other: RegisteredLimit): boolean {
  return (
    one.serviceId === other.serviceId &&
    one.regionId === other.regionId &&
    one.resourceName === other.resourceName
  );
}
