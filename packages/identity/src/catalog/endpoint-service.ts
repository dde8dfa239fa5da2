/** The rules for endpoints. */
import { extraOf } from "../platform/attributes.js";
import type { Database, Queries } from "../platform/database/database.js";
import { InvalidError } from "../platform/errors.js";
import type { NewId } from "../platform/ids.js";
import { EndpointPlaceError, EndpointUrlError } from "./catalog-errors.js";
import type { EndpointChange, NewEndpoint } from "./endpoint-schema.js";
import {
  endpointTable,
  findEndpointAt,
  type Endpoint,
  type EndpointPlace,
  type EndpointQuery,
} from "./endpoint-store.js";
import { parseUrlTemplate } from "./endpoint-url.js";
import { ensureRegion, regionTable } from "./regions/region-store.js";
import { serviceTable } from "./service-store.js";

const KNOWN = ["id", "interface", "service_id", "region_id", "region", "url", "enabled", "links"];

export interface EndpointServiceDeps {
  readonly database: Database;
  readonly newId: NewId;
}

export type EndpointService = ReturnType<typeof createEndpointService>;

export function createEndpointService({ database, newId }: EndpointServiceDeps) {
  return {
    list: (query: EndpointQuery): Promise<Endpoint[]> => endpointTable.list(database.forLists, query),

    get: (id: string): Promise<Endpoint> => endpointTable.require(database, id),

    /** @param draft As in Keystone, an id in it is ignored. */
    create: async (draft: NewEndpoint): Promise<Endpoint> => {
      checkUrl(draft.url);
      const endpoint: Endpoint = {
        id: newId(),
        serviceId: draft.service_id,
        regionId: regionIn(draft) ?? null,
        interface: draft.interface,
        url: draft.url,
        enabled: draft.enabled ?? true,
        extra: extraOf(draft, KNOWN),
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
    id: endpoint.id,
    serviceId: change.service_id ?? endpoint.serviceId,
    regionId: regionId === undefined ? endpoint.regionId : regionId,
    interface: change.interface ?? endpoint.interface,
    url: change.url ?? endpoint.url,
    enabled: change.enabled ?? endpoint.enabled,
    extra: { ...endpoint.extra, ...extraOf(change, KNOWN) },
  };
}
