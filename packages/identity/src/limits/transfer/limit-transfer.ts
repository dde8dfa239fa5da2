/** Exports all limits as one document, and imports it: limits that the document does not name are deleted. */
import type { Queries } from "../../platform/database/database.js";
import { WHOLE_LIST } from "../../platform/database/table.js";
import type { NewId } from "../../platform/ids.js";
import { toDocument, type LimitDocument } from "./limit-document.js";
import { NotRegisteredError } from "../limit-errors.js";
import { describePlan, planLimits, resourceKeyText, type LimitPlan, type LimitState } from "./limit-plan.js";
import { checkCatalog, findPlaces, resourceOf, type LimitPlace } from "../limit-references.js";
import { changeLimits, deleteLimit, insertLimits, listLimits, newLimit, updateLimit } from "../limit.js";
import type { LimitServiceDeps } from "../limit-service.js";
import { limitTree } from "../tree/limit-tree.js";
import { fromDraft } from "../registered-limit-service.js";
import {
  insertRegisteredLimits,
  listRegisteredLimits,
  registeredLimitTable,
  updateRegisteredLimit,
  type RegisteredLimit,
} from "../registered-limit.js";

export type LimitTransfer = ReturnType<typeof createLimitTransfer>;

/** Rows of one statement; databases limit its parameters. */
const MAX_ROWS = 1000;

export interface LimitImportOptions {
  /** Whether the transaction is rolled back at its end. */
  readonly isDryRun?: boolean;
}

export function createLimitTransfer({ database, newId, catalog, projects, enforcement }: LimitServiceDeps) {
  /**
   * Replaces all limits by those of the document, all or none.
   *
   * @throws {UnknownReferenceError} {@link NotRegisteredError} {@link LimitTreeError} {@link DuplicateLimitError}
   */
  async function replaceAll(
    document: LimitDocument,
    { isDryRun = false }: LimitImportOptions = {},
  ): Promise<LimitPlan> {
    await checkCatalog(catalog, document.registered_limits, {
      kind: "registered_limit",
      isList: true,
    });
    const places = document.limits.length === 0 ? [] : await findPlaces(projects, document.limits);
    const work = changeLimits(database, async (transaction) => {
      const present = await readState(transaction);
      const plan = planLimits(present, wantedState({ document, places, present, newId }));
      await apply(transaction, plan);
      await checkTrees(transaction, plan);
      if (isDryRun) throw new DryRunEnd(plan);
      return plan;
    });
    return work.catch((error: unknown) => {
      if (error instanceof DryRunEnd) return error.plan;
      throw error;
    });
  }

  return {
    /** {@link LimitTransfer.import}, with the changes as data. */
    replaceAll,

    /** @param options.without Ids of registered limits and limits to leave out. */
    async export({ without }: { readonly without?: ReadonlySet<string> } = {}): Promise<LimitDocument> {
      const { registered, limits } = await database.transaction(readState, { changes: [] });
      const isKept = ({ id }: { readonly id: string }) => without?.has(id) !== true;
      return toDocument(registered.filter(isKept), limits.filter(isKept));
    },

    /**
     * Replaces all limits by those of the document, all or none.
     *
     * @returns The changes in lines.
     * @throws {UnknownReferenceError} {@link NotRegisteredError} {@link LimitTreeError} {@link DuplicateLimitError}
     */
    import: async (document: LimitDocument, options?: LimitImportOptions): Promise<string[]> =>
      describePlan(await replaceAll(document, options)),
  };

  async function checkTrees(transaction: Queries, plan: LimitPlan): Promise<void> {
    const tree = limitTree(transaction, enforcement);
    const { registered, limits } = await readState(transaction);
    const byId = new Map(registered.map((limit) => [limit.id, limit]));
    for (const { to } of plan.registered.changed) await tree.checkDefault(to);
    const touched = new Set(
      [...plan.limits.added, ...plan.limits.changed.map(({ to }) => to)].map(({ id }) => id),
    );
    for (const limit of limits)
      if (touched.has(limit.id))
        await tree.checkLimit(limit, byId.get(limit.registeredLimitId) as RegisteredLimit);
    for (const { projectId, domainId, registeredLimitId } of plan.limits.removed) {
      const left = byId.get(registeredLimitId);
      if (projectId === null && left !== undefined) await tree.checkDomain(domainId, left);
    }
  }
}

/** Rolls back the transaction of a dry run. */
class DryRunEnd extends Error {
  override readonly name = "DryRunEnd";
  readonly plan: LimitPlan;

  constructor(plan: LimitPlan) {
    super("the dry run is over");
    this.plan = plan;
  }
}

async function readState(queries: Queries): Promise<LimitState> {
  return {
    registered: await listRegisteredLimits(queries, WHOLE_LIST),
    limits: await listLimits(queries, { ...WHOLE_LIST, visibility: { kind: "all" } }),
  };
}

interface Wanted {
  readonly document: LimitDocument;
  readonly places: readonly LimitPlace[];
  readonly present: LimitState;
  readonly newId: NewId;
}

/** The state of the document, with the ids of existing registered limits. */
function wantedState({ document, places, present, newId }: Wanted): LimitState {
  const known = new Map(present.registered.map((limit) => [resourceKeyText(limit), limit.id]));
  const registered = document.registered_limits.map((draft) => {
    const limit = fromDraft(newId(), draft);
    return { ...limit, id: known.get(resourceKeyText(limit)) ?? limit.id };
  });
  const byKey = new Map(registered.map((limit) => [resourceKeyText(limit), limit]));
  const limits = document.limits.map((draft, index) => {
    const resource = resourceOf(draft);
    const found = byKey.get(resourceKeyText(resource));
    const place = places[index] as LimitPlace;
    if (found === undefined)
      throw new NotRegisteredError({
        kind: "limit",
        index,
        ...resource,
        ownerId: place.projectId ?? place.domainId,
      });
    return newLimit(draft, { id: newId(), place, registered: found });
  });
  return { registered, limits };
}

async function apply(queries: Queries, { registered, limits }: LimitPlan): Promise<void> {
  for (const { id } of limits.removed) await deleteLimit(queries, id);
  for (const { id } of registered.removed) await registeredLimitTable.delete(queries, id);
  for (const { to } of registered.changed) await updateRegisteredLimit(queries, to);
  for (const chunk of chunks(registered.added)) await insertRegisteredLimits(queries, chunk);
  for (const { to } of limits.changed) await updateLimit(queries, to);
  for (const chunk of chunks(limits.added)) await insertLimits(queries, chunk);
}

function chunks<Item>(items: readonly Item[]): (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / MAX_ROWS) }, (_, index) =>
    items.slice(index * MAX_ROWS, (index + 1) * MAX_ROWS),
  );
}
