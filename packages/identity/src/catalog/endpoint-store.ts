/** Endpoints in the database. */
import { json, tableOf } from "../platform/database/table.js";
import type { Attributes } from "../platform/attributes.js";
import type { Queries } from "../platform/database/database.js";
import type { ListQuery } from "../platform/database/list-query.js";
import { EndpointNotFoundError } from "./catalog-errors.js";

/** The audience of an endpoint. */
export const INTERFACES = ["admin", "internal", "public"] as const;
export type EndpointInterface = (typeof INTERFACES)[number];

/** An address at which a service is reached. */
export interface Endpoint {
  readonly id: string;
  readonly serviceId: string;
  /** `null` for an endpoint of all regions. */
  readonly regionId: string | null;
  readonly interface: EndpointInterface;
  /** With placeholders: see `endpoint-url.ts`. */
  readonly url: string;
  /** Whether the catalog shows it. */
  readonly enabled: boolean;
  readonly extra: Attributes;
}

export const endpointTable = tableOf<Endpoint>()(
  "endpoint",
  {
    id: "id",
    serviceId: "service_id",
    regionId: "region_id",
    interface: "interface",
    url: "url",
    enabled: "enabled",
    extra: json("extra"),
  },
  EndpointNotFoundError,
);

/** Columns that a list may be filtered by. */
export const ENDPOINT_FILTERS = ["interface", "service_id", "region_id"] as const;

export type EndpointQuery = ListQuery<(typeof ENDPOINT_FILTERS)[number]>;

/** The service, region and audience of an endpoint. */
export type EndpointPlace = Pick<Endpoint, "serviceId" | "regionId" | "interface">;

/** The first endpoint at a place, by id. */
export function findEndpointAt(
  queries: Queries,
  { serviceId, regionId, interface: audience }: EndpointPlace,
): Promise<Endpoint | undefined> {
  return endpointTable.first(
    endpointTable
      .select(queries)
      .where("service_id", "=", serviceId)
      .where("region_id", regionId === null ? "is" : "=", regionId)
      .where("interface", "=", audience)
      .orderBy("id")
      .limit(1),
  );
}
