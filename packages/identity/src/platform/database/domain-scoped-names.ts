/** Lookups of many resources by name, and of many names by id. */
import { sql, type RawBuilder } from "kysely";

import type { Queries } from "./database.js";

/** A name, which is unique in its domain. */
export interface DomainScopedName {
  readonly name: string;
  readonly domainId: string;
}

/** Whether a row with the columns `domain_id` and `name` is one of these places; at least one is needed. */
export function isOneOfPlaces(places: readonly DomainScopedName[]): RawBuilder<boolean> {
  const rows = places.map(({ name, domainId }) => sql`(${domainId}, ${name})`);
  return sql<boolean>`(domain_id, name) in (values ${sql.join(rows)})`;
}

/** A key for maps of places. */
export function placeKey({ name, domainId }: DomainScopedName): string {
  return JSON.stringify([domainId, name]);
}

/** The name of a resource. */
export interface Named {
  readonly name: string;
  /** `null` for a domain, and for a global role. */
  readonly domainId: string | null;
}

interface NameTables {
  readonly table: { id: string; name: string; domain_id: string | null };
}

/** Ids of one query; databases limit its parameters. */
const MAX_IDS = 10_000;

/** The names of rows, by id. @param table Has the columns `id`, `name` and `domain_id`. */
export async function findNames(
  queries: Queries,
  table: string,
  ids: ReadonlySet<string>,
): Promise<Map<string, Named>> {
  const all = [...ids];
  const names = new Map<string, Named>();
  for (let start = 0; start < all.length; start += MAX_IDS) {
    const rows = await queries
      .tables<NameTables>()
      .selectFrom(table as "table")
      .select(["id", "name", "domain_id"])
      .where("id", "in", all.slice(start, start + MAX_IDS))
      .execute();
    for (const { id, name, domain_id } of rows) names.set(id, { name, domainId: domain_id });
  }
  return names;
}

export type DomainReference = { readonly id: string } | { readonly name: string };

/** A resource whose domain may itself be named. */
export type QualifiedReference =
  | { readonly id: string }
  | { readonly name: string; readonly domain: DomainReference };

/** A resource whose domain's id is known. */
export type ExactReference = { readonly id: string } | DomainScopedName;
