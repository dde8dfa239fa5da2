/** The rules for mappings that are stored. */
import type { Database, Queries } from "../platform/database/database.js";
import type { Page } from "../platform/http/lists/paging.js";
import { createRevisionCache } from "../platform/concurrency/revision-cache.js";
import { checkChosenId } from "../platform/text/text-length.js";
import { compileMappingInSlices, type Mapping } from "./rules/compile-mapping.js";
import type { Assertion } from "./rules/evaluate-mapping.js";
import { MappingExistsError, MappingNotFoundError, type RuleWarning } from "./mapping-errors.js";
import type { MappingDraft } from "./mapping-schema.js";
import {
  deleteMapping,
  findMapping,
  insertMapping,
  listMappings,
  updateMapping,
  type StoredMapping,
} from "./mapping-store.js";
import { traceMapping, type MappingTrace } from "./rules/trace-mapping.js";

/** Compiled mappings that are remembered at most. */
const MOST_COMPILED = 500;

export interface MappingServiceDeps {
  readonly database: Database;
}

export type MappingService = ReturnType<typeof createMappingService>;

export function createMappingService({ database }: MappingServiceDeps) {
  const compiled = createRevisionCache<Mapping>({
    revision: () => database.revision("facts"),
    maxEntries: MOST_COMPILED,
  });

  /** The rules of a stored mapping, ready to be run. */
  const getCompiled = (id: string): Promise<Mapping> =>
    compiled.get(id, async () => compileMappingInSlices(await requireMapping(database, id)));

  return {
    list: (page: Page): Promise<StoredMapping[]> => listMappings(database, page),

    get: (id: string): Promise<StoredMapping> => requireMapping(database, id),

    getCompiled,

    /** Whether there is one, for what refers to it. */
    exists: async (transaction: Queries, id: string): Promise<boolean> =>
      (await findMapping(transaction, id)) !== undefined,

    /**
     * @param options.replaces Whether one that is there already is replaced.
     * @throws {MappingRulesError} {@link MappingExistsError}
     */
    async put(
      id: string,
      draft: MappingDraft,
      { replaces }: { readonly replaces: boolean },
    ): Promise<Stored> {
      checkChosenId(id);
      const { mapping, warnings } = await toMapping(id, draft);
      return database.transaction(async (transaction) => {
        const isNew = (await findMapping(transaction, id)) === undefined;
        if (!isNew && !replaces) throw new MappingExistsError();
        await (isNew ? insertMapping : updateMapping)(transaction, mapping);
        return { mapping, warnings, isNew };
      });
    },

    /** Replaces the rules, and the schema version with them: 1.0, where none is named. */
    async update(id: string, draft: MappingDraft): Promise<CheckedMapping> {
      const { mapping, warnings } = await toMapping(id, draft);
      return database.transaction(async (transaction) => {
        await requireMapping(transaction, id);
        await updateMapping(transaction, mapping);
        return { mapping, warnings };
      });
    },

    /** Protocols that use it stay, and let nobody in until it is there again. */
    delete: (id: string): Promise<void> =>
      database.transaction(async (transaction) => {
        await requireMapping(transaction, id);
        await deleteMapping(transaction, id);
      }),

    /** What a stored mapping makes of an assertion, and why. */
    evaluate: async (id: string, assertion: Assertion): Promise<MappingTrace> =>
      traceMapping(await getCompiled(id), assertion),
  };
}

/** A mapping whose rules are known to compile, and what their author should know of them. */
export interface CheckedMapping {
  readonly mapping: StoredMapping;
  readonly warnings: readonly RuleWarning[];
}

export interface Stored extends CheckedMapping {
  readonly isNew: boolean;
}

/** @throws {MappingRulesError} */
async function toMapping(id: string, { rules, schema_version }: MappingDraft): Promise<CheckedMapping> {
  const source = { rules, schemaVersion: schema_version };
  const { schemaVersion, warnings } = await compileMappingInSlices(source);
  return { mapping: { id, rules: rules as object[], schemaVersion }, warnings };
}

async function requireMapping(queries: Queries, id: string): Promise<StoredMapping> {
  const mapping = await findMapping(queries, id);
  if (mapping === undefined) throw new MappingNotFoundError(id);
  return mapping;
}
