/** Schemas of limits in requests and responses. */
import { Type, type Static } from "typebox";

import { bodyOf, Id, listOf, nullable, SelfLink } from "../platform/http/validation/schema-parts.js";
import { Amount, changeOf, Description, resourceFilters, resourceProperties } from "./limit-parts.js";

const ALWAYS = ["service_id", "resource_name", "resource_limit"];

/** Of a project or of a domain. */
export const NewLimit = Type.Object(
  {
    project_id: Type.Optional(nullable(Id)),
    domain_id: Type.Optional(nullable(Id)),
    ...resourceProperties,
    resource_limit: Amount,
    description: Type.Optional(Description),
  },
  {
    oneOf: [{ required: [...ALWAYS, "project_id"] }, { required: [...ALWAYS, "domain_id"] }],
    additionalProperties: false,
  },
);
export type NewLimit = Static<typeof NewLimit>;

export const NewLimits = bodyOf("limits", Type.Array(NewLimit, { minItems: 1 }));

export const LimitChange = changeOf(
  "limit",
  Type.Object(
    { resource_limit: Type.Optional(Amount), description: Type.Optional(Description) },
    { additionalProperties: false },
  ),
);
export type LimitChange = Static<typeof LimitChange>["limit"];

export const LimitFilters = Type.Object({
  ...resourceFilters,
  project_id: Type.Optional(Id),
  domain_id: Type.Optional(Id),
});

export const LimitView = Type.Object({
  id: Type.String(),
  project_id: nullable(Type.String()),
  domain_id: nullable(Type.String()),
  resource_limit: Type.Integer(),
  description: nullable(Type.String()),
  service_id: Type.String(),
  region_id: nullable(Type.String()),
  resource_name: Type.String(),
  links: SelfLink,
});
export type LimitView = Static<typeof LimitView>;

export const LimitModel = bodyOf("model", Type.Object({ name: Type.String(), description: Type.String() }));

/** The effective limits of a project or domain. */
export const EffectiveLimitFilters = Type.Object({ ...resourceFilters, project_id: Id });

export const EffectiveLimitView = Type.Object({
  service_id: Type.String(),
  region_id: nullable(Type.String()),
  resource_name: Type.String(),
  registered_limit_id: Type.String(),
  resource_limit: Type.Integer(),
  source: Type.Enum(["own", "domain", "registered_default"]),
  limit_id: nullable(Type.String()),
});
export type EffectiveLimitView = Static<typeof EffectiveLimitView>;
export const EffectiveLimitList = listOf("effective_limits", EffectiveLimitView);
