/** The rules for regions. */
import type { Database, Queries } from "../../platform/database/database.js";
import { InvalidError } from "../../platform/errors.js";
import type { NewId } from "../../platform/ids.js";
import { extraOf } from "../../platform/attributes.js";
import {
  CircularRegionError,
  RegionExistsError,
  RegionInUseError,
  RegionNotFoundError,
} from "../catalog-errors.js";
import type { NewRegion, RegionChange } from "./region-schema.js";
import {
  ancestryOf,
  deleteRegion,
  ensureRegion,
  findRegion,
  hasEndpoints,
  insertRegion,
  listRegions,
  updateRegion,
  type Region,
  type RegionQuery,
} from "./region-store.js";

const KNOWN = ["id", "description", "parent_region_id", "links"];

export interface RegionServiceDeps {
  readonly database: Database;
  readonly newId: NewId;
}

export type RegionService = ReturnType<typeof createRegionService>;

export function createRegionService({ database, newId }: RegionServiceDeps) {
  return {
    list: (query: RegionQuery): Promise<Region[]> => listRegions(database, query),

    get: (id: string): Promise<Region> => requireRegion(database, id),

    /** @param draft Without an id, or with an empty one, it gets one. */
    async create(draft: NewRegion): Promise<Region> {
      const region: Region = {
        id: draft.id || newId(),
        parentRegionId: draft.parent_region_id ?? null,
        description: draft.description ?? "",
        extra: extraOf(draft, KNOWN),
      };
      return database.transaction(async (transaction) => {
        if (region.parentRegionId !== null) await requireRegion(transaction, region.parentRegionId);
        if (!(await insertRegion(transaction, region))) throw new RegionExistsError(region.id);
        return region;
      });
    },

    async update(id: string, change: RegionChange): Promise<Region> {
      if (change.id !== undefined && change.id !== id) throw new InvalidError("Cannot change ID");
      return database.transaction(async (transaction) => {
        const region = await requireRegion(transaction, id);
        const changed: Region = {
          id,
          parentRegionId:
            change.parent_region_id === undefined ? region.parentRegionId : change.parent_region_id,
          description: change.description === undefined ? region.description : (change.description ?? ""),
          extra: { ...region.extra, ...extraOf(change, KNOWN) },
        };
        if (change.parent_region_id) {
          await requireRegion(transaction, change.parent_region_id);
          const ancestry = await ancestryOf(transaction, change.parent_region_id);
          if (ancestry.includes(id)) throw new CircularRegionError(id);
        }
        await updateRegion(transaction, changed);
        return changed;
      });
    },

    /** Has there be a region of this id, for the start of the service. */
    ensureRegion: (id: string): Promise<void> =>
      database.transaction((transaction) => ensureRegion(transaction, id)),

    /** Ends the regions within it too. */
    delete: (id: string): Promise<void> =>
      database.transaction(async (transaction) => {
        await requireRegion(transaction, id);
        if (await hasEndpoints(transaction, id)) throw new RegionInUseError(id);
        await deleteRegion(transaction, id);
      }),
  };
}

async function requireRegion(queries: Queries, id: string): Promise<Region> {
  const region = await findRegion(queries, id);
  if (region === undefined) throw new RegionNotFoundError(id);
  return region;
}
