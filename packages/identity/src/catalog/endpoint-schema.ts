/** Endpoints as they come in and go out. */
import { Type, type Static } from "typebox";

import {
  bodyOf,
  listOf,
  nullable,
  openObject,
  PAGE_PARAMETERS,
  queryOf,
  SelfLink,
} from "../platform/http/validation/schema-parts.js";
import { INTERFACES, type EndpointInterface } from "./endpoint-store.js";

// The type stands before the values: what is no text at all is told so.
const Interface = Type.Unsafe<EndpointInterface>({ type: "string", enum: [...INTERFACES] });
const Url = Type.String({ maxLength: 225, pattern: "^[a-zA-Z0-9+.-]+:.+" });

const attributes = {
  enabled: Type.Optional(Type.Boolean()),
  region_id: Type.Optional(nullable(Type.String())),
  // The name of a region, which is made if there is none: so it was before regions had addresses of their own.
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

const EndpointView = openObject({
  id: Type.String(),
  interface: Interface,
  region_id: nullable(Type.String()),
  region: nullable(Type.String()),
  service_id: Type.String(),
  url: Type.String(),
  enabled: Type.Boolean(),
  links: SelfLink,
});

export const EndpointAnswer = bodyOf("endpoint", EndpointView);
export const EndpointList = listOf("endpoints", EndpointView);
