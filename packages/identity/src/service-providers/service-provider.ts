/** Service providers: fields, schemas, table and errors. */
import { Type, type Static } from "typebox";

import type { Queries } from "../platform/database/database.js";
import { declareFields, type ItemOf } from "../platform/database/fields.js";
import { tableOf, type ListQuery } from "../platform/database/table.js";
import { ConflictError, errorClass, notFoundClass } from "../platform/errors.js";
import { bodyOf, nullable, SelfLink } from "../platform/http/validation/schema-parts.js";

export class ServiceProviderNotFoundError extends notFoundClass(
  "Service Provider",
  "service-provider/not-found",
) {}

export class ServiceProviderExistsError extends errorClass(
  ConflictError,
  "service-provider/exists",
  (id: string) =>
    `Conflict occurred attempting to store service_provider - Duplicate entry found with ID ${id}.`,
) {}

/** What begins the relay state of an assertion by default, as in Keystone. */
export const RELAY_STATE_PREFIX = "ss:mem:";

export const serviceProviderFields = declareFields({
  id: Type.String(),
  /** Where users log in there. */
  auth_url: Type.String(),
  /** Where assertions are sent. */
  sp_url: Type.String(),
  description: nullable(Type.String()),
  enabled: Type.Boolean(),
  /** Begins the relay state of an assertion. */
  relay_state_prefix: Type.String(),
});

/** Another cloud that accepts assertions of this one. */
export type ServiceProvider = ItemOf<typeof serviceProviderFields>;

export const serviceProviderTable = tableOf<ServiceProvider>()(
  "service_provider",
  serviceProviderFields.columns,
  ServiceProviderNotFoundError,
);

export interface ServiceProviderQuery extends ListQuery<"id"> {
  /** Values that `enabled` has to have, all of them. */
  readonly enabled: readonly boolean[];
}

export function listServiceProviders(
  queries: Queries,
  { enabled, ...query }: ServiceProviderQuery,
): Promise<ServiceProvider[]> {
  return serviceProviderTable.list(queries, query, (every) =>
    enabled.reduce((providers, value) => providers.where("enabled", "=", value), every),
  );
}

const Address = Type.String({ maxLength: 225, pattern: "^[a-zA-Z0-9+.-]+:.+" });

const attributes = {
  description: Type.Optional(nullable(Type.String())),
  enabled: Type.Optional(Type.Boolean()),
  relay_state_prefix: Type.Optional(Type.String()),
};

const Draft = Type.Object(
  { auth_url: Address, sp_url: Address, ...attributes },
  { additionalProperties: false },
);
export type ServiceProviderDraft = Static<typeof Draft>;

export const NewServiceProvider = bodyOf("service_provider", Draft);

const Change = Type.Object(
  { auth_url: Type.Optional(Address), sp_url: Type.Optional(Address), ...attributes },
  { additionalProperties: false, minProperties: 1 },
);
export type ServiceProviderChange = Static<typeof Change>;

export const ChangedServiceProvider = bodyOf("service_provider", Change);

export const ServiceProviderView = Type.Object({ ...serviceProviderFields.shape, links: SelfLink });
