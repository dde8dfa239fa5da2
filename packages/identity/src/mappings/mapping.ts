/** Mappings: fields, schemas and table. Rules are validated when they are compiled. */
import { Type, type Static } from "typebox";

import { json, tableOf } from "../platform/database/table.js";
import { openObject, SelfLink, series } from "../platform/http/validation/schema-parts.js";
import { MappingNotFoundError } from "./mapping-errors.js";
import type { SchemaVersion } from "./rules/rule-schema.js";

/** A stored mapping, whose rules are known to compile. */
export interface StoredMapping {
  readonly id: string;
  readonly rules: readonly object[];
  readonly schemaVersion: SchemaVersion;
}

export const mappingTable = tableOf<StoredMapping>()(
  "mapping",
  { id: "id", rules: json("rules"), schemaVersion: "schema_version" },
  MappingNotFoundError,
);

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
