/** The names of what assignments are about. */
import type { Queries } from "../platform/database/database.js";
import type { Assignment } from "./assignment.js";
import { actorIdOf, targetIdOf } from "../grants/grant.js";

/** Something that has a name, within a domain. */
export interface Named {
  readonly name: string;
  /** `null` for a domain, and for a role of all domains. */
  readonly domainId: string | null;
}

/** By id. */
export interface AssignmentNames {
  readonly users: ReadonlyMap<string, Named>;
  readonly groups: ReadonlyMap<string, Named>;
  readonly roles: ReadonlyMap<string, Named>;
  /** And domains: those of the others too. */
  readonly projects: ReadonlyMap<string, Named>;
}

interface NamedRow {
  id: string;
  name: string;
  domain_id: string | null;
}

interface Tables {
  readonly user: NamedRow;
  readonly group: NamedRow;
  readonly role: NamedRow;
  readonly project: NamedRow;
}

export async function namesOf(
  queries: Queries,
  assignments: readonly Assignment[],
): Promise<AssignmentNames> {
  const idsOf = (select: (assignment: Assignment) => string | null) =>
    new Set(assignments.map(select).filter((id) => id !== null));
  const users = await namesIn(
    queries,
    "user",
    idsOf(({ actor }) => ("userId" in actor ? actor.userId : null)),
  );
  const groups = await namesIn(
    queries,
    "group",
    idsOf(({ actor }) => ("groupId" in actor ? actorIdOf(actor) : null)),
  );
  const roles = await namesIn(
    queries,
    "role",
    idsOf(({ roleId }) => roleId),
  );
  const projects = await namesIn(
    queries,
    "project",
    idsOf(({ target }) => targetIdOf(target)),
  );
  const domains = await namesIn(queries, "project", domainsOf(users, groups, roles, projects));
  return { users, groups, roles, projects: new Map([...projects, ...domains]) };
}

function domainsOf(...maps: readonly ReadonlyMap<string, Named>[]): Set<string> {
  const ids = maps.flatMap((map) => Array.from(map.values(), ({ domainId }) => domainId));
  return new Set(ids.filter((id) => id !== null));
}

/** Databases take tens of thousands of values in one query, and no more. */
const AT_ONCE = 10_000;

async function namesIn(
  queries: Queries,
  table: keyof Tables,
  ids: ReadonlySet<string>,
): Promise<Map<string, Named>> {
  const all = [...ids];
  const names = new Map<string, Named>();
  for (let start = 0; start < all.length; start += AT_ONCE) {
    const rows = await queries
      .tables<Tables>()
      .selectFrom(table)
      .select(["id", "name", "domain_id"])
      .where("id", "in", all.slice(start, start + AT_ONCE))
      .execute();
    for (const { id, name, domain_id } of rows) names.set(id, { name, domainId: domain_id });
  }
  return names;
}
