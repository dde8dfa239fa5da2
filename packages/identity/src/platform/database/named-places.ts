/** Many names in domains, looked up by one query. */
import { sql, type RawBuilder } from "kysely";

/** A name, which is unique in its domain. */
export interface NamedPlace {
  readonly name: string;
  readonly domainId: string;
}

/** Whether a row with the columns `domain_id` and `name` is one of these places, of which there is at least one. */
export function isOneOfPlaces(places: readonly NamedPlace[]): RawBuilder<boolean> {
  const rows = places.map(({ name, domainId }) => sql`(${domainId}, ${name})`);
  return sql<boolean>`(domain_id, name) in (values ${sql.join(rows)})`;
}

/** A key for maps of places. */
export function placeKey({ name, domainId }: NamedPlace): string {
  return JSON.stringify([domainId, name]);
}
