/** Common schemas of registered limits and limits. */
import { Type, type Static, type TSchema } from "typebox";

import type { Query } from "../platform/http/query.js";
import { Name, nullable, PAGE_PARAMETERS, queryOf } from "../platform/http/validation/schema-parts.js";

/** 32 hexadecimal digits, with dashes or without. */
export const Uuid = Type.String({ pattern: "^(?:-*[0-9a-fA-F]){32}-*$", title: "uuid" });

export const RegionId = Type.String({ minLength: 1, maxLength: 255 });

export const Description = nullable(Type.String({ maxLength: 255 }));

/** -1 for no limit. */
export const Amount = Type.Integer({ minimum: -1, maximum: 0x7fff_ffff });

/** The limited resource. */
export const resourceProperties = {
  service_id: Uuid,
  region_id: Type.Optional(nullable(RegionId)),
  resource_name: Name,
};

/** The body of a change. As in Keystone, unknown members are reported before missing ones. */
export function changeOf<Key extends string, Schema extends TSchema>(key: Key, schema: Schema) {
  return Type.Unsafe<Record<Key, Static<Schema>>>({
    type: "object",
    properties: { [key]: schema },
    additionalProperties: false,
    required: [key],
  });
}

/** Filters by the limited resource. A missing region has a filter of its own. */
export const resourceFilters = {
  ...queryOf(...PAGE_PARAMETERS).properties,
  service_id: Type.Optional(Uuid),
  region_id: Type.Optional(RegionId),
  region_id__isnull: Type.Optional(Type.Enum(["true", "false"])),
  resource_name: Type.Optional(Name),
};

/** Whether listed limits have a region; `undefined` for both. */
export function readRegionPresence(query: Query): boolean | undefined {
  const isAbsent = query["region_id__isnull"];
  return isAbsent === undefined ? undefined : isAbsent === "false";
}
