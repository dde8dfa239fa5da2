/** SQL conditions on the limited resource. */
import { sql, type Expression, type SqlBool } from "kysely";

/** The limited resource of a service; `regionId` is `null` for all regions. */
export interface ResourceKey {
  readonly serviceId: string;
  readonly regionId: string | null;
  readonly resourceName: string;
}

/** The region as in the unique index: empty for none. */
export function regionKey(column: Expression<string | null>): Expression<string> {
  return sql<string>`coalesce(${column}, '')`;
}

/** The project as in the unique index: empty for a limit of the domain. */
export function ownerKey(column: Expression<string | null>): Expression<string> {
  return sql<string>`coalesce(${column}, '')`;
}

/** Whether the region is set, if required. */
export function regionPresence(
  hasRegion: boolean | undefined,
  column: Expression<string | null>,
): Expression<SqlBool> {
  if (hasRegion === undefined) return sql<SqlBool>`1 = 1`;
  return hasRegion ? sql<SqlBool>`${column} is not null` : sql<SqlBool>`${column} is null`;
}
