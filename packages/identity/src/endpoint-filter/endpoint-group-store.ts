/** Endpoint groups in the database. */
import type { EndpointInterface } from "../catalog/endpoint-store.js";
import { json, tableOf } from "../platform/database/table.js";
import { EndpointGroupNotFoundError } from "./endpoint-filter-errors.js";

/** Attributes and the values that endpoints of a group have; all endpoints, if empty. */
export interface EndpointFilters {
  readonly service_id?: string;
  readonly region_id?: string | null;
  readonly interface?: EndpointInterface;
}

/** The endpoints that have certain attributes, also those that are added later. */
export interface EndpointGroup {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly filters: EndpointFilters;
}

export const endpointGroupTable = tableOf<EndpointGroup>()(
  "endpoint_group",
  { id: "id", name: "name", description: "description", filters: json("filters") },
  EndpointGroupNotFoundError,
);
