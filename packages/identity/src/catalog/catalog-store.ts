/** Reads what the catalog shows of services and endpoints. */
import { setImmediate as nextTurn } from "node:timers/promises";

import { parseAttributes } from "../platform/attributes.js";
import type { Queries } from "../platform/database/database.js";

/** An enabled service. */
export interface OfferedService {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly endpoints: readonly OfferedEndpoint[];
}

/** An enabled endpoint as tokens show it, except for its URL. */
export interface OfferedEndpoint {
  readonly id: string;
  readonly interface: string;
  readonly region_id: string | null;
  /** With placeholders. */
  readonly url: string;
  readonly region: string | null;
}

interface Tables {
  readonly service: {
    readonly id: string;
    readonly type: string;
    readonly name: string;
    readonly enabled: boolean;
  };
  readonly endpoint: EndpointRow & { readonly enabled: boolean };
}

interface EndpointRow {
  readonly id: string;
  readonly service_id: string;
  readonly region_id: string | null;
  readonly interface: string;
  readonly url: string;
  readonly extra: string;
}

/** Endpoints of one query. */
const MAX_ENDPOINTS = 1000;

/** All enabled services with their enabled endpoints, by id. */
export async function readOffers(queries: Queries): Promise<OfferedService[]> {
  const tables = queries.tables<Tables>();
  const services = await tables
    .selectFrom("service")
    .select(["id", "type", "name"])
    .where("enabled", "=", true)
    .orderBy("id")
    .execute();
  const byService = new Map(services.map(({ id }) => [id, [] as OfferedEndpoint[]]));
  for (let after = "", isFull = true; isFull;) {
    const endpoints = await tables
      .selectFrom("endpoint")
      .select(["id", "service_id", "region_id", "interface", "url", "extra"])
      .where("enabled", "=", true)
      .where("id", ">", after)
      .orderBy("id")
      .limit(MAX_ENDPOINTS)
      .execute();
    for (const endpoint of endpoints) byService.get(endpoint.service_id)?.push(toOffered(endpoint));
    after = endpoints.at(-1)?.id ?? after;
    isFull = endpoints.length === MAX_ENDPOINTS;
    if (isFull) await nextTurn();
  }
  return services.map(({ id, type, name }) => ({ id, type, name, endpoints: byService.get(id) ?? [] }));
}

function toOffered({ id, region_id, interface: offeredTo, url, extra }: EndpointRow): OfferedEndpoint {
  return { ...parseAttributes(extra), id, interface: offeredTo, region_id, url, region: region_id };
}
