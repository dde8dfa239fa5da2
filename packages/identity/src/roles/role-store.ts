/** Roles in the database. */
import type { Attributes } from "../platform/attributes.js";
import type { Queries } from "../platform/database/database.js";
import type { ListQuery } from "../platform/database/list-query.js";
import { findNames, type Named } from "../platform/database/named-places.js";
import { json, tableOf, type RowOf } from "../platform/database/table.js";
import { RoleNotFoundError } from "./role-errors.js";

/** A role, which grants assign to users and groups. */
export interface Role {
  readonly id: string;
  readonly name: string;
  /** `null` for a global role. The role of a domain is never in a token: it only implies others. */
  readonly domainId: string | null;
  readonly description: string | null;
  readonly options: Attributes;
  readonly extra: Attributes;
}

/** A deleted role takes its implications and grants along. */
export const roleTable = tableOf<Role>()(
  "role",
  {
    id: "id",
    name: "name",
    domainId: "domain_id",
    description: "description",
    options: json("options"),
    extra: json("extra"),
  },
  RoleNotFoundError,
);

export type RoleRow = RowOf<typeof roleTable>;

/** Columns that a list may be filtered by, besides the domain. */
export const ROLE_FILTERS = ["name"] as const;

export interface RoleQuery extends ListQuery<(typeof ROLE_FILTERS)[number]> {
  /** `null` for global roles. */
  readonly domainId: string | null;
}

export function listRoles(queries: Queries, { domainId, ...query }: RoleQuery): Promise<Role[]> {
  return roleTable.list(queries, query, (roles) =>
    roles.where("domain_id", domainId === null ? "is" : "=", domainId),
  );
}

export function findGlobalRole(queries: Queries, name: string): Promise<Role | undefined> {
  return roleTable.first(roleTable.select(queries).where("name", "=", name).where("domain_id", "is", null));
}

/** Roles of these names: global ones first. */
export async function findRolesByName(queries: Queries, names: readonly string[]): Promise<Role[]> {
  if (names.length === 0) return [];
  const roles = await roleTable.all(roleTable.select(queries).where("name", "in", names).orderBy("id"));
  return roles.toSorted((a, b) => Number(a.domainId !== null) - Number(b.domainId !== null));
}

/** The ids of all roles of domains. */
export async function domainRoleIds(queries: Queries): Promise<Set<string>> {
  const rows = await queries
    .tables<{ readonly role: RoleRow }>()
    .selectFrom("role")
    .select("id")
    .where("domain_id", "is not", null)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** The names of roles, by id. */
export const roleNames = (queries: Queries, ids: ReadonlySet<string>): Promise<Map<string, Named>> =>
  findNames(queries, "role", ids);
