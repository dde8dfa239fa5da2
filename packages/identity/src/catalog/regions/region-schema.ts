/** Schemas of regions in requests and responses. */
import { Type, type Static } from "typebox";

import { bodyOf, nullable, openObject, SelfLink } from "../../platform/http/validation/schema-parts.js";

const RegionId = Type.String({ minLength: 1, maxLength: 255 });

const attributes = {
  description: Type.Optional(nullable(Type.String({ maxLength: 255 }))),
  parent_region_id: Type.Optional(nullable(RegionId)),
};

export const NewRegion = bodyOf(
  "region",
  openObject({
    // Empty counts as left out.
    id: Type.Optional(nullable(Type.String({ maxLength: 255 }))),
    ...attributes,
  }),
);
export type NewRegion = Static<typeof NewRegion>["region"];

export const RegionChange = bodyOf(
  "region",
  openObject({ id: Type.Optional(nullable(RegionId)), ...attributes }, { minProperties: 1 }),
);
export type RegionChange = Static<typeof RegionChange>["region"];

export const RegionView = openObject({
  id: Type.String(),
  description: Type.String(),
  parent_region_id: nullable(Type.String()),
  links: SelfLink,
});
