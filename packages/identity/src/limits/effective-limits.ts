/** Effective limits of projects and domains, with their sources: how they follow from limits, and `/v3/limits/effective`. */
import type { FastifyRequest } from "fastify";

import type { Platform } from "../area.js";
import { createRevisionCache } from "../platform/concurrency/revision-cache.js";
import type { HttpServer } from "../platform/http/http-server.js";
import { listHandler, type ResourceDeps } from "../platform/http/resource.js";
import { createRoutes } from "../platform/http/route.js";
import type { PolicyTarget } from "../policy/caller.js";
import { LimitOwnerNotFoundError } from "./limit-errors.js";
import { placeOf, type LimitPlace, type LimitProjects } from "./limit-references.js";
import { limitRevision, type LimitResponses } from "./limit-responses.js";
import { targetOf } from "./limit-routes.js";
import {
  listOwnLimits,
  EffectiveLimitFilters,
  EffectiveLimitList,
  type OwnLimit,
  type EffectiveLimitView,
} from "./limit.js";
import {
  listRegisteredLimits,
  resourceFields,
  readRegionPresence,
  RESOURCE_FILTERS,
  type RegisteredLimit,
  type RegisteredLimitQuery,
} from "./registered-limit.js";
import type { EffectiveLimit, Enforcement } from "./tree/enforcement.js";

/** A registered limit and the limit in effect. */
export interface ResourceLimit extends EffectiveLimit {
  readonly registered: RegisteredLimit;
  /** The id of the limit in effect; `null` for the registered default. */
  readonly limitId: string | null;
}

type EffectiveLimitService = ReturnType<typeof createEffectiveLimitService>;

/** Places of projects, and pages of registered limits, in the cache. */
const MAX_CACHED_PLACES = 20_000;
const MAX_CACHED_PAGES = 64;

export function createEffectiveLimitService({
  database,
  projects,
  enforcement,
}: Pick<Platform, "database"> & { readonly projects: LimitProjects; readonly enforcement: Enforcement }) {
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
    findPlace: async (id: string): Promise<LimitPlace | undefined> =>
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
      return limitsInEffect(page, own, { place, enforcement });
    },
  };
}

function limitsInEffect(
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

/** `/v3/limits/effective`, an extension of this service: the effective limits of a project or domain. */
export function addEffectiveLimitRoutes(
  server: HttpServer,
  {
    effectiveLimits,
    limitResponses,
    ...deps
  }: ResourceDeps & {
    readonly effectiveLimits: EffectiveLimitService;
    readonly limitResponses: LimitResponses;
  },
): void {
  async function target({ query }: FastifyRequest): Promise<PolicyTarget> {
    const { project_id: id } = query as { readonly project_id?: string };
    const place = id === undefined ? undefined : await effectiveLimits.findPlace(id);
    return place === undefined ? {} : targetOf(place);
  }

  createRoutes(server, "limits")("GET", "/v3/limits/effective", {
    // The same permission as for a limit of the project.
    access: { action: "identity:get_limit", target },
    summary: "Lists the effective limit of each resource of a project or domain, and its source",
    query: EffectiveLimitFilters,
    response: EffectiveLimitList,
    handle: listHandler(deps, "effective_limits", {
      filters: RESOURCE_FILTERS,
      cached: ({ url }, make) => limitResponses.get(url, make),
      async open({ query: parameters }) {
        const place = await effectiveLimits.findPlace(parameters.project_id);
        if (place === undefined) throw new LimitOwnerNotFoundError(parameters.project_id);
        const hasRegion = readRegionPresence(parameters);
        return async (query) => {
          const found = await effectiveLimits.list(place, { ...query, hasRegion });
          return found.map(inOrder);
        };
      },
    }),
  });
}

/** Pages are ordered by the ids of registered limits, which the view shows under another name. */
function inOrder(limit: ResourceLimit): EffectiveLimitView & { readonly id: string } {
  return { id: limit.registered.id, toJSON: () => viewOf(limit) } as never;
}

function viewOf({ registered, limit, source, limitId }: ResourceLimit): EffectiveLimitView {
  return {
    ...resourceFields.view(registered),
    registered_limit_id: registered.id,
    resource_limit: limit,
    source,
    limit_id: limitId,
  };
}
