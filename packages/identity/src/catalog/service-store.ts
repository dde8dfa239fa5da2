/** The questions that services of the cloud ask of the database. */
import type { Insertable, Selectable } from "kysely";

import { parseAttributes, type Attributes } from "../platform/attributes.js";
import type { Queries } from "../platform/database/database.js";
import { filterCondition, type ListFilter } from "../platform/http/lists/list-filters.js";
import { afterMarker, rowsWanted, type Page } from "../platform/http/lists/paging.js";

/** Something that the cloud does, such as `compute`; its endpoints say where. */
export interface Service {
  readonly id: string;
  readonly type: string;
  /** Empty where nobody has given one. */
  readonly name: string;
  /** Whether the catalog shows it. */
  readonly enabled: boolean;
  readonly extra: Attributes;
}

interface ServiceRow {
  id: string;
  type: string;
  name: string;
  enabled: boolean;
  extra: string;
}

interface Tables {
  readonly service: ServiceRow;
}

/** Fields that a list may be filtered by. */
export const SERVICE_FILTERS = ["type", "name"] as const;

export interface ServiceQuery {
  readonly filters: readonly ListFilter<(typeof SERVICE_FILTERS)[number]>[];
  readonly page: Page;
}

/** Those that are on the page, and one more if there is another page. */
export async function listServices(queries: Queries, { filters, page }: ServiceQuery): Promise<Service[]> {
  let query = queries
    .tables<Tables>()
    .selectFrom("service")
    .selectAll()
    .where((eb) => afterMarker(page, eb.ref("id")))
    .orderBy("id");
  for (const filter of filters) query = query.where((eb) => filterCondition(filter, eb.ref(filter.field)));
  const wanted = rowsWanted(page);
  if (wanted !== undefined) query = query.limit(wanted);
  return (await query.execute()).map(toService);
}

/** The first service that has this id, or this type. */
export async function findService(
  queries: Queries,
  field: "id" | "type",
  value: string,
): Promise<Service | undefined> {
  const row = await queries
    .tables<Tables>()
    .selectFrom("service")
    .selectAll()
    .where(field, "=", value)
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  return row && toService(row);
}

export async function insertService(queries: Queries, service: Service): Promise<void> {
  await queries.tables<Tables>().insertInto("service").values(toRow(service)).execute();
}

export async function updateService(queries: Queries, service: Service): Promise<void> {
  await queries
    .tables<Tables>()
    .updateTable("service")
    .set(toRow(service))
    .where("id", "=", service.id)
    .execute();
}

/** Deletes it and its endpoints. */
export async function deleteService(queries: Queries, id: string): Promise<void> {
  await queries.tables<Tables>().deleteFrom("service").where("id", "=", id).execute();
}

function toService({ extra, ...columns }: Selectable<ServiceRow>): Service {
  return { ...columns, extra: parseAttributes(extra) };
}

function toRow({ extra, ...columns }: Service): Insertable<ServiceRow> {
  return { ...columns, extra: JSON.stringify(extra) };
}
