/** Schemas of endpoints in requests and responses. */
import { Type, type Static } from "typebox";

import {
  bodyOf,
  nullable,
  openObject,
  PAGE_PARAMETERS,
  queryOf,
  SelfLink,
} from "../platform/http/validation/schema-parts.js";
import { INTERFACES, type EndpointInterface } from "./endpoint-store.js";

// `type` before `enum`: a value of another type is reported as such.
const Interface = Type.Unsafe<EndpointInterface>({ type: "string", enum: [...INTERFACES] });
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
  id: Type.String(),
  interface: Interface,
  region_id: nullable(Type.String()),
  region: nullable(Type.String()),
  service_id: Type.String(),
  url: Type.String(),
  enabled: Type.Boolean(),
  links: SelfLink,
});
