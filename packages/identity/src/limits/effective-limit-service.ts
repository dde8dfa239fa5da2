/** Effective limits of projects and domains, with their sources. */
import type { Database } from "../platform/database/database.js";
import { createRevisionCache } from "../platform/concurrency/revision-cache.js";
import type { EffectiveLimit, Enforcement } from "./tree/enforcement.js";
import { limitRevision } from "./limit-responses.js";
import { placeOf, type LimitPlace, type LimitProjects } from "./limit-references.js";
import { listOwnLimits, type OwnLimit } from "./limit-store.js";
import {
  listRegisteredLimits,
  type RegisteredLimit,
  type RegisteredLimitQuery,
} from "./registered-limit-store.js";

/** A registered limit and the limit in effect. */
export interface ResourceLimit extends EffectiveLimit {
  readonly registered: RegisteredLimit;
  /** The id of the limit in effect; `null` for the registered default. */
  readonly limitId: string | null;
}

export interface EffectiveLimitServiceDeps {
  readonly database: Database;
  readonly projects: LimitProjects;
  readonly enforcement: Enforcement;
}

export type EffectiveLimitService = ReturnType<typeof createEffectiveLimitService>;

/** Places of projects, and pages of registered limits, in the cache. */
const MAX_CACHED_PLACES = 20_000;
const MAX_CACHED_PAGES = 64;

export function createEffectiveLimitService({ database, projects, enforcement }: EffectiveLimitServiceDeps) {
  const places = createRevisionCache<LimitPlace | undefined>({
    revision: () => database.revision("facts"),
    maxEntries: MAX_CACHED_PLACES,
    // A project may be created without advancing the revision.
    keeps: (place) => place !== undefined,
  });
  const pages = createRevisionCache<RegisteredLimit[]>({
    revision: limitRevision(database),
    maxEntries: MAX_CACHED_PAGES,
  });

  return {
    /** The place of a project or domain; `undefined` if it does not exist. */
    findPlace: (id: string): Promise<LimitPlace | undefined> =>
      places.get(id, async () => {
        const [owner] = await projects.listProjectsById([id]);
        return owner && placeOf(owner);
      }),

    /** A page of the effective limits, and one more if there is another page. */
    async list(place: LimitPlace, query: RegisteredLimitQuery): Promise<ResourceLimit[]> {
      const page = await pages.get(JSON.stringify(query), () => listRegisteredLimits(database, query));
      const [first, last] = [page[0], page.at(-1)];
      if (first === undefined || last === undefined) return [];
      const own = await listOwnLimits(database, { place, from: first.id, to: last.id });
      return effectiveLimits(page, own, { place, enforcement });
    },
  };
}

function effectiveLimits(
  page: readonly RegisteredLimit[],
  limits: readonly OwnLimit[],
  { place, enforcement }: { readonly place: LimitPlace; readonly enforcement: Enforcement },
): ResourceLimit[] {
  const ofProject = new Map<string, OwnLimit>();
  const ofDomain = new Map<string, OwnLimit>();
  for (const limit of limits)
    (limit.projectId === null ? ofDomain : ofProject).set(limit.registeredLimitId, limit);
  const [nearest, above] = place.projectId === null ? [ofDomain, undefined] : [ofProject, ofDomain];
  return page.map((registered) => {
    const own = nearest.get(registered.id);
    const domain = above?.get(registered.id);
    const levels = {
      own: own?.resourceLimit,
      domain: domain?.resourceLimit,
      registered: registered.defaultLimit,
    };
    const { limit, source } = enforcement.effective(levels);
    const limitId = { own: own?.id, domain: domain?.id, registered_default: undefined }[source] ?? null;
    return { registered, limit, source, limitId };
  });
}
