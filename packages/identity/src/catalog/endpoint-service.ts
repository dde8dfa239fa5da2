/** The rules for endpoints. */
import { extraOf } from "../platform/attributes.js";
import type { Database, Queries } from "../platform/database/database.js";
import { InvalidError } from "../platform/errors.js";
import type { NewId } from "../platform/ids.js";
import { EndpointNotFoundError, EndpointPlaceError, EndpointUrlError } from "./catalog-errors.js";
import type { EndpointChange, NewEndpoint } from "./endpoint-schema.js";
import {
  deleteEndpoint,
  findEndpoint,
  findEndpointAt,
  insertEndpoint,
  listEndpoints,
  updateEndpoint,
  type Endpoint,
  type EndpointPlace,
  type EndpointQuery,
} from "./endpoint-store.js";
import { parseUrlTemplate } from "./endpoint-url.js";
import { ensureRegion, findRegion } from "./regions/region-store.js";
import { findService } from "./service-store.js";

const KNOWN = ["id", "interface", "service_id", "region_id", "region", "url", "enabled", "links"];

export interface EndpointServiceDeps {
  readonly database: Database;
  readonly newId: NewId;
}

export type EndpointService = ReturnType<typeof createEndpointService>;

export function createEndpointService({ database, newId }: EndpointServiceDeps) {
  return {
    list: (query: EndpointQuery): Promise<Endpoint[]> => listEndpoints(database, query),

    get: (id: string): Promise<Endpoint> => requireEndpoint(database, id),

    /** @param draft An id in it is overlooked, as in Keystone. */
    async create(draft: NewEndpoint): Promise<Endpoint> {
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
        await insertEndpoint(transaction, endpoint);
        return endpoint;
      });
    },

    async update(id: string, change: EndpointChange): Promise<Endpoint> {
      if ((change.id ?? id) !== id) throw new InvalidError("Cannot change ID");
      if (change.url !== undefined) checkUrl(change.url);
      return database.transaction(async (transaction) => {
        await preparePlace(transaction, change);
        const changed = withChange(await requireEndpoint(transaction, id), change);
        await updateEndpoint(transaction, changed);
        return changed;
      });
    },

    delete: (id: string): Promise<void> =>
      database.transaction(async (transaction) => {
        await requireEndpoint(transaction, id);
        await deleteEndpoint(transaction, id);
      }),

    /** Has there be an endpoint at a place, with this address, for the start of the service. */
    async ensureEndpoint({ url, ...place }: EndpointPlace & Pick<Endpoint, "url">): Promise<Endpoint> {
      checkUrl(url);
      const added: Endpoint = { id: newId(), ...place, url, enabled: true, extra: {} };
      return database.transaction(async (transaction) => {
        const found = await findEndpointAt(transaction, place);
        if (found === undefined) await insertEndpoint(transaction, added);
        else if (found.url !== url) await updateEndpoint(transaction, { ...found, url });
        return { ...(found ?? added), url };
      });
    },
  };
}

async function requireEndpoint(queries: Queries, id: string): Promise<Endpoint> {
  const endpoint = await findEndpoint(queries, id);
  if (endpoint === undefined) throw new EndpointNotFoundError(id);
  return endpoint;
}

function checkUrl(url: string): void {
  if (parseUrlTemplate(url) === undefined) throw new EndpointUrlError(url);
}

/** What a body says of the region: `undefined` for nothing, `null` for none. */
function regionIn({ region_id, region }: EndpointChange): string | null | undefined {
  return region_id ?? region ?? region_id;
}

/** Looks whether the region and the service are there. A region that is meant by its old name is made. */
async function preparePlace(queries: Queries, body: EndpointChange): Promise<void> {
  const { region_id: regionId, region, service_id: serviceId } = body;
  if (typeof regionId === "string") {
    if ((await findRegion(queries, regionId)) === undefined) throw new EndpointPlaceError("region");
  } else if (typeof region === "string") await ensureRegion(queries, region);
  if (serviceId !== undefined && (await findService(queries, "id", serviceId)) === undefined)
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
