/** Endpoint groups: fields, schemas, table, and the errors of endpoint filters. */
import { Type, type Static } from "typebox";

import { INTERFACES, type EndpointInterface } from "../catalog/endpoint.js";
import { json, tableOf } from "../platform/database/table.js";
import { ConflictError, errorClass, InvalidError, NotFoundError } from "../platform/errors.js";
import {
  bodyOf,
  nullable,
  openObject,
  PAGE_PARAMETERS,
  queryOf,
  SelfLink,
} from "../platform/http/validation/schema-parts.js";

class EndpointGroupNotFoundError extends errorClass(
  NotFoundError,
  "endpoint-filter/group-not-found",
  (id: string) => `Could not find Endpoint Group: ${id}.`,
) {}

/** A filter names no attribute of endpoints, or an unknown one. */
export class EndpointGroupFilterError extends errorClass(
  InvalidError,
  "endpoint-filter/group-filter",
  "Expecting to find service_id or region_id or interface in endpoint_group. The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.",
) {}

export class EndpointNotInProjectError extends errorClass(
  NotFoundError,
  "endpoint-filter/endpoint-not-in-project",
  (endpointId: string, projectId: string) => `Endpoint ${endpointId} not found in project ${projectId}`,
) {}

export class GroupNotInProjectError extends errorClass(
  NotFoundError,
  "endpoint-filter/group-not-in-project",
  "Endpoint Group Project Association not found",
) {}

/** The project has the endpoint or group already. */
export class AlreadyInProjectError extends errorClass(
  ConflictError,
  "endpoint-filter/already-in-project",
  (kind: "project_endpoint" | "project_endpoint_group") =>
    `Conflict occurred attempting to store ${kind} - Duplicate entry.`,
) {}

/** Attributes and the values that endpoints of a group have; all endpoints, if empty. */
export interface EndpointGroupFilters {
  readonly service_id?: string;
  readonly region_id?: string | null;
  readonly interface?: EndpointInterface;
}

/** The endpoints that have certain attributes, also those that are added later. */
export interface EndpointGroup {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly filters: EndpointGroupFilters;
}

export const endpointGroupTable = tableOf<EndpointGroup>()(
  "endpoint_group",
  { id: "id", name: "name", description: "description", filters: json("filters") },
  EndpointGroupNotFoundError,
);

/** Attributes that the endpoints of a group have. Other members are rejected with a message of their own. */
const Filters = openObject({
  service_id: Type.Optional(Type.String()),
  region_id: Type.Optional(nullable(Type.String())),
  interface: Type.Optional(Type.Unsafe<EndpointInterface>({ type: "string", enum: [...INTERFACES] })),
});

const GroupName = Type.String({ minLength: 1, maxLength: 255 });
const description = Type.Optional(nullable(Type.String()));

export const NewEndpointGroup = bodyOf(
  "endpoint_group",
  Type.Object({ name: GroupName, filters: Filters, description }, { additionalProperties: false }),
);
export type NewEndpointGroup = Static<typeof NewEndpointGroup>["endpoint_group"];

export const EndpointGroupChange = bodyOf(
  "endpoint_group",
  Type.Object(
    { name: Type.Optional(GroupName), filters: Type.Optional(Filters), description },
    { additionalProperties: false, minProperties: 1 },
  ),
);
export type EndpointGroupChange = Static<typeof EndpointGroupChange>["endpoint_group"];

export const EndpointGroupListQuery = Type.Object(
  { ...queryOf(...PAGE_PARAMETERS).properties, name: Type.Optional(GroupName) },
  { additionalProperties: false },
);

export const EndpointGroupView = Type.Object({
  id: Type.String(),
  name: Type.String(),
  description: nullable(Type.String()),
  filters: Filters,
  links: SelfLink,
});

export const EndpointGroupInProject = bodyOf(
  "project_endpoint_group",
  Type.Object({ endpoint_group_id: Type.String(), project_id: Type.String(), links: SelfLink }),
);
