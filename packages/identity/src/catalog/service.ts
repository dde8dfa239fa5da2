/** Services of the cloud: fields, schemas and table. */
import { Type, type Static } from "typebox";

import type { Attributes } from "../platform/attributes.js";
import type { Queries } from "../platform/database/database.js";
import { declareFields, type ItemOf } from "../platform/database/fields.js";
import { json, tableOf, type ListQuery } from "../platform/database/table.js";
import { openObject, SelfLink } from "../platform/http/validation/schema-parts.js";
import { ServiceNotFoundError } from "./catalog-errors.js";

const serviceFields = declareFields({
  id: Type.String(),
  type: Type.String(),
  /** May be empty. */
  name: Type.String(),
  /** Whether the catalog shows it. */
  enabled: Type.Boolean(),
});

/** A service of the cloud, such as `compute`, which is reached at its endpoints. */
export interface Service extends ItemOf<typeof serviceFields> {
  readonly extra: Attributes;
}

/** A deleted service takes its endpoints along. */
export const serviceTable = tableOf<Service>()(
  "service",
  { ...serviceFields.columns, extra: json("extra") },
  ServiceNotFoundError,
  { resource: "service" },
);

/** Columns that a list may be filtered by. */
export const SERVICE_FILTERS = ["type", "name"] as const;

export type ServiceQuery = ListQuery<(typeof SERVICE_FILTERS)[number]>;

/** The first service of a type, by id. */
export function findServiceOfType(queries: Queries, type: string): Promise<Service | undefined> {
  return serviceTable.first(serviceTable.select(queries).where("type", "=", type).orderBy("id").limit(1));
}

const Text = Type.String({ minLength: 1, maxLength: 255 });

const attributes = {
  enabled: Type.Optional(Type.Boolean()),
  name: Type.Optional(Text),
};

// As in Keystone, other members than `service` are ignored.
export const NewService = openObject({ service: openObject({ type: Text, ...attributes }) });
export type NewService = Static<typeof NewService>["service"];

export const ServiceChange = openObject({
  service: openObject(
    { id: Type.Optional(Type.Unknown()), type: Type.Optional(Text), ...attributes },
    { minProperties: 1 },
  ),
});
export type ServiceChange = Static<typeof ServiceChange>["service"];

export const ServiceView = openObject({ ...serviceFields.shape, links: SelfLink });

/** Members of a body that are not stored as attributes of the client. */
export const SERVICE_MEMBERS = [...serviceFields.names, "links"];
