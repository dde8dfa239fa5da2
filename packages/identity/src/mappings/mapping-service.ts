/** The rules for stored mappings. */
import type { Platform } from "../area.js";
import type { Queries } from "../platform/database/database.js";
import type { ListQuery, PutResult } from "../platform/database/table.js";
import { createRevisionCache } from "../platform/concurrency/revision-cache.js";
import { checkChosenId } from "../platform/text/text-length.js";
import { compileMappingInSlices, type Mapping } from "./rules/compile-mapping.js";
import { MappingExistsError, type RuleWarning } from "./mapping-errors.js";
import { mappingTable, type MappingDraft, type StoredMapping } from "./mapping.js";

/** Compiled mappings in the cache. */
const MAX_COMPILED = 500;

export type MappingService = ReturnType<typeof createMappingService>;

export function createMappingService({ database }: Pick<Platform, "database">) {
  const compiled = createRevisionCache<Mapping>({
    revision: () => database.revision("facts"),
    maxEntries: MAX_COMPILED,
  });

  /** The compiled rules of a stored mapping. */
  const getCompiled = async (id: string): Promise<Mapping> =>
    compiled.get(id, async () => compileMappingInSlices(await mappingTable.require(database, id)));

  return {
    list: (query: ListQuery<never>): Promise<StoredMapping[]> => mappingTable.list(database.forLists, query),

    get: (id: string): Promise<StoredMapping> => mappingTable.require(database, id),

    getCompiled,

    /** Whether a mapping of this id exists. */
    exists: async (transaction: Queries, id: string): Promise<boolean> =>
      (await mappingTable.find(transaction, id)) !== undefined,

    /**
     * @param options.replaces Whether an existing mapping is replaced.
     * @throws {MappingRulesError} {@link MappingExistsError}
     */
    async put(
      id: string,
      draft: MappingDraft,
      { replaces }: { readonly replaces: boolean },
    ): Promise<PutResult<CheckedMapping>> {
      checkChosenId(id);
      const mapping = await toMapping(id, draft);
      return database.transaction((transaction) =>
        mappingTable.put(transaction, mapping, { replaces, existing: () => new MappingExistsError() }),
      );
    },

    /** Replaces the rules and the schema version: 1.0, if left out. */
    update: async (id: string, draft: MappingDraft): Promise<CheckedMapping> => {
      const mapping = await toMapping(id, draft);
      return database.transaction(async (transaction) => {
        await mappingTable.require(transaction, id);
        await mappingTable.update(transaction, mapping);
        return mapping;
      });
    },

    /** Protocols that use it stay; logins through them fail until a mapping of this id exists again. */
    delete: (id: string): Promise<void> =>
      database.transaction((transaction) => mappingTable.delete(transaction, id)),
  };
}

/** A mapping whose rules compile, and warnings for their author. */
export interface CheckedMapping extends StoredMapping {
  readonly warnings: readonly RuleWarning[];
}

/** @throws {MappingRulesError} */
async function toMapping(id: string, { rules, schema_version }: MappingDraft): Promise<CheckedMapping> {
  const source = { rules, schemaVersion: schema_version };
  const { schemaVersion, warnings } = await compileMappingInSlices(source);
  return { id, rules: rules as object[], schemaVersion, warnings };
}
