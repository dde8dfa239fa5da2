/** `/v3/limits/effective`, which Keystone has not: the limits that hold for a project or domain. */
import type { FastifyRequest } from "fastify";

import type { HttpServer } from "../platform/http/http-server.js";
import type { Links } from "../platform/http/links.js";
import { readFilters } from "../platform/http/lists/list-filters.js";
import { sendPages, wholeList } from "../platform/http/lists/long-list.js";
import { readPage, type Page } from "../platform/http/lists/paging.js";
import type { PolicyTarget } from "../policy/credentials.js";
import type { EffectiveLimitService, HeldLimit } from "./effective-limit-service.js";
import { sendAnswer, type LimitAnswers } from "./limit-answers.js";
import { LimitOwnerNotFoundError } from "./limit-errors.js";
import { readRegionPresence } from "./limit-parts.js";
import { targetOf } from "./limit-routes.js";
import { EffectiveLimitFilters, EffectiveLimitList, type EffectiveLimitView } from "./limit-schema.js";
import { RESOURCE_FILTERS } from "./registered-limit-store.js";

export interface EffectiveLimitRoutesDeps {
  readonly effectiveLimits: EffectiveLimitService;
  readonly limitAnswers: LimitAnswers;
  readonly links: Links;
  readonly listLimit: number | undefined;
}

export function addEffectiveLimitRoutes(
  server: HttpServer,
  { effectiveLimits, limitAnswers, links, listLimit }: EffectiveLimitRoutesDeps,
): void {
  async function target({ query }: FastifyRequest): Promise<PolicyTarget> {
    const { project_id: id } = query as { readonly project_id?: string };
    const place = id === undefined ? undefined : await effectiveLimits.findPlace(id);
    return place === undefined ? {} : targetOf(place);
  }

  server.get(
    "/v3/limits/effective",
    {
      // Whoever may see a limit of the project may know what holds in the place of those that it has not.
      config: { access: { action: "identity:get_limit", target } },
      schema: {
        tags: ["limits"],
        summary:
          "Lists the limit of each resource that holds for a project or domain, and where it comes from",
        querystring: EffectiveLimitFilters,
        response: { 200: EffectiveLimitList },
      },
    },
    async ({ query, url }, reply) => {
      const place = await effectiveLimits.findPlace(query.project_id);
      if (place === undefined) throw new LimitOwnerNotFoundError(query.project_id);
      const page = readPage(query, { listLimit });
      const readPart = async (part: Page) => {
        const filters = readFilters(query, RESOURCE_FILTERS);
        const hasRegion = readRegionPresence(query);
        const found = await effectiveLimits.list(place, { filters, hasRegion, page: part });
        // Pages go by the ids of the registered limits, which are shown under another name.
        return found.map((limit) => ({ id: limit.registered.id, toJSON: () => viewOf(limit) }));
      };
      const answer = await limitAnswers.get(url, () =>
        wholeList("effective_limits", readPart, { page, links, url }),
      );
      return answer === undefined
        ? (sendPages(reply, "effective_limits", readPart, { page, links, url }) as never)
        : sendAnswer(reply, answer);
    },
  );
}

function viewOf({ registered, limit, source, limitId }: HeldLimit): EffectiveLimitView {
  return {
    service_id: registered.serviceId,
    region_id: registered.regionId,
    resource_name: registered.resourceName,
    registered_limit_id: registered.id,
    resource_limit: limit,
    source,
    limit_id: limitId,
  };
}
