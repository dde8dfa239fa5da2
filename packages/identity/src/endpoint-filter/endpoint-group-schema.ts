/** Schemas of endpoint groups in requests and responses. */
import { Type, type Static } from "typebox";

import { INTERFACES, type EndpointInterface } from "../catalog/endpoint-store.js";
import {
  bodyOf,
  nullable,
  openObject,
  PAGE_PARAMETERS,
  queryOf,
  SelfLink,
} from "../platform/http/validation/schema-parts.js";

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
