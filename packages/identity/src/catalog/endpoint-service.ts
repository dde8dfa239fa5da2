/** The rules for endpoints. */
import type { Platform } from "../area.js";
import { extraOf } from "../platform/attributes.js";
import type { Queries } from "../platform/database/database.js";
import { InvalidError } from "../platform/errors.js";
import { EndpointPlaceError, EndpointUrlError } from "./catalog-errors.js";
import {
  ENDPOINT_MEMBERS,
  endpointFields,
  endpointTable,
  findEndpointAt,
  type EndpointChange,
  type NewEndpoint,
  type Endpoint,
  type EndpointPlace,
  type EndpointQuery,
} from "./endpoint.js";
import { parseUrlTemplate } from "./endpoint-url.js";
import { ensureRegion, regionTable } from "./regions/region.js";
import { serviceTable } from "./service.js";

export type EndpointService = ReturnType<typeof createEndpointService>;

export function createEndpointService({ database, newId }: Pick<Platform, "database" | "newId">) {
  return {
    list: (query: EndpointQuery): Promise<Endpoint[]> => endpointTable.list(database.forLists, query),

    get: (id: string): Promise<Endpoint> => endpointTable.require(database, id),

    /** @param draft As in Keystone, an id in it is ignored. */
    create: async (draft: NewEndpoint): Promise<Endpoint> => {
      checkUrl(draft.url);
      const endpoint: Endpoint = {
        enabled: true,
        ...endpointFields.item(draft),
        id: newId(),
        regionId: regionIn(draft) ?? null,
        extra: extraOf(draft, ENDPOINT_MEMBERS),
      };
      return database.transaction(async (transaction) => {
        await preparePlace(transaction, draft);
        await endpointTable.insert(transaction, endpoint);
        return endpoint;
      });
    },

    update: async (id: string, change: EndpointChange): Promise<Endpoint> => {
      if ((change.id ?? id) !== id) throw new InvalidError("Cannot change ID");
      if (change.url !== undefined) checkUrl(change.url);
      return database.transaction(async (transaction) => {
        await preparePlace(transaction, change);
        const changed = withChange(await endpointTable.require(transaction, id), change);
        await endpointTable.update(transaction, changed);
        return changed;
      });
    },

    delete: (id: string): Promise<void> =>
      database.transaction((transaction) => endpointTable.delete(transaction, id)),

    /** Creates the endpoint of a place, or changes its URL, at the start of the service. */
    async ensureEndpoint({ url, ...place }: EndpointPlace & Pick<Endpoint, "url">): Promise<Endpoint> {
      checkUrl(url);
      const added: Endpoint = { id: newId(), ...place, url, enabled: true, extra: {} };
      return database.transaction(async (transaction) => {
        const found = await findEndpointAt(transaction, place);
        if (found === undefined) await endpointTable.insert(transaction, added);
        else if (found.url !== url) await endpointTable.update(transaction, { ...found, url });
        return { ...(found ?? added), url };
      });
    },
  };
}

function checkUrl(url: string): void {
  if (parseUrlTemplate(url) === undefined) throw new EndpointUrlError(url);
}

/** The region in a body: `undefined` if left out, `null` for none. */
function regionIn({ region_id, region }: EndpointChange): string | null | undefined {
  return region_id ?? region ?? region_id;
}

/** Checks that the region and the service exist. A region that is given as `region` is created. */
async function preparePlace(queries: Queries, body: EndpointChange): Promise<void> {
  const { region_id: regionId, region, service_id: serviceId } = body;
  if (typeof regionId === "string") {
    if ((await regionTable.find(queries, regionId)) === undefined) throw new EndpointPlaceError("region");
  } else if (typeof region === "string") await ensureRegion(queries, region);
  if (serviceId !== undefined && (await serviceTable.find(queries, serviceId)) === undefined)
    throw new EndpointPlaceError("service");
}

function withChange(endpoint: Endpoint, change: EndpointChange): Endpoint {
  const regionId = regionIn(change);
  return {
    ...endpoint,
    ...endpointFields.item(change),
    id: endpoint.id,
    regionId: regionId === undefined ? endpoint.regionId : regionId,
    extra: { ...endpoint.extra, ...extraOf(change, ENDPOINT_MEMBERS) },
  };
}
