/** Services of the cloud in the database. */
import { json, tableOf } from "../platform/database/table.js";
import type { Attributes } from "../platform/attributes.js";
import type { Queries } from "../platform/database/database.js";
import type { ListQuery } from "../platform/database/list-query.js";
import { ServiceNotFoundError } from "./catalog-errors.js";

/** A service of the cloud, such as `compute`, which is reached at its endpoints. */
export interface Service {
  readonly id: string;
  readonly type: string;
  /** May be empty. */
  readonly name: string;
  /** Whether the catalog shows it. */
  readonly enabled: boolean;
  readonly extra: Attributes;
}

/** A deleted service takes its endpoints along. */
export const serviceTable = tableOf<Service>()(
  "service",
  { id: "id", type: "type", name: "name", enabled: "enabled", extra: json("extra") },
  ServiceNotFoundError,
);

/** Columns that a list may be filtered by. */
export const SERVICE_FILTERS = ["type", "name"] as const;

export type ServiceQuery = ListQuery<(typeof SERVICE_FILTERS)[number]>;

/** The first service of a type, by id. */
export function findServiceOfType(queries: Queries, type: string): Promise<Service | undefined> {
  return serviceTable.first(serviceTable.select(queries).where("type", "=", type).orderBy("id").limit(1));
}
