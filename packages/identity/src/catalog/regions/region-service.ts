/** The rules for regions. */
import type { Platform } from "../../area.js";
import { checkSameId, extraOf } from "../../platform/attributes.js";
import { CircularRegionError, RegionExistsError, RegionInUseError } from "../catalog-errors.js";
import {
  REGION_MEMBERS,
  ancestryOf,
  ensureRegion,
  hasEndpoints,
  regionTable,
  type NewRegion,
  type RegionChange,
  type Region,
  type RegionQuery,
} from "./region.js";

export type RegionService = ReturnType<typeof createRegionService>;

export function createRegionService({ database, newId }: Pick<Platform, "database" | "newId">) {
  return {
    list: (query: RegionQuery): Promise<Region[]> => regionTable.list(database.forLists, query),

    get: (id: string): Promise<Region> => regionTable.require(database, id),

    /** @param draft Gets a new id if its own is left out or empty. */
    create: async (draft: NewRegion): Promise<Region> => {
      const region: Region = {
        id: draft.id || newId(),
        parentRegionId: draft.parent_region_id ?? null,
        description: draft.description ?? "",
        extra: extraOf(draft, REGION_MEMBERS),
      };
      return database.transaction(async (transaction) => {
        if (region.parentRegionId !== null) await regionTable.require(transaction, region.parentRegionId);
        await regionTable.insert(transaction, region, () => new RegionExistsError(region.id));
        return region;
      });
    },

    update: async (id: string, change: RegionChange): Promise<Region> => {
      checkSameId(id, change);
      return database.transaction(async (transaction) => {
        const region = await regionTable.require(transaction, id);
        const changed: Region = {
          id,
          parentRegionId:
            change.parent_region_id === undefined ? region.parentRegionId : change.parent_region_id,
          description: change.description === undefined ? region.description : (change.description ?? ""),
          extra: { ...region.extra, ...extraOf(change, REGION_MEMBERS) },
        };
        if (change.parent_region_id) {
          await regionTable.require(transaction, change.parent_region_id);
          const ancestry = await ancestryOf(transaction, change.parent_region_id);
          if (ancestry.includes(id)) throw new CircularRegionError(id);
        }
        await regionTable.update(transaction, changed);
        return changed;
      });
    },

    /** Creates a region of this id if it does not exist, at the start of the service. */
    ensureRegion: (id: string): Promise<void> =>
      database.transaction((transaction) => ensureRegion(transaction, id)),

    /** Deletes the regions within it too. */
    delete: (id: string): Promise<void> =>
      database.transaction(async (transaction) => {
        if (await hasEndpoints(transaction, id)) throw new RegionInUseError(id);
        await regionTable.delete(transaction, id);
      }),
  };
}
