/** Conditions of SQL on what a limit is of. */
import { sql, type Expression, type SqlBool } from "kysely";

/** What a limit is of: a resource of a service, in one region or, with `null`, in whichever. */
export interface ResourceKey {
  readonly serviceId: string;
  readonly regionId: string | null;
  readonly resourceName: string;
}

/** The region as the unique index has it: with none it is empty, which no id is. */
export function regionKey(column: Expression<string | null>): Expression<string> {
  return sql<string>`coalesce(${column}, '')`;
}

/** The project as the unique index has it: empty for a limit of the domain itself. */
export function ownerKey(column: Expression<string | null>): Expression<string> {
  return sql<string>`coalesce(${column}, '')`;
}

/** Whether there is a region, or is none, where the question says something about it. */
export function regionPresence(
  hasRegion: boolean | undefined,
  column: Expression<string | null>,
): Expression<SqlBool> {
  if (hasRegion === undefined) return sql<SqlBool>`1 = 1`;
  return hasRegion ? sql<SqlBool>`${column} is not null` : sql<SqlBool>`${column} is null`;
}
