/** Schemas of mappings in requests and responses. Rules are validated when they are compiled. */
import { Type, type Static } from "typebox";

import { openObject, SelfLink, series } from "../platform/http/validation/schema-parts.js";

// As in Keystone, unknown members of the body and of the mapping are ignored.
export const MappingBody = openObject({
  mapping: openObject({
    rules: Type.Optional(Type.Unknown()),
    schema_version: Type.Optional(Type.Unknown()),
  }),
});
export type MappingDraft = Static<typeof MappingBody>["mapping"];

export const PlacedReason = Type.Object({ place: Type.String(), reason: Type.String() });

const view = {
  id: Type.String(),
  rules: Type.Array(Type.Object({})),
  schema_version: Type.String(),
  links: SelfLink,
};
export const MappingView = Type.Object(view);

/** The response to a change has `warnings` where rules leave domains to the assertion; Keystone has no such member. */
export const CheckedMappingView = Type.Object({ ...view, warnings: Type.Optional(series(PlacedReason)) });
