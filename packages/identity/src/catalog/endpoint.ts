/** Endpoints: fields, schemas, table and view. */
import { Type, type Static } from "typebox";

import type { Attributes } from "../platform/attributes.js";
import type { Queries } from "../platform/database/database.js";
import { declareFields, type ItemOf } from "../platform/database/fields.js";
import { json, tableOf, type ListQuery } from "../platform/database/table.js";
import type { Links } from "../platform/http/links.js";
import {
  bodyOf,
  nullable,
  openObject,
  PAGE_PARAMETERS,
  queryOf,
  SelfLink,
} from "../platform/http/validation/schema-parts.js";
import { EndpointNotFoundError } from "./catalog-errors.js";

/** The audience of an endpoint. */
export const INTERFACES = ["admin", "internal", "public"] as const;
export type EndpointInterface = (typeof INTERFACES)[number];

// `type` before `enum`: a value of another type is reported as such.
const Interface = Type.Unsafe<EndpointInterface>({ type: "string", enum: [...INTERFACES] });

export const endpointFields = declareFields({
  id: Type.String(),
  interface: Interface,
  /** `null` for an endpoint of all regions. */
  region_id: nullable(Type.String()),
  service_id: Type.String(),
  /** With placeholders: see `endpoint-url.ts`. */
  url: Type.String(),
  /** Whether the catalog shows it. */
  enabled: Type.Boolean(),
});

/** An address at which a service is reached. */
export interface Endpoint extends ItemOf<typeof endpointFields> {
  readonly extra: Attributes;
}

export const endpointTable = tableOf<Endpoint>()(
  "endpoint",
  { ...endpointFields.columns, extra: json("extra") },
  EndpointNotFoundError,
  { resource: "endpoint" },
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

const Url = Type.String({ maxLength: 225, pattern: "^[a-zA-Z0-9+.-]+:.+" });

const attributes = {
  enabled: Type.Optional(Type.Boolean()),
  region_id: Type.Optional(nullable(Type.String())),
  // The name of a region, which is created if it does not exist: from the time before regions had paths of their own.
  region: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 255 }))),
  name: Type.Optional(Type.String()),
  description: Type.Optional(nullable(Type.String())),
};

export const NewEndpoint = bodyOf(
  "endpoint",
  openObject({
    id: Type.Optional(Type.String()),
    interface: Interface,
    service_id: Type.String(),
    url: Url,
    ...attributes,
  }),
);
export type NewEndpoint = Static<typeof NewEndpoint>["endpoint"];

export const EndpointChange = bodyOf(
  "endpoint",
  openObject(
    {
      id: Type.Optional(Type.Unknown()),
      interface: Type.Optional(Interface),
      service_id: Type.Optional(Type.String()),
      url: Type.Optional(Url),
      ...attributes,
    },
    { minProperties: 1 },
  ),
);
export type EndpointChange = Static<typeof EndpointChange>["endpoint"];

export const EndpointFilters = Type.Object({
  ...queryOf("service_id", "region_id", ...PAGE_PARAMETERS).properties,
  interface: Type.Optional(Interface),
});

export const EndpointView = openObject({
  ...endpointFields.shape,
  /** The region's name before regions had paths of their own. */
  region: nullable(Type.String()),
  links: SelfLink,
});

/** Members of a body that are not stored as attributes of the client. */
export const ENDPOINT_MEMBERS = [...endpointFields.names, "region", "links"];

/** Endpoints in responses. */
export function endpointView(endpoint: Endpoint, links: Links) {
  return {
    ...endpoint.extra,
    ...endpointFields.view(endpoint),
    region: endpoint.regionId,
    links: { self: links.self("/v3/endpoints", endpoint.id) },
  };
}
