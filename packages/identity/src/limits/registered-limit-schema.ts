/** Schemas of registered limits in requests and responses. */
import { Type, type Static } from "typebox";

import { bodyOf, nullable, SelfLink } from "../platform/http/validation/schema-parts.js";
import { Amount, changeOf, Description, resourceFilters, resourceProperties } from "./limit-parts.js";

export const NewRegisteredLimit = Type.Object(
  { ...resourceProperties, default_limit: Amount, description: Type.Optional(Description) },
  { additionalProperties: false },
);
export type NewRegisteredLimit = Static<typeof NewRegisteredLimit>;

export const NewRegisteredLimits = bodyOf(
  "registered_limits",
  Type.Array(NewRegisteredLimit, { minItems: 1 }),
);

export const RegisteredLimitChange = changeOf(
  "registered_limit",
  Type.Partial(NewRegisteredLimit, { additionalProperties: false }),
);
export type RegisteredLimitChange = Static<typeof RegisteredLimitChange>["registered_limit"];

export const RegisteredLimitFilters = Type.Object(resourceFilters);

export const RegisteredLimitView = Type.Object({
  id: Type.String(),
  service_id: Type.String(),
  region_id: nullable(Type.String()),
  resource_name: Type.String(),
  default_limit: Type.Integer(),
  description: nullable(Type.String()),
  links: SelfLink,
});
export type RegisteredLimitView = Static<typeof RegisteredLimitView>;
