/** The questions that roles ask of the database. */
import type { Insertable, Selectable } from "kysely";

import { parseAttributes, type Attributes } from "../platform/attributes.js";
import type { Queries } from "../platform/database/database.js";
import { isUnique } from "../platform/database/unique-write.js";
import { filterCondition, type ListFilter } from "../platform/http/lists/list-filters.js";
import { afterMarker, rowsWanted, type Page } from "../platform/http/lists/paging.js";

/** What somebody may be given somewhere. */
export interface Role {
  readonly id: string;
  readonly name: string;
  /** `null` for a role of all domains. One of a domain is never seen in a token: it only implies others. */
  readonly domainId: string | null;
  readonly description: string | null;
  readonly options: Attributes;
  readonly extra: Attributes;
}

export interface RoleRow {
  id: string;
  name: string;
  domain_id: string | null;
  description: string | null;
  options: string;
  extra: string;
}

interface Tables {
  readonly role: RoleRow;
}

/** Fields that a list may be filtered by, besides the domain. */
export const ROLE_FILTERS = ["name"] as const;

export interface RoleQuery {
  /** `null` for the roles of all domains. */
  readonly domainId: string | null;
  readonly filters: readonly ListFilter<(typeof ROLE_FILTERS)[number]>[];
  readonly page: Page;
}

/** Those that are on the page, and one more if there is another page. */
export async function listRoles(queries: Queries, { domainId, filters, page }: RoleQuery): Promise<Role[]> {
  let query = queries
    .tables<Tables>()
    .selectFrom("role")
    .selectAll()
    .where("domain_id", domainId === null ? "is" : "=", domainId)
    .where((eb) => afterMarker(page, eb.ref("id")))
    .orderBy("id");
  for (const filter of filters) query = query.where((eb) => filterCondition(filter, eb.ref(filter.field)));
  const wanted = rowsWanted(page);
  if (wanted !== undefined) query = query.limit(wanted);
  return (await query.execute()).map(toRole);
}

export async function findRole(queries: Queries, id: string): Promise<Role | undefined> {
  const row = await queries
    .tables<Tables>()
    .selectFrom("role")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirst();
  return row && toRole(row);
}

/** The role of all domains that has this name. */
export async function findGlobalRole(queries: Queries, name: string): Promise<Role | undefined> {
  const row = await queries
    .tables<Tables>()
    .selectFrom("role")
    .selectAll()
    .where("name", "=", name)
    .where("domain_id", "is", null)
    .executeTakeFirst();
  return row && toRole(row);
}

/** Roles of these names: those of all domains first. */
export async function findRolesByName(queries: Queries, names: readonly string[]): Promise<Role[]> {
  if (names.length === 0) return [];
  const rows = await queries
    .tables<Tables>()
    .selectFrom("role")
    .selectAll()
    .where("name", "in", names)
    .orderBy("id")
    .execute();
  return rows.map(toRole).toSorted((a, b) => Number(a.domainId !== null) - Number(b.domainId !== null));
}

/** Whether it was added: not if there is one of this name in its domain already. */
export function insertRole(queries: Queries, role: Role): Promise<boolean> {
  return isUnique(() => queries.tables<Tables>().insertInto("role").values(toRow(role)).execute());
}

/** Whether it was changed: not if there is another one of this name in its domain. */
export function updateRole(queries: Queries, role: Role): Promise<boolean> {
  const change = queries.tables<Tables>().updateTable("role").set(toRow(role)).where("id", "=", role.id);
  return isUnique(() => change.execute());
}

/** Deletes it, what it implies, what implies it, and all its grants. */
export async function deleteRole(queries: Queries, id: string): Promise<void> {
  await queries.tables<Tables>().deleteFrom("role").where("id", "=", id).execute();
}

export function toRole({ id, name, domain_id, description, options, extra }: Selectable<RoleRow>): Role {
  return {
    id,
    name,
    domainId: domain_id,
    description,
    options: parseAttributes(options),
    extra: parseAttributes(extra),
  };
}

function toRow({ id, name, domainId, description, options, extra }: Role): Insertable<RoleRow> {
  return {
    id,
    name,
    domain_id: domainId,
    description,
    options: JSON.stringify(options),
    extra: JSON.stringify(extra),
  };
}
