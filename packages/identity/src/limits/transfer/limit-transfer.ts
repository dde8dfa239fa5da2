/** All limits out as one document, and in again: what a document does not name goes. */
import type { Queries } from "../../platform/database/database.js";
import type { NewId } from "../../platform/ids.js";
import type { Page } from "../../platform/http/lists/paging.js";
import { toDocument, type LimitDocument } from "./limit-document.js";
import { NotRegisteredError } from "../limit-errors.js";
import { describePlan, planLimits, resourceKeyText, type LimitPlan, type LimitState } from "./limit-plan.js";
import { checkCatalog, findPlaces, type LimitPlace } from "../limit-references.js";
import type { NewLimit } from "../limit-schema.js";
import type { LimitServiceDeps } from "../limit-service.js";
import {
  changeLimits,
  deleteLimit,
  insertLimits,
  listLimits,
  updateLimit,
  type Limit,
} from "../limit-store.js";
import { limitTree } from "../tree/limit-tree.js";
import { fromDraft } from "../registered-limit-service.js";
import {
  deleteRegisteredLimit,
  insertRegisteredLimits,
  listRegisteredLimits,
  updateRegisteredLimit,
  type RegisteredLimit,
} from "../registered-limit-store.js";

export type LimitTransfer = ReturnType<typeof createLimitTransfer>;

/** Rows of one statement: databases have a limit for the values in it. */
const CHUNK = 1000;

export function createLimitTransfer({ database, newId, catalog, projects, enforcement }: LimitServiceDeps) {
  return {
    async export(): Promise<LimitDocument> {
      const { registered, limits } = await database.transaction(readState, { changes: [] });
      return toDocument(registered, limits);
    },

    /**
     * Makes the limits those of the document, all or nothing.
     *
     * @param options.isDryRun Whether all is done but the last step, so that nothing changes.
     * @returns The changes in lines.
     * @throws {UnknownReferenceError} {@link NotRegisteredError} {@link LimitTreeError} {@link DuplicateLimitError}
     */
    async import(
      document: LimitDocument,
      { isDryRun = false }: { readonly isDryRun?: boolean } = {},
    ): Promise<string[]> {
      await checkCatalog(catalog, document.registered_limits, "registered_limit");
      const places = document.limits.length === 0 ? [] : await findPlaces(projects, document.limits);
      const work = changeLimits(database, async (transaction) => {
        const present = await readState(transaction);
        const plan = planLimits(present, wantedState({ document, places, present, newId }));
        await apply(transaction, plan);
        await checkTrees(transaction, plan);
        const lines = describePlan(plan);
        if (isDryRun) throw new DryRunEnd(lines);
        return lines;
      });
      return work.catch((error: unknown) => {
        if (error instanceof DryRunEnd) return error.lines;
        throw error;
      });
    },
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

/** Takes a transaction back that has done all that it would. */
class DryRunEnd extends Error {
  override readonly name = "DryRunEnd";
  readonly lines: string[];

  constructor(lines: string[]) {
    super("the dry run is over");
    this.lines = lines;
  }
}

const WHOLE: Page = { limit: undefined, marker: undefined };

async function readState(queries: Queries): Promise<LimitState> {
  return {
    registered: await listRegisteredLimits(queries, { filters: [], page: WHOLE }),
    limits: await listLimits(queries, { filters: [], view: { kind: "all" }, page: WHOLE }),
  };
}

interface Wanted {
  readonly document: LimitDocument;
  readonly places: readonly LimitPlace[];
  readonly present: LimitState;
  readonly newId: NewId;
}

/** What the document says, with the ids of the registered limits that are there. */
function wantedState({ document, places, present, newId }: Wanted): LimitState {
  const known = new Map(present.registered.map((limit) => [resourceKeyText(limit), limit.id]));
  const registered = document.registered_limits.map((draft) => {
    const limit = fromDraft(newId(), draft);
    return { ...limit, id: known.get(resourceKeyText(limit)) ?? limit.id };
  });
  const byKey = new Map(registered.map((limit) => [resourceKeyText(limit), limit]));
  const limits = document.limits.map((draft, index) => {
    const found = byKey.get(resourceKeyText(keyOf(draft)));
    if (found === undefined) throw new NotRegisteredError();
    return wantedLimit(newId(), draft, { place: places[index] as LimitPlace, registered: found });
  });
  return { registered, limits };
}

function keyOf({ service_id, region_id, resource_name }: NewLimit) {
  return { serviceId: service_id, regionId: region_id ?? null, resourceName: resource_name };
}

function wantedLimit(
  id: string,
  draft: NewLimit,
  { place, registered }: { readonly place: LimitPlace; readonly registered: RegisteredLimit },
): Limit {
  return {
    id,
    registeredLimitId: registered.id,
    ...place,
    ...keyOf(draft),
    resourceLimit: draft.resource_limit,
    description: draft.description ?? null,
  };
}

async function apply(queries: Queries, { registered, limits }: LimitPlan): Promise<void> {
  for (const { id } of limits.removed) await deleteLimit(queries, id);
  for (const { id } of registered.removed) await deleteRegisteredLimit(queries, id);
  for (const { to } of registered.changed) await updateRegisteredLimit(queries, to);
  for (const chunk of chunks(registered.added)) await insertRegisteredLimits(queries, chunk);
  for (const { to } of limits.changed) await updateLimit(queries, to);
  for (const chunk of chunks(limits.added)) await insertLimits(queries, chunk);
}

function chunks<Item>(items: readonly Item[]): (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / CHUNK) }, (_, index) =>
    items.slice(index * CHUNK, (index + 1) * CHUNK),
  );
}
