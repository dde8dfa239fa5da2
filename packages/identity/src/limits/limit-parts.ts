/** What the schemas of registered limits and limits have in common. */
import { Type, type Static, type TSchema } from "typebox";

import { Name, nullable, PAGE_PARAMETERS, queryOf } from "../platform/http/validation/schema-parts.js";

/** 32 hexadecimal digits, with dashes or without. */
export const Uuid = Type.String({ pattern: "^(?:-*[0-9a-fA-F]){32}-*$", title: "uuid" });

export const RegionId = Type.String({ minLength: 1, maxLength: 255 });

export const Description = nullable(Type.String({ maxLength: 255 }));

/** -1 for no limit. */
export const Amount = Type.Integer({ minimum: -1, maximum: 0x7fff_ffff });

/** What a limit is of. */
export const resourceProperties = {
  service_id: Uuid,
  region_id: Type.Optional(nullable(RegionId)),
  resource_name: Name,
};

/** The body of a change. What does not belong there is told before what is missing, as Keystone does here. */
export function changeOf<Key extends string, Schema extends TSchema>(key: Key, schema: Schema) {
  return Type.Unsafe<Record<Key, Static<Schema>>>({
    type: "object",
    properties: { [key]: schema },
    additionalProperties: false,
    required: [key],
  });
}

/** Filters by what a limit is of. An absent region can't be named, so it is asked for by itself. */
export const resourceFilters = {
  ...queryOf(...PAGE_PARAMETERS).properties,
  service_id: Type.Optional(Uuid),
  region_id: Type.Optional(RegionId),
  region_id__isnull: Type.Optional(Type.Enum(["true", "false"])),
  resource_name: Type.Optional(Name),
};

/** Whether a list is of what has a region; either where nothing is said. */
export function readRegionPresence({
  region_id__isnull: isAbsent,
}: {
  readonly region_id__isnull?: string | undefined;
}): boolean | undefined {
  return isAbsent === undefined ? undefined : isAbsent === "false";
}
